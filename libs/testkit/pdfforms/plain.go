package pdfforms

import (
	"bytes"
	"fmt"
)

// Blanks returns a page without a form on which things to fill in are drawn:
// "Name: ________" and "Date: ________" of characters, "Company" above and "Address" before
// a drawn line, the boxes "Yes" and "No" to tick, and a row of nine cells after "SSN".
func Blanks() []byte {
	f := newFile()
	f.form = noForm
	p := f.page("")
	p.text(18, 72, 720, "Registration")
	p.text(12, 72, 680, "Name: ______________________________")
	p.text(12, 72, 650, "Date: ____________________")
	fmt.Fprint(&p.content, "0.7 w 72 600 m 300 600 l S\n")
	p.text(9, 72, 588, "Company")
	p.text(12, 72, 550, "Address:")
	fmt.Fprint(&p.content, "130 546 m 400 546 l S\n72 500 11 11 re S\n172 500 11 11 re S\n")
	p.text(12, 90, 501, "Yes")
	p.text(12, 190, 501, "No")
	p.text(12, 72, 460, "SSN:")
	for i := range 9 {
		fmt.Fprintf(&p.content, "%d 454 20 20 re S\n", 120+20*i)
	}
	return f.bytes()
}

// Long returns a file of n pages, each with its number and a text field named
// page_1 to page_n.
func Long(n int) []byte {
	f := newFile()
	for i := range n {
		p := f.page("")
		p.text(24, 72, 700, fmt.Sprintf("This is page %d of %d", i+1, n))
		f.field(p, rect{72, 600, 200, 24}, fmt.Sprintf("page_%d", i+1), "/FT/Tx")
	}
	return f.bytes()
}

// Scan returns a page that consists of one gray image, like a scan, without text.
func Scan() []byte {
	f := newFile()
	f.form = noForm
	f.scan()
	return f.bytes()
}

// ScannedForm returns a scan on which someone has put two empty text fields, field_1 and
// field_2.
func ScannedForm() []byte {
	f := newFile()
	p := f.scan()
	for i := range 2 {
		r := rect{72, 600 - 40*float64(i), 200, 24}
		f.field(p, r, fmt.Sprintf("field_%d", i+1), "/FT/Tx"+f.shown(r, ""))
	}
	return f.bytes()
}

// scan adds a page that consists of one gray image.
func (f *file) scan() *page {
	const width, height = 850, 1100
	pixels := bytes.Repeat([]byte{250}, width*height)
	for y := 100; y < 400; y += 40 { // lines of text, as dark bars
		for x := 100; x < 700; x++ {
			if x/7%3 != 0 {
				copy(pixels[(y+x%5)*width+x:], "\x20")
				copy(pixels[(y+8)*width+x:], "\x20")
			}
		}
	}
	image := f.stream(fmt.Sprintf("/Type/XObject/Subtype/Image/Width %d/Height %d/ColorSpace/DeviceGray/BitsPerComponent 8/Filter/FlateDecode", width, height), string(deflate(pixels)))
	p := f.page(fmt.Sprintf("/Resources<</XObject<</Im %d 0 R>>>>", image))
	fmt.Fprint(&p.content, "q 612 0 0 792 0 0 cm /Im Do Q\n")
	return p
}
