package pdfforms

import (
	"bytes"
	"fmt"
)

// Assemble returns a PDF file of these objects, which are numbered from 1 on, with
// a cross-reference table. Objects come without "obj" and "endobj". trailer has the entries of
// the trailer besides Size.
func Assemble(trailer string, objects ...string) []byte {
	var out bytes.Buffer
	out.WriteString("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
	offsets := make([]int, len(objects))
	for i, o := range objects {
		offsets[i] = out.Len()
		fmt.Fprintf(&out, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	start := out.Len()
	fmt.Fprintf(&out, "xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, o := range offsets {
		fmt.Fprintf(&out, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(&out, "trailer\n<</Size %d%s>>\nstartxref\n%d\n%%%%EOF\n", len(offsets)+1, trailer, start)
	return out.Bytes()
}
