package pdfforms_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/rectohq/recto/libs/testkit/pdfforms"
)

func TestOddFilesAreValid(t *testing.T) {
	for name, file := range map[string][]byte{
		"hybrid": pdfforms.Hybrid(), "generations": pdfforms.Generations(), "states": pdfforms.States(),
	} {
		t.Run(name, func(t *testing.T) { pdfforms.Check(t, file) })
	}
}

func TestPreceded(t *testing.T) {
	plain, before := pdfforms.Form(1), "Subject: form\n\n"
	if got := pdfforms.Preceded(plain, before, false); !bytes.Equal(got, append([]byte(before), plain...)) {
		t.Error("the file itself has changed")
	}
	shifted := pdfforms.Preceded(plain, before, true)
	table := bytes.LastIndex(shifted, []byte("\nxref")) + 1
	if want := fmt.Appendf(nil, "startxref\n%d\n", table); !bytes.Contains(shifted, want) {
		t.Errorf("startxref is not %d", table)
	}
	if at := bytes.Index(shifted, []byte("1 0 obj")); !bytes.Contains(shifted, fmt.Appendf(nil, "%010d 00000 n", at)) {
		t.Errorf("object 1 is not at %d", at)
	}
}
