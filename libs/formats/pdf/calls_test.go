package pdf_test

import (
	"testing"

	"github.com/rectohq/recto/libs/formats/pdf"
	"github.com/rectohq/recto/libs/sandbox/sandboxtest"
	"github.com/rectohq/recto/libs/testkit/pdftest"
)

// traced returns a Reader whose processes report each system call that the sandbox
// refuses. Every such call fails the test: reading PDFs needs none of them.
func traced(t *testing.T, cfg pdf.Config) *pdf.Reader {
	t.Helper()
	ctx, trace := sandboxtest.Traced(t.Context(), t)
	t.Cleanup(func() { // runs after the Reader and its processes have ended
		refused, children := trace.Refused(t)
		if children == 0 {
			t.Error("no process was traced")
		}
		for name, times := range refused {
			t.Errorf("%s was refused %d times", name, times)
		}
	})
	r := pdftest.NewReader(t, cfg)
	r.StartIn(ctx)
	return r
}
