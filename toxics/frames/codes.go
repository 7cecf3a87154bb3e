package frames

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// apiVersions is the one API whose responses keep the old head whatever their version.
const apiVersions = 18

// Codes lists the error codes in a response, each once and sorted, also those of its partitions and members; 0 only if there is no
// other. The body is what follows the correlation id; key and version are the request's.
func Codes(key, version int16, body []byte) ([]int16, error) {
	resp := kmsg.ResponseForKey(key)
	if resp == nil || version > resp.MaxVersion() {
		return nil, fmt.Errorf("response %d version %d is not known", key, version)
	}
	resp.SetVersion(version)
	if resp.IsFlexible() && key != apiVersions {
		var err error
		if body, err = afterTags(body); err != nil {
			return nil, fmt.Errorf("head of response %d version %d: %w", key, version, err)
		}
	}
	if err := resp.ReadFrom(body); err != nil {
		return nil, fmt.Errorf("response %d version %d: %w", key, version, err)
	}
	var codes []int16
	collect(reflect.ValueOf(resp).Elem(), &codes)
	slices.Sort(codes)
	codes = slices.Compact(codes)
	if len(codes) == 0 {
		return []int16{0}, nil
	}
	return codes, nil
}

// collect goes through the structure of a response: in all of them a field that holds an error is called ErrorCode.
func collect(v reflect.Value, codes *[]int16) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			field := v.Type().Field(i)
			if field.Name == "ErrorCode" && field.Type.Kind() == reflect.Int16 {
				if code := int16(v.Field(i).Int()); code != 0 {
					*codes = append(*codes, code)
				}
			} else if field.IsExported() {
				collect(v.Field(i), codes)
			}
		}
	case reflect.Slice:
		if kind := v.Type().Elem().Kind(); kind != reflect.Struct && kind != reflect.Pointer {
			return
		}
		for i := range v.Len() {
			collect(v.Index(i), codes)
		}
	case reflect.Pointer:
		if !v.IsNil() {
			collect(v.Elem(), codes)
		}
	}
}
