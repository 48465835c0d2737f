// Package pdftest runs the tests of packages that read PDFs. The tests of a process compile
// PDFium once, into a folder that they share.
package pdftest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/rectohq/recto/libs/formats/pdf"
	"github.com/rectohq/recto/libs/sandbox"
	"github.com/rectohq/recto/libs/telemetry"
	"github.com/rectohq/recto/libs/testkit/patience"
)

// compiled is the folder of the compiled PDFium, set by Run.
var compiled string

// Compiled returns the folder of the compiled PDFium.
func Compiled() string { return compiled }

// Main runs the tests of a package and ends the process. It fails if they leave goroutines
// behind. TestMain must call Main or Run first, because package pdf starts the test program
// again to read PDFs in it.
func Main(m *testing.M) {
	os.Exit(Run(func() (code int) {
		goleak.VerifyTestMain(m, goleak.Cleanup(func(c int) { code = c }))
		return code
	}))
}

// Run is like Main for tests that run starts, and returns the exit code. It does not look for
// goroutines.
func Run(run func() int) int {
	sandbox.Main()
	pdf.Main()
	dir, err := os.MkdirTemp("", "recto-test-pdfium-")
	if err != nil {
		fmt.Fprintln(os.Stderr, "pdftest:", err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	compiled = dir
	return run()
}

// Compile compiles PDFium. With the race detector on a busy machine, that takes longer than
// a request of a service may. It fails if the shared folder does not hold the result, because
// then each Reader would compile PDFium again.
func Compile() error {
	r, err := pdf.NewReader(Config(), telemetry.Discard())
	if err != nil {
		return err
	}
	if err := errors.Join(r.Prepare(context.Background()), r.Close()); err != nil {
		return err
	}
	entries, err := os.ReadDir(compiled)
	if err == nil && len(entries) == 0 {
		err = fmt.Errorf("PDFium was not compiled into %s", compiled)
	}
	return err
}

// Config returns the default configuration, with the shared folder and the fonts of the
// system.
func Config() pdf.Config {
	return pdf.Config{
		ProcessConfig: pdf.ProcessConfig{
			Memory: 1 << 30, Timeout: patience.Limit(), Processes: 2,
			CacheDir: compiled, FontDirs: []string{"/usr/share/fonts"},
		},
		Pages: 2000,
	}
}

// NewReader returns a Reader that is closed when the test ends.
func NewReader(t testing.TB, cfg pdf.Config) *pdf.Reader {
	t.Helper()
	r, err := pdf.NewReader(cfg, telemetry.Discard())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}
