package docxtext_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/formats/docx"
	"github.com/rectohq/recto/libs/formats/docx/docxtext"
	"github.com/rectohq/recto/libs/formats/layout"
)

// read reads a document and checks the invariants of the result.
func read(t *testing.T, file []byte) *layout.Document {
	t.Helper()
	pkg := open(t, file)
	if err := pkg.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	doc, err := docxtext.Read(t.Context(), pkg)
	if err != nil {
		t.Fatal(err)
	}
	inOrder(t, doc)
	resolves(t, pkg, doc)
	return doc
}

func TestText(t *testing.T) {
	run := func(s string) string { return `<w:r>` + s + `</w:r>` }
	field := func(kind string) string { return run(`<w:fldChar w:fldCharType="` + kind + `"/>`) }
	box := func(s string) string {
		return `<w:drawing><wps:txbx><w:txbxContent>` + s + `</w:txbxContent></wps:txbx></w:drawing>`
	}
	either := func(choice, fallback string) string {
		return `<mc:AlternateContent><mc:Choice Requires="wps">` + choice + `</mc:Choice><mc:Fallback>` + fallback + `</mc:Fallback></mc:AlternateContent>`
	}
	cell := func(properties, s string) string { return `<w:tc><w:tcPr>` + properties + `</w:tcPr>` + s + `</w:tc>` }
	for name, test := range map[string]struct{ content, want string }{
		"runs":                {p(r("one ") + r("two")), "one two\n"},
		"empty":               {p(""), "\n"},
		"tabs and breaks":     {p(run(`<w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t><w:cr/><w:ptab/>`)), "a\tb\nc\n\t\n"},
		"tab stops":           {styled(`<w:tabs><w:tab w:val="left" w:pos="9"/></w:tabs>`, "a"), "a\n"},
		"hyphens":             {p(run(`<w:t>a</w:t><w:noBreakHyphen/><w:t>b</w:t><w:softHyphen/><w:t>c</w:t>`)), "a-bc\n"},
		"symbols":             {p(run(`<w:sym w:font="Wingdings" w:char="F0A8"/><w:sym w:font="Wingdings" w:char="F001"/><w:sym w:font="Arial" w:char="00A7"/>`)), "☐§\n"},
		"entities":            {p(run(`<w:t>A &amp; B &#x201C;x&#x201D;<![CDATA[<y>]]></w:t>`)), "A & B “x”<y>\n"},
		"changes":             {p(`<w:ins>` + r("in") + `</w:ins><w:del>` + run(`<w:delText>out</w:delText>`) + r("out") + `</w:del><w:moveFrom>` + r("from") + `</w:moveFrom><w:moveTo>` + r("to") + `</w:moveTo>`), "into\n"},
		"wrappers":            {p(`<w:hyperlink>` + r("a") + `</w:hyperlink><w:smartTag><w:smartTagPr/>` + r("b") + `</w:smartTag><w:sdt><w:sdtPr><w:showingPlcHdr/></w:sdtPr><w:sdtContent>` + r("c") + `</w:sdtContent></w:sdt>`), "abc\n"},
		"hidden":              {p(run(`<w:rPr><w:vanish/></w:rPr><w:t>no</w:t>`) + run(`<w:rPr><w:vanish w:val="0"/></w:rPr><w:t>yes</w:t>`)), "yes\n"},
		"a field":             {p(field("begin") + run(`<w:instrText>DATE</w:instrText>`) + r("code") + field("separate") + r("today") + field("end") + r("!")), "today!\n"},
		"a field in a code":   {p(field("begin") + field("begin") + field("separate") + r("code") + field("end") + field("separate") + r("x") + field("end")), "x\n"},
		"a field without end": {p(field("begin")+r("all")) + p(r("of it")), "all\nof it\n"},
		"a simple field":      {p(`<w:fldSimple w:instr="PAGE">` + r("1") + `</w:fldSimple>`), "1\n"},
		"a content control":   {`<w:sdt><w:sdtContent>` + p(r("a")) + `</w:sdtContent></w:sdt>`, "a\n"},
		"a table":             {`<w:tbl><w:tr>` + cell("", p(r("a"))+p(r("b"))) + cell("", p(r("c"))) + `</w:tr></w:tbl>`, "a\nb\nc\n"},
		"a deleted row":       {`<w:tbl><w:tr><w:trPr><w:del/></w:trPr>` + cell("", p(r("a"))) + `</w:tr><w:tr>` + cell("", p(r("b"))) + `</w:tr></w:tbl>`, "b\n"},
		"a merged cell":       {`<w:tbl><w:tr>` + cell(`<w:vMerge w:val="restart"/>`, p(r("a"))) + `</w:tr><w:tr>` + cell("<w:vMerge/>", p("")) + cell("", p(r("b"))) + `</w:tr></w:tbl>`, "a\nb\n"},
		"a text box":          {p(r("be")+run(box(p(r("box"))))+r("fore")) + p(r("after")), "before\nbox\nafter\n"},
		"alternatives":        {p(run(either(box(p(r("new"))), box(p(r("old")))))), "\nnew\n"},
		"an empty choice":     {p(run(either(`<w:drawing/>`, `<w:t>old</w:t>`))), "old\n"},
		"alternative blocks":  {either(p(r("new")), p(r("old"))), "new\n"},
		"ruby":                {p(run(`<w:ruby><w:rt>` + r("above") + `</w:rt><w:rubyBase>` + r("base") + `</w:rubyBase></w:ruby>`)), "base\n"},
		"a formula":           {p(`<m:oMath><m:r><m:t>x=1</m:t></m:r></m:oMath>`), "x=1\n"},
		"text in text":        {p(run(`<w:t>a<w:t>b</w:t>c</w:t>`)), "ac\n"},
		"text outside":        {r("outside") + p(r("inside")), "inside\n"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := read(t, file(t, body(test.content))).Text; got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}

func TestPaths(t *testing.T) {
	content := p(r("one")) + `<w:tbl><w:tr><w:tc>` + p(r("two")+`<w:r><w:tab/><w:t>three</w:t></w:r>`) + `</w:tc></w:tr></w:tbl>` + p(`<w:r><w:drawing><wps:txbx><w:txbxContent>`+p(r("four"))+`</w:txbxContent></wps:txbx></w:drawing></w:r>`)
	want := []string{
		"/w:p[1]/w:r[1]/w:t[1]", "/w:tbl[1]/w:tr[1]/w:tc[1]/w:p[1]/w:r[1]/w:t[1]", "/w:tbl[1]/w:tr[1]/w:tc[1]/w:p[1]/w:r[2]/w:t[1]",
		"/w:p[2]/w:r[1]/w:drawing[1]/wps:txbx[1]/w:txbxContent[1]/w:p[1]/w:r[1]/w:t[1]",
	}
	main := body(content)
	for name, main := range map[string]string{
		"transitional":  main,
		"strict":        strings.ReplaceAll(main, space, "http://purl.oclc.org/ooxml/wordprocessingml/main"),
		"other prefix":  strings.NewReplacer("<w:", "<x:", "</w:", "</x:", "xmlns:w=", "xmlns:x=").Replace(main),
		"default space": strings.NewReplacer("<w:", "<", "</w:", "</", "xmlns:w=", "xmlns=").Replace(main),
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, run := range read(t, file(t, main)).Runs {
				got = append(got, strings.TrimPrefix(run.Path, "word/document.xml#/w:document[1]/w:body[1]"))
			}
			if !slices.Equal(got, want) {
				t.Errorf("%q", got)
			}
		})
	}
}

