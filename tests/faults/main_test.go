// Package faults holds Recto, as it is deployed in containers, to its promises
// while parts of it die.
package faults

import (
	"os"
	"testing"

	"github.com/rectohq/recto/tests/harness"
)

func TestMain(m *testing.M) {
	code := m.Run()
	harness.Close()
	os.Exit(code)
}
