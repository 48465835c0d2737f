package docxtext_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/formats/docx/docxtext"
)

// level returns a w:lvl.
func level(i int, format, text, more string) string {
	return `<w:lvl w:ilvl="` + strconv.Itoa(i) + `"><w:start w:val="1"/><w:numFmt w:val="` + format + `"/>` + more + `<w:lvlText w:val="` + text + `"/></w:lvl>`
}

// numbered returns a paragraph at level i of a list.
func numbered(list, i int) string {
	return styled(`<w:numPr><w:ilvl w:val="`+strconv.Itoa(i)+`"/><w:numId w:val="`+strconv.Itoa(list)+`"/></w:numPr>`, "x")
}

func abstract(id int, content string) string {
	return `<w:abstractNum w:abstractNumId="` + strconv.Itoa(id) + `">` + content + `</w:abstractNum>`
}

func num(id, of int, content string) string {
	return `<w:num w:numId="` + strconv.Itoa(id) + `"><w:abstractNumId w:val="` + strconv.Itoa(of) + `"/>` + content + `</w:num>`
}

func TestLabels(t *testing.T) {
	start := func(i, n string) string {
		return `<w:lvlOverride w:ilvl="` + i + `"><w:startOverride w:val="` + n + `"/></w:lvlOverride>`
	}
	three := abstract(1, level(0, "decimal", "%1.", "")+level(1, "lowerLetter", "(%2)", "")+level(2, "lowerRoman", "%1.%2.%3", ""))
	many := func(n int, p string) (s string) {
		for range n {
			s += p
		}
		return s
	}
	for name, test := range map[string]struct {
		lists, content string
		want           []string
	}{
		"levels":              {three + num(1, 1, ""), numbered(1, 0) + numbered(1, 1) + numbered(1, 1) + numbered(1, 2) + numbered(1, 0) + numbered(1, 1), []string{"1.", "(a)", "(b)", "1.b.i", "2.", "(a)"}},
		"a lower level first": {three + num(1, 1, ""), numbered(1, 1) + numbered(1, 0), []string{"(a)", "1."}},
		"none":                {three + num(1, 1, ""), numbered(0, 0) + numbered(7, 0) + numbered(1, 8), []string{"", "", ""}},
		"shared":              {three + num(1, 1, "") + num(2, 1, ""), numbered(1, 0) + numbered(2, 0), []string{"1.", "2."}},
		"start override":      {three + num(1, 1, "") + num(2, 1, start("0", "5")), numbered(1, 0) + numbered(2, 0) + numbered(2, 0) + numbered(1, 0), []string{"1.", "5.", "6.", "7."}},
		"level override":      {three + num(1, 1, `<w:lvlOverride w:ilvl="0">`+level(0, "upperRoman", "Article %1", "")+`</w:lvlOverride>`), numbered(1, 0), []string{"Article I"}},
		"never restarts":      {abstract(1, level(0, "decimal", "%1", "")+level(1, "decimal", "%2", `<w:lvlRestart w:val="0"/>`)) + num(1, 1, ""), numbered(1, 0) + numbered(1, 1) + numbered(1, 0) + numbered(1, 1), []string{"1", "1", "2", "2"}},
		"restarts after":      {abstract(1, level(0, "decimal", "%1", "")+level(1, "decimal", "%2", "")+level(2, "decimal", "%3", `<w:lvlRestart w:val="1"/>`)) + num(1, 1, ""), numbered(1, 0) + numbered(1, 2) + numbered(1, 1) + numbered(1, 2) + numbered(1, 0) + numbered(1, 2), []string{"1", "1", "1", "2", "2", "1"}},
		"legal":               {abstract(1, level(0, "upperRoman", "%1", "")+level(1, "decimal", "%1.%2", `<w:isLgl/>`)) + num(1, 1, ""), numbered(1, 0) + numbered(1, 1), []string{"I", "1.1"}},
		"bullets":             {abstract(1, level(0, "bullet", "\uF0B7", "")+level(1, "bullet", "–", "")) + num(1, 1, ""), numbered(1, 0) + numbered(1, 1), []string{"•", "–"}},
		"no number":           {abstract(1, level(0, "none", "Recitals", "")+level(1, "none", "%2", "")) + num(1, 1, ""), numbered(1, 0) + numbered(1, 1), []string{"Recitals", ""}},
		"formats":             {abstract(1, level(0, "decimalZero", "%1", "")+level(1, "ordinal", "%2", "")+level(2, "upperLetter", "%3", "")+level(3, "upperRoman", "%4", "")) + num(1, 1, ""), numbered(1, 0) + numbered(1, 1) + many(28, numbered(1, 2)) + many(4, numbered(1, 3)), nil},
		"a percent sign":      {abstract(1, level(0, "decimal", "100% of %1", "")) + num(1, 1, ""), numbered(1, 0), []string{"100% of 1"}},
		"a style":             {three + num(1, 1, ""), styled(`<w:pStyle w:val="H2"/>`, "x") + styled(`<w:pStyle w:val="H1"/>`, "x") + styled(`<w:pStyle w:val="H1"/><w:numPr><w:numId w:val="0"/></w:numPr>`, "x"), []string{"(a)", "1.", ""}},
		"level of a style":    {abstract(1, level(0, "decimal", "%1.", "")+level(1, "decimal", "%1.%2", `<w:pStyle w:val="L2"/>`)) + num(1, 1, ""), styled(`<w:pStyle w:val="L2"/>`, "x") + styled(`<w:pStyle w:val="L2own"/>`, "x"), []string{"1.1", "1.2"}},
		"a list style":        {three + abstract(2, `<w:numStyleLink w:val="List"/>`) + num(1, 1, "") + num(2, 2, ""), numbered(2, 0), []string{"1."}},
		"a changed mark":      {three + num(1, 1, ""), styled(`<w:pPrChange><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:pPrChange>`, "x"), []string{""}},
	} {
		t.Run(name, func(t *testing.T) {
			doc := read(t, file(t, body(test.content), entry{"word/numbering.xml", root("numbering", test.lists)}, entry{"word/styles.xml", root("styles", styles)}))
			var got []string
			for _, b := range doc.Blocks {
				got = append(got, b.Label)
			}
			if name == "formats" {
				got = []string{got[0], got[1], got[2], got[27], got[28], got[29], got[33]}
				test.want = []string{"01", "1st", "A", "Z", "AA", "BB", "IV"}
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}

// styles holds the styles of the tests.
const styles = `<w:style w:type="paragraph" w:default="1" w:styleId="N"><w:name w:val="Normal"/></w:style>` +
	`<w:style w:type="paragraph" w:styleId="H1"><w:name w:val="heading 1"/><w:basedOn w:val="N"/><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>` +
	`<w:style w:type="paragraph" w:styleId="H2"><w:name w:val="Heading 2"/><w:basedOn w:val="H1"/><w:pPr><w:numPr><w:ilvl w:val="1"/></w:numPr></w:pPr></w:style>` +
	`<w:style w:type="paragraph" w:styleId="Own"><w:name w:val="My clause"/><w:basedOn w:val="H2"/></w:style>` +
	`<w:style w:type="paragraph" w:styleId="Out"><w:name w:val="Outline"/><w:pPr><w:outlineLvl w:val="2"/></w:pPr></w:style>` +
	`<w:style w:type="paragraph" w:styleId="L2"><w:name w:val="Level 2"/><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>` +
	`<w:style w:type="paragraph" w:styleId="L2own"><w:name w:val="Level 2 own"/><w:basedOn w:val="L2"/></w:style>` +
	`<w:style w:type="paragraph" w:styleId="Round"><w:name w:val="Round"/><w:basedOn w:val="Round"/></w:style>` +
	`<w:style w:type="numbering" w:styleId="List"><w:name w:val="List"/><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>`

func TestHeadings(t *testing.T) {
	type seen struct {
		style   string
		heading int
	}
	of := func(id, more string) string { return styled(`<w:pStyle w:val="`+id+`"/>`+more, "x") }
	content := of("N", "") + p(r("x")) + of("H1", "") + of("H2", "") + of("Own", "") + of("Out", "") + of("Round", "") + of("Unknown", "") +
		of("H1", `<w:outlineLvl w:val="9"/>`) + of("N", `<w:outlineLvl w:val="0"/>`)
	want := []seen{{"", 0}, {"", 0}, {"heading 1", 1}, {"Heading 2", 2}, {"My clause", 2}, {"Outline", 3}, {"Round", 0}, {"", 0}, {"heading 1", 0}, {"", 1}}
	var got []seen
	for _, b := range read(t, file(t, body(content), entry{"word/styles.xml", root("styles", styles)})).Blocks {
		got = append(got, seen{b.Style, b.Heading})
	}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestLinkedLists resolves chains of w:numStyleLink, in whichever order the lists are
// visited.
func TestLinkedLists(t *testing.T) {
	lists := abstract(1, level(0, "decimal", "%1.", "")) + abstract(2, `<w:numStyleLink w:val="List"/>`) + abstract(3, `<w:numStyleLink w:val="Second"/>`) +
		abstract(4, `<w:numStyleLink w:val="Self"/>`+level(0, "decimal", "(%1)", "")) + num(1, 1, "") + num(2, 2, "") + num(4, 4, "")
	content, want := numbered(4, 0), []string{"(1)"}
	for i := range 30 {
		lists += num(100+i, 3, "")
		content += numbered(100+i, 0)
		want = append(want, strconv.Itoa(i+1)+".")
	}
	more := `<w:style w:type="numbering" w:styleId="Second"><w:pPr><w:numPr><w:numId w:val="2"/></w:numPr></w:pPr></w:style>` +
		`<w:style w:type="numbering" w:styleId="Self"><w:pPr><w:numPr><w:numId w:val="4"/></w:numPr></w:pPr></w:style>`
	doc := read(t, file(t, body(content), entry{"word/numbering.xml", root("numbering", lists)}, entry{"word/styles.xml", root("styles", styles+more)}))
	var got []string
	for _, b := range doc.Blocks {
		got = append(got, b.Label)
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestLongLabels checks that paragraph numbers are bounded, whatever their list defines.
func TestLongLabels(t *testing.T) {
	long := strings.Repeat("§", 100_000)
	lists := abstract(1, level(0, "bullet", long, "")+level(1, "decimal", "a"+long+"%2", "")+level(2, "decimal", strings.Repeat("%3 ", 1000), "")) + num(1, 1, "")
	doc := read(t, file(t, body(numbered(1, 0)+numbered(1, 1)+numbered(1, 2)), entry{"word/numbering.xml", root("numbering", lists)}))
	for i, want := range []string{strings.Repeat("§", 100), "a" + strings.Repeat("§", 99), strings.Repeat("1 ", 66) + "1"} {
		if got := doc.Blocks[i].Label; got != want {
			t.Errorf("%d bytes, %.20q, want %d", len(got), got, len(want))
		}
	}
}

// TestDamagedStyles reads a document whose styles and numbering are unreadable.
func TestDamagedStyles(t *testing.T) {
	pkg := open(t, file(t, body(numbered(1, 0)), entry{"word/styles.xml", "<a></b>"}, entry{"word/numbering.xml", "no XML"}))
	if doc, err := docxtext.Read(t.Context(), pkg); err != nil || doc.Text != "x\n" || doc.Blocks[0].Label != "" {
		t.Errorf("%+v, %v", doc, err)
	}
}
