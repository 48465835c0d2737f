package libreoffice_test

import (
	"context"
	"testing"

	"github.com/rectohq/recto/libs/sandbox/sandboxtest"
)

// TestBenchSandbox measures what the sandbox adds to the conversion of a page.
func TestBenchSandbox(t *testing.T) {
	document := ""
	sandboxtest.Compare(t, 15, func(ctx context.Context) func() {
		if document == "" {
			document = writeDOCX(t, paragraph("x"), "x")
		}
		e := newEngine(t)
		return func() {
			if err := convertWithin(ctx, e, copyTo(t, document)); err != nil {
				t.Fatal(err)
			}
		}
	})
}
