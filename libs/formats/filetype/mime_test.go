package filetype_test

import (
	"testing"

	"github.com/rectohq/recto/libs/formats/filetype"
)

func TestMIME(t *testing.T) {
	for kind, want := range map[filetype.Type]string{
		filetype.PDF: "application/pdf", filetype.Text: "text/plain", filetype.Unknown: "application/octet-stream",
		filetype.DOCX: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
	} {
		if got := kind.MIME(); got != want {
			t.Errorf("%s: %s, want %s", kind, got, want)
		}
	}
}