func TestResolveNothing(t *testing.T) {
	pkg := open(t, file(t, body(p(r("one")))))
	for _, path := range []string{"", "word/document.xml", "word/none.xml#/w:document[1]", "word/document.xml#/w:document[1]/w:body[2]", "word/document.xml#/w:document"} {
		if text, err := docxtext.Resolve(t.Context(), pkg, path); err == nil {
			t.Errorf("%q resolves to %q", path, text)
		}
	}
	if text, err := docxtext.Resolve(t.Context(), pkg, "word/document.xml#/w:document[1]/w:body[1]/w:p[1]/w:r[1]/w:t[1]"); err != nil || text != "one" {
		t.Errorf("%q, %v", text, err)
	}
}

func TestBlocks(t *testing.T) {
	cell := func(properties, s string) string {
		return `<w:tc><w:tcPr>` + properties + `</w:tcPr>` + p(r(s)) + `</w:tc>`
	}
	content := p(r("body")) +
		`<w:tbl><w:tr>` + cell(`<w:gridSpan w:val="2"/>`, "wide") + cell("", "b") + `</w:tr><w:tr><w:tc><w:tbl><w:tr>` + cell("", "inner") + `</w:tr></w:tbl>` + p(`<w:r><w:pict><v:textbox><w:txbxContent>`+p(r("box"))+`</w:txbxContent></v:textbox></w:pict></w:r>`) + `</w:tc></w:tr></w:tbl>` +
		`<w:tbl><w:tr>` + cell("", "second") + `</w:tr></w:tbl>`
	note := func(kind, s string) string { return `<w:footnote w:type="` + kind + `">` + p(r(s)) + `</w:footnote>` }
	doc := read(t, file(t, body(content),
		entry{"word/endnotes.xml", root("endnotes", `<w:endnote>`+p(r("endnote"))+`</w:endnote>`)},
		entry{"word/footnotes.xml", root("footnotes", note("separator", "-")+note("normal", "footnote"))},
		entry{"word/footer1.xml", root("ftr", p(r("footer")))}, entry{"word/header1.xml", root("hdr", p(r("header")))}))
	type seen struct {
		text string
		role layout.Role
		cell layout.Cell
	}
	want := []seen{
		{"body", "", layout.Cell{}}, {"wide", "", layout.Cell{Table: 1}}, {"b", "", layout.Cell{Table: 1, Column: 2}},
		{"inner", "", layout.Cell{Table: 2}}, {"", "", layout.Cell{Table: 1, Row: 1}}, {"box", layout.TextBox, layout.Cell{}}, {"second", "", layout.Cell{Table: 3}},
		{"header", layout.Header, layout.Cell{}}, {"footer", layout.Footer, layout.Cell{}}, {"footnote", layout.Note, layout.Cell{}}, {"endnote", layout.Note, layout.Cell{}},
	}
	var got []seen
	for _, b := range doc.Blocks {
		got = append(got, seen{doc.Quote(b.Span), b.Role, b.Cell})
	}
	if !slices.Equal(got, want) {
		t.Errorf("%+v\nwant\n%+v", got, want)
	}
}

