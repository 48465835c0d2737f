package docxtext_test

import (
	"testing"

	"github.com/rectohq/recto/libs/formats/docx/docxtext"
)

func TestReadPlaces(t *testing.T) {
	const main = "word/document.xml#/w:document[1]/w:body[1]"
	sdt := func(s string) string { return `<w:sdt><w:sdtContent>` + s + `</w:sdtContent></w:sdt>` }
	boxed := p(r("anchor") + sdt(r("in")+`<w:r><w:pict><w:txbxContent>`+p(r("box"))+`</w:txbxContent></w:pict></w:r>`) + r("after"))
	point := func(path string, offset int) docxtext.Point {
		return docxtext.Point{Path: main + path, Offset: offset}
	}
	for name, test := range map[string]struct {
		content string
		place   docxtext.Place
		want    string
	}{
		"a part of a run":     {p(r("one two three")), docxtext.Place{From: point("/w:p[1]/w:r[1]/w:t[1]", 4), To: point("/w:p[1]/w:r[1]/w:t[1]", 7)}, "one <two> three"},
		"across runs":         {p(r("one ") + r("two")), docxtext.Place{From: point("/w:p[1]/w:r[1]/w:t[1]", 1), To: point("/w:p[1]/w:r[2]/w:t[1]", 1)}, "o<ne t>wo"},
		"out of range":        {p(r("one")), docxtext.Place{From: point("/w:p[1]/w:r[1]/w:t[1]", -5), To: point("/w:p[1]/w:r[1]/w:t[1]", 99)}, "<one>"},
		"reversed":            {p(r("one")), docxtext.Place{From: point("/w:p[1]/w:r[1]/w:t[1]", 2), To: point("/w:p[1]/w:r[1]/w:t[1]", 1)}, "on<>e"},
		"an empty element":    {p(r("a") + sdt("") + r("b")), docxtext.Whole(main + "/w:p[1]/w:sdt[1]"), "a<>b"},
		"empty, at the start": {sdt("") + p(r("a")), docxtext.Whole(main + "/w:sdt[1]"), "<>a"},
		"empty, at the end":   {p(r("a")) + sdt(""), docxtext.Whole(main + "/w:sdt[1]"), "a\n<>"},
		"paragraphs":          {sdt(p("") + p(r("a")) + p(r("b")) + p("")), docxtext.Whole(main + "/w:sdt[1]"), "\n<a\nb>\n\n"},
		"contains a text box": {boxed, docxtext.Whole(main + "/w:p[1]/w:sdt[1]"), "anchor<in>after\nbox"},
		"around an anchor":    {sdt(boxed) + p(r("b")), docxtext.Whole(main + "/w:sdt[1]"), "<anchorinafter>\nbox\nb"},
		"invisible content":   {p(r("a") + `<w:del>` + sdt(r("gone")) + `</w:del>` + r("b")), docxtext.Whole(main + "/w:p[1]/w:del[1]/w:sdt[1]"), "a<>b"},
		"a tab":               {p(`<w:r><w:t>a</w:t><w:tab/><w:t>b</w:t></w:r>`), docxtext.Whole(main + "/w:p[1]/w:r[1]/w:tab[1]"), "a<\t>b"},
		"a missing element":   {p(r("a")), docxtext.Whole(main + "/w:p[2]"), "nowhere"},
		"not a path":          {p(r("a")), docxtext.Whole("x"), "nowhere"},
		"one end is missing":  {p(r("a")), docxtext.Place{From: point("/w:p[1]", 0), To: point("/w:p[2]", 0)}, "nowhere"},
	} {
		t.Run(name, func(t *testing.T) {
			doc, spans, err := docxtext.ReadPlaces(t.Context(), open(t, file(t, body(test.content))), []docxtext.Place{test.place})
			if err != nil {
				t.Fatal(err)
			}
			got := "nowhere"
			if s := spans[0]; s != docxtext.Nowhere() {
				got = doc.Text[:s.Start] + "<" + doc.Quote(s) + ">" + doc.Text[s.End:]
			}
			if got != test.want && got != test.want+"\n" {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}
