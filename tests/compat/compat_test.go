// Package compat tests that two versions of Recto may run side by side, as they do during a
// rolling upgrade. It owns the recordings: what a release wrote to the bus and to its
// databases, and the shape of the types that it reads.
//
// Every test works both ways. What the recorded version wrote is replayed to the services of
// this tree, and what this tree writes is held against what the recorded version reads.
package compat

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/rectohq/recto/libs/blob/blobtest"
	"github.com/rectohq/recto/libs/testkit/pdftest"
	"github.com/rectohq/recto/tests/harness"
)

// version is the version of the contract that the tests hold this tree against.
const version = "v1"

var recording = flag.Bool("record", false, "record what the services of this tree write, as "+version)

func TestMain(m *testing.M) {
	os.Exit(pdftest.Run(func() int {
		if err := pdftest.Compile(); err != nil { // once, for all services
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return blobtest.Main(m)
	}))
}

// recorded returns the path of a recording.
func recorded(elements ...string) string {
	return filepath.Join(append([]string{harness.Root(), "tests", "compat", "recorded", version}, elements...)...)
}
