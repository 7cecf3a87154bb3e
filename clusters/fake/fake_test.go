package fake_test

import (
	"testing"

	"github.com/chaeos/chaeos/clusters/contract"
	"github.com/chaeos/chaeos/clusters/fake"
)

func TestContract(t *testing.T) {
	contract.Test(t, contract.Case{Provider: fake.Provider{}, Left: func(*testing.T) []string { return nil }})
}
