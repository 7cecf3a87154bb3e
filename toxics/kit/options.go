package kit

import (
	"errors"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/options"
	"github.com/chaeos/chaeos/toxics/target"
)

// ReadTarget reads an option that is a target of the given class; "" if it isn't given.
func ReadTarget(r *options.Reader, option string, class target.Class) string {
	s := r.Text(option, "")
	if s == "" {
		return ""
	}
	t, err := target.Parse(s)
	switch {
	case err != nil:
		r.Fail(option, "%v", err)
	case !class.Has(t.Class()):
		r.Fail(option, "expected %s; %q selects %s", class, s, t.Class())
	}
	return s
}

// CheckOther checks an option that ReadTarget has read against an experiment.
func CheckOther(option, text string, s harness.Scope) error {
	if text == "" {
		return nil
	}
	t, err := target.Parse(text)
	if err == nil {
		err = t.Check(s)
	}
	var wrong *options.Error
	if err != nil && !errors.As(err, &wrong) {
		return &options.Error{Option: option, Reason: err.Error()}
	}
	return err
}
