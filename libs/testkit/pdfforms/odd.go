package pdfforms

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
)

// Hybrid returns a form of two text fields, field_1 and field_2, whose cross-reference table
// calls field_1 free. A cross-reference stream, for readers that know them, says where it is.
func Hybrid() []byte {
	f := form(2)
	b := f.bytes()
	field, number := f.fields[0], len(f.objects)+1
	at := bytes.Index(b, fmt.Appendf(nil, "\n%d 0 obj", field)) + 1
	start := bytes.LastIndex(b, []byte("\nxref\n")) + 1
	row := []byte{1, byte(at >> 16), byte(at >> 8), byte(at), 0}
	stream := fmt.Sprintf("%d 0 obj\n<</Type/XRef/Size %d/Root %d 0 R/W[1 3 1]/Index[%d 1]/Length %d>>\nstream\n%s\nendstream\nendobj\n",
		number, number+1, catalogObject, field, len(row), row)
	tail := bytes.Replace(b[start:], fmt.Appendf(nil, "%010d 00000 n", at), []byte("0000000000 00000 f"), 1)
	tail = bytes.Replace(tail, []byte("/Root"), fmt.Appendf(nil, "/XRefStm %d/Root", start), 1)
	tail = bytes.Replace(tail, fmt.Appendf(nil, "startxref\n%d\n", start), fmt.Appendf(nil, "startxref\n%d\n", start+len(stream)), 1)
	return append(append(b[:start:start], stream...), tail...)
}

// Generations returns a form of two text fields, field_1 and field_2, whose objects are of
// generation 3.
func Generations() []byte {
	f := form(2)
	b := f.bytes()
	for _, n := range f.fields {
		at := bytes.Index(b, fmt.Appendf(nil, "\n%d 0 obj", n)) + 1
		b = bytes.ReplaceAll(b, fmt.Appendf(nil, "%d 0 R", n), fmt.Appendf(nil, "%d 3 R", n))
		b = bytes.Replace(b, fmt.Appendf(nil, "\n%d 0 obj", n), fmt.Appendf(nil, "\n%d 3 obj", n), 1)
		b = bytes.Replace(b, fmt.Appendf(nil, "%010d 00000", at), fmt.Appendf(nil, "%010d 00003", at), 1)
	}
	return b
}

var (
	inUse     = regexp.MustCompile(`\d{10} \d{5} n`)
	startXRef = regexp.MustCompile(`startxref\n\d+`)
)

// Preceded returns a file with a cross-reference table after other bytes, such as the header
// of an e-mail. If shift is set, the table counts these bytes.
func Preceded(file []byte, by string, shift bool) []byte {
	if shift {
		moved := func(digits []byte) int {
			n, _ := strconv.Atoi(string(digits)) // the pattern matches digits only
			return n + len(by)
		}
		file = inUse.ReplaceAllFunc(file, func(row []byte) []byte { return fmt.Appendf(nil, "%010d%s", moved(row[:10]), row[10:]) })
		file = startXRef.ReplaceAllFunc(file, func(b []byte) []byte { return fmt.Appendf(nil, "startxref\n%d", moved(b[len("startxref\n"):])) })
	}
	return append([]byte(by), file...)
}

// States returns a form with the radio button "choice", whose states have the names of bytes
// that StateNames lists.
func States() []byte {
	f := newFile()
	k := &kinds{file: f, grid: grid{p: f.page(""), columns: 1, height: 28}}
	var names []string
	for _, s := range StateNames() {
		name := ""
		for _, c := range []byte(s) {
			name += fmt.Sprintf("#%02X", c)
		}
		names = append(names, name)
	}
	k.set("choice", fmt.Sprintf("/FT/Btn/Ff %d/V/Off", radio), names...)
	return f.bytes()
}

// StateNames returns names of states in UTF-8, in Latin-1, and in UTF-16.
func StateNames() []string { return []string{"J\xc3\xa4", "J\xe4", "\xfe\xff\x01A", "a b/c"} }
