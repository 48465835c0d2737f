// Package faults tests that Recto, deployed in containers, keeps its promises while
// parts of it fail.
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
