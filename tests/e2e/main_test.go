// Package e2e tests Recto end to end, as its clients see it.
package e2e

import (
	"fmt"
	"os"
	"testing"

	"github.com/rectohq/recto/tests/harness"
)

// shared is the system of all tests that do not need their own. Each test creates its own
// organizations in it.
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
		fmt.Fprintf(os.Stderr, "Recto does not shut down cleanly: %v\n%s\n", err, system.Output())
		code = 1
	}
	_ = system.Remove()
	harness.Close()
	return code
}
