// Package e2e tests Recto as its clients see it.
package e2e

import (
	"fmt"
	"os"
	"testing"

	"github.com/rectohq/recto/tests/harness"
)

// shared is the system of all tests that need no other: each has an
// organization of its own in it.
var shared *harness.System

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	system, err := harness.Launch(harness.Options{Rate: "unlimited"})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		harness.Close()
		return 1
	}
	shared = system
	code := m.Run()
	if err := system.Stop(); err != nil {
		fmt.Fprintf(os.Stderr, "Recto does not end as it should: %v\n%s\n", err, system.Output())
		code = 1
	}
	_ = system.Remove()
	harness.Close()
	return code
}
