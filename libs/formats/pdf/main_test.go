package pdf_test

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/rectohq/recto/libs/formats/pdf"
	"github.com/rectohq/recto/libs/sandbox"
	"github.com/rectohq/recto/libs/sandbox/sandboxtest"
)

// compiled is the folder of the compiled PDFium, which all tests share.
var compiled string

func TestMain(m *testing.M) {
	sandbox.Main()
	sandboxtest.Main()
	pdf.Main()
	dir, err := os.MkdirTemp("", "recto-test-pdfium-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	compiled = dir
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		os.RemoveAll(dir)
		os.Exit(code)
	}))
}
