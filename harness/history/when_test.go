package history

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWhenKnowsEveryKind(t *testing.T) {
	for k, empty := range newEntries {
		e := empty()
		reflect.ValueOf(e).Elem().FieldByName("At").SetInt(41)
		require.Equal(t, Time(41), When(e), "kind %d", k)
	}
}
