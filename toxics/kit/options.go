package toxics

import (
	"errors"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/options"
)

// readTarget reads another target, of the given class; "" when the option isn't given.
func readTarget(r *options.Reader, option string, class Class) string {
	s := r.Text(option, "")
	if s == "" {
		return ""
	}
	t, err := ParseTarget(s)
	switch {
	case err != nil:
		r.Fail(option, "%v", err)
	case !class.has(t.Class()):
		r.Fail(option, "expected %s; %q selects %s", class, s, t.Class())
	}
	return s
}

// checkOther checks an option that names another target.
func checkOther(option, text string, s harness.Scope) error {
	if text == "" {
		return nil
	}
	t, err := ParseTarget(text)
	if err == nil {
		err = t.check(s)
	}
	var wrong *options.Error
	if err != nil && !errors.As(err, &wrong) {
		return &options.Error{Option: option, Reason: err.Error()}
	}
	return err
}
