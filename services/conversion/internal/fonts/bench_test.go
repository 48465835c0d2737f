package fonts_test

import (
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/formats/filetype"
	"github.com/rectohq/recto/services/conversion/internal/fonts"
)

// BenchmarkNamed reads a Word document whose text has 10 MB.
func BenchmarkNamed(b *testing.B) {
	const run = `<w:p><w:r><w:rPr><w:rFonts w:ascii="Calibri" w:hAnsi="Calibri"/><w:sz w:val="22"/></w:rPr><w:t>some words of the text</w:t></w:r></w:p>`
	text := strings.Repeat(run, 10_000_000/len(run))
	document := container(b, map[string]string{"word/document.xml": text})
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		named(b, document, filetype.DOCX)
	}
}

// BenchmarkEmbedded reads a PDF of 10 MB.
func BenchmarkEmbedded(b *testing.B) {
	file := strings.Repeat("/F1 12 Tf (some words) Tj ", 400_000) + "/BaseFont/BAAAAA+Carlito>>"
	b.SetBytes(int64(len(file)))
	for b.Loop() {
		if _, err := fonts.Embedded(strings.NewReader(file), int64(len(file))); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkReplaced asks for 40 fonts.
func BenchmarkReplaced(b *testing.B) {
	installed := load(b)
	for b.Loop() {
		installed.Replaced(usual[:40], []string{"Carlito", "LiberationSans", "NotoSans"})
	}
}

// BenchmarkLoad reads the configuration and the fonts of the machine.
func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		load(b)
	}
}
