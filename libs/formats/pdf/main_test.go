package pdf_test

import (
	"testing"

	"github.com/rectohq/recto/libs/formats/pdf"
	"github.com/rectohq/recto/libs/sandbox/sandboxtest"
	"github.com/rectohq/recto/libs/testkit/pdftest"
)

func TestMain(m *testing.M) {
	sandboxtest.Main()
	pdf.Compiled, pdf.ManyPages, pdf.FormFile, pdf.Agreement = pdftest.Compiled, manyPages, formFile, agreement
	pdftest.Main(m)
}