func TestRefused(t *testing.T) {
	var names strings.Builder
	for i := range 10_001 {
		fmt.Fprintf(&names, "<a%d/>", i)
	}
	for name, main := range map[string]string{
		"mismatched tags":     strings.Replace(body(p(r("a"))), "</w:t></w:r>", "</w:r></w:t>", 1),
		"an unknown entity":   body(p(r("&nope;"))),
		"no end":              strings.TrimSuffix(body(p(r("a"))), "</w:document>"),
		"too much text":       body(p(r(strings.Repeat("0123456789abcdef", 1<<20+1<<19)))),
		"too many names":      body(names.String()),
		"too long paths":      body(strings.Repeat("<w:"+strings.Repeat("x", 1000)+">", 200) + "<w:p>" + strings.Repeat("<w:t>a</w:t>", 1000) + "</w:p>" + strings.Repeat("</w:"+strings.Repeat("x", 1000)+">", 200)),
		"too many paragraphs": body(strings.Repeat("<w:p/>", 300_001)),
	} {
		limits := docx.DefaultLimits()
		limits.Ratio *= 10
		b := file(t, main)
		pkg, err := docx.Open(bytes.NewReader(b), int64(len(b)), limits)
		if err != nil {
			t.Fatal(err)
		}
		_, err = docxtext.Read(t.Context(), pkg)
		if refusal := new(docx.Error); !errors.As(err, &refusal) || refusal.Reason == "" || refusal.Part != "word/document.xml" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestProperties(t *testing.T) {
	const core = prolog + `<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/">`
	settings := func(s string) entry { return entry{"word/settings.xml", root("settings", s)} }
	for name, test := range map[string]struct {
		parts                []entry
		title, created, guid string
	}{
		"none":         {nil, "", "0001-01-01T00:00:00Z", ""},
		"all":          {[]entry{{"docProps/core.xml", core + `<dc:title> The title </dc:title><dcterms:created>2024-05-06T07:08:09Z</dcterms:created></cp:coreProperties>`}, settings(`<w14:docId w14:val="0A"/><w15:docId w15:val="{1-2}"/>`)}, "The title", "2024-05-06T07:08:09Z", "{1-2}"},
		"a day":        {[]entry{{"docProps/core.xml", core + `<dcterms:created>2024-05-06</dcterms:created></cp:coreProperties>`}, settings(`<w14:docId w14:val="0A"/>`)}, "", "2024-05-06T00:00:00Z", ""},
		"a zone":       {[]entry{{"docProps/core.xml", core + `<dcterms:created>2024-05-06T01:00:00+02:00</dcterms:created></cp:coreProperties>`}}, "", "2024-05-05T23:00:00Z", ""},
		"no time":      {[]entry{{"docProps/core.xml", core + `<dcterms:created>yesterday</dcterms:created></cp:coreProperties>`}}, "", "0001-01-01T00:00:00Z", ""},
		"far too long": {[]entry{{"docProps/core.xml", core + `<dc:title>x` + strings.Repeat("é", 1<<20) + `</dc:title></cp:coreProperties>`}, settings(`<w15:docId w15:val="{` + strings.Repeat("1", 1<<20) + `}"/>`)}, "x" + strings.Repeat("é", 16<<10-1), "0001-01-01T00:00:00Z", ""},
		"damaged":      {[]entry{{"docProps/core.xml", core + `</dc:title></cp:coreProperties>`}, settings("<w:x></w:y>")}, "", "0001-01-01T00:00:00Z", ""},
		"no namespace": {[]entry{settings(`<docId val="{1-2}"/>`)}, "", "0001-01-01T00:00:00Z", ""},
	} {
		got, err := docxtext.ReadProperties(t.Context(), open(t, file(t, body(""), test.parts...)))
		if err != nil || got.Title != test.title || got.Created.Format("2006-01-02T15:04:05Z07:00") != test.created || got.GUID != test.guid {
			t.Errorf("%s: %.200v, %v", name, got, err)
		}
	}
}
