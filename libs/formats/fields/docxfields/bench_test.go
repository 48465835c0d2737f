package docxfields

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/formats/docx"
	"github.com/rectohq/recto/libs/formats/fields"
)

// sixtyPages returns a document of about sixty pages with forty fields.
func sixtyPages(t testing.TB) ([]byte, map[string]fields.Filling) {
	t.Helper()
	const format = `<w:rPr><w:rFonts w:ascii="Times New Roman" w:hAnsi="Times New Roman" w:cs="Times New Roman"/><w:sz w:val="22"/><w:szCs w:val="22"/></w:rPr>`
	run := `<w:r w:rsidRPr="00A12345">` + format + `<w:t xml:space="preserve">The parties agree that each of them shall keep confidential what the other one discloses, </w:t></w:r>`
	paragraph := `<w:p w14:paraId="1A2B3C4D" w:rsidR="00112233" w:rsidRDefault="00112233"><w:pPr><w:spacing w:after="120"/><w:jc w:val="both"/></w:pPr>` + strings.Repeat(run, 4) + `</w:p>`
	var content strings.Builder
	values := map[string]fields.Filling{}
	for i := range 60 * 10 {
		content.WriteString(paragraph)
		if i%15 == 0 {
			id := fmt.Sprintf("agreementinput-%d", i)
			values[id] = text("a value of the field")
			content.WriteString(p(sdt(id, placeholder, prompt)))
		}
	}
	return document(t, body(content.String())), values
}

// BenchmarkFill60Pages measures everything that filling a document takes.
func BenchmarkFill60Pages(b *testing.B) {
	file, values := sixtyPages(b)
	b.ReportAllocs()
	for b.Loop() {
		p, err := docx.Open(bytes.NewReader(file), int64(len(file)), docx.DefaultLimits())
		if err == nil {
			err = p.Check(b.Context())
		}
		if err != nil {
			b.Fatal(err)
		}
		d, err := Open(b.Context(), p)
		if err == nil {
			err = d.Fill(values)
		}
		if err == nil {
			_, err = d.WriteTo(io.Discard)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}
