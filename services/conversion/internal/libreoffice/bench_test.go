package libreoffice_test

import (
	"context"
	"testing"

	"github.com/rectohq/recto/libs/sandbox/sandboxtest"
	"github.com/rectohq/recto/services/conversion/internal/enginetest"
)

// TestBenchSandbox measures what the sandbox adds to the conversion of a page.
func TestBenchSandbox(t *testing.T) {
	document := ""
	sandboxtest.Compare(t, 15, func(ctx context.Context) func() {
		if document == "" {
			document = enginetest.WriteDOCX(t, enginetest.Paragraph("x"), "x")
		}
		e := newEngine(t)
		return func() {
			if err := convertWithin(ctx, e, copyTo(t, document)); err != nil {
				t.Fatal(err)
			}
		}
	})
}
