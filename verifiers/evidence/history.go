package evidence

import (
	"fmt"
	"path/filepath"
	"reflect"
	"strings"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
)

// exportHistory writes every entry of every history file, in the files' own order.
func exportHistory(dir, into string, record *harness.RunRecord) error {
	return write(into, "history", func(f *file[HistoryRow]) error {
		c := clockOf(record)
		for _, h := range record.Histories {
			n := int64(0)
			_, err := history.Scan(filepath.Join(dir, h.File), func(e history.Entry) error {
				rows, err := historyRows(h, c, e)
				for i := range rows {
					rows[i].Entry = n
				}
				n++
				f.add(rows...)
				if err != nil {
					return err
				}
				return f.err
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// historyRows flattens an entry: its scalars by their names, and one row for each element of its list.
func historyRows(h harness.HistoryRecord, c clock, e history.Entry) ([]HistoryRow, error) {
	v := reflect.ValueOf(e).Elem()
	row := HistoryRow{
		Process: h.Process, Role: h.Role, Pipeline: h.Pipeline, Number: int32(h.Number), Incarnation: int32(h.Incarnation), Kind: history.Name(e),
	}
	var list reflect.Value
	for i := range v.NumField() {
		field, x := v.Type().Field(i), v.Field(i)
		switch {
		case field.Name == "Stamp":
			at := history.When(e)
			row.Seconds, row.Time = c.seconds(at), c.wall(at)
		case field.Name == "Asked":
			row.AskedSeconds = ptr(c.seconds(history.Time(x.Int())))
		case x.Kind() == reflect.Slice && x.Type().Elem().Kind() != reflect.Uint8 && field.Name != "ISR":
			list = x
		default:
			if err := row.set(field.Name, x); err != nil {
				return nil, err
			}
		}
	}
	if !list.IsValid() {
		return []HistoryRow{row}, nil
	}
	return row.spread(list)
}

// spread is a row for each element; an empty list leaves one row, or the entry would be gone.
func (r HistoryRow) spread(list reflect.Value) ([]HistoryRow, error) {
	if list.Len() == 0 {
		return []HistoryRow{r}, nil
	}
	var rows []HistoryRow
	for i := range list.Len() {
		one, x := r, list.Index(i)
		var err error
		if x.Kind() == reflect.Struct {
			err = one.setAll(x)
		} else {
			err = one.set("Partition", x)
		}
		if err != nil {
			return nil, err
		}
		rows = append(rows, one)
	}
	return rows, nil
}

func (r *HistoryRow) setAll(v reflect.Value) error {
	for i := range v.NumField() {
		field := v.Type().Field(i)
		var err error
		if field.Anonymous {
			err = r.setAll(v.Field(i))
		} else {
			err = r.set(field.Name, v.Field(i))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// set puts a field into the column of its name. A field without one is a mistake of this package.
func (r *HistoryRow) set(name string, x reflect.Value) error {
	switch name {
	case "Run", "Role", "Number", "Incarnation": // the file's, on every row
		return nil
	case "Pipeline":
		if r.Pipeline == "" {
			r.Pipeline = x.String()
		}
		return nil
	}
	column := reflect.ValueOf(r).Elem().FieldByName(name)
	if !column.IsValid() {
		return fmt.Errorf("evidence: a history entry's field %s has no column", name)
	}
	switch value := x.Interface().(type) {
	case history.Outcome:
		r.Outcome = ptr(value.String())
	case string:
		column.Set(reflect.ValueOf(text(value)))
	case bool:
		column.Set(reflect.ValueOf(&value))
	case []byte:
		column.SetBytes(append([]byte(nil), value...))
	case []int32:
		column.Set(reflect.ValueOf(text(strings.Trim(fmt.Sprint(value), "[]"))))
	default:
		column.Set(reflect.ValueOf(ptr(number(x))))
	}
	return nil
}

func number(x reflect.Value) int64 {
	if x.CanUint() {
		return int64(x.Uint())
	}
	return x.Int()
}
