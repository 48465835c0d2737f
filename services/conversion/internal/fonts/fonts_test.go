package fonts_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/formats/filetype"
	"github.com/rectohq/recto/services/conversion/internal/fonts"
)

// container returns a ZIP container of the parts.
func container(t testing.TB, parts map[string]string) string {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		w, err := z.Create(name)
		if err == nil {
			_, err = io.WriteString(w, parts[name])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func named(t testing.TB, document string, kind filetype.Type) string {
	t.Helper()
	list, err := fonts.Named(strings.NewReader(document), int64(len(document)), kind)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(list, "|")
}

const themeXML = `<a:theme><a:fontScheme><a:majorFont><a:latin typeface="Head"/><a:ea typeface=""/><a:cs typeface="HeadCS"/></a:majorFont>` +
	`<a:minorFont><a:latin typeface="Body"/><a:ea typeface="BodyEA"/><a:font script="Jpan" typeface="Japanese"/></a:minorFont></a:fontScheme>` +
	`<a:fmtScheme><a:latin typeface="Format"/></a:fmtScheme></a:theme>`

// TestNamedOffice finds the fonts of Office Open XML, and none of those that it only lists.
func TestNamedOffice(t *testing.T) {
	for _, test := range []struct {
		name, want string
		kind       filetype.Type
		parts      map[string]string
	}{
		{"text", "A|B|C|D & E|F|G|H|Head|HeadCS|Wingdings", filetype.DOCX, map[string]string{
			"word/document.xml": `<w:document><w:rFonts w:ascii="A" w:hAnsi='B' w:cs="C" w:eastAsia="D &amp; E"/><w:sym w:font="Wingdings" w:char="F0FC"/>` +
				`<!-- <w:rFonts w:ascii="Commented"/> it's --><w:t>&lt;w:rFonts w:ascii="Text"/></w:t></w:document>`,
			"word/styles.xml":    `<w:rFonts w:asciiTheme="majorHAnsi" w:ascii="Shadowed" w:cstheme="majorBidi" w:eastAsiaTheme="majorEastAsia" w:hAnsi="F"/>`,
			"word/numbering.xml": `<w:rFonts w:ascii="G" w:hint="default"/>`, "word/header1.xml": "<w:rFonts\n\tw:ascii=\"H\" />",
			"word/theme/theme1.xml": themeXML, "word/fontTable.xml": `<w:font w:name="Listed"/><w:rFonts w:ascii="Listed"/>`,
			"word/glossary/styles.xml": `<w:rFonts w:ascii="Glossary"/>`, "docProps/app.xml": `<w:rFonts w:ascii="Properties"/>`,
		}},
		{"other names of parts", "A|Body", filetype.DOTM, map[string]string{
			"/WORD/Document2.XML": `<x:rFonts x:ascii="A" x:hAnsiTheme="minorHAnsi"/>`, "Word/Theme/Theme1.xml": themeXML}},
		{"no theme", "A", filetype.DOCX, map[string]string{"word/document.xml": `<w:rFonts w:ascii="A" w:hAnsiTheme="minorHAnsi" w:cstheme="strange"/>`}},
		{"slides", "Body|Bullet|HeadCS|Title", filetype.PPTX, map[string]string{
			"ppt/slides/slide1.xml":                       `<a:latin typeface="Title"/><a:buFont typeface="Bullet"/><a:cs typeface="+mj-cs"/>`,
			"ppt/slideMasters/slideMaster1.xml":           `<a:latin typeface="+mn-lt"/>`,
			"ppt/slideMasters/_rels/slideMaster1.xml.rel": ``, "ppt/slideMasters/_rels/slideMaster1.xml.rels": `<Relationship Target="../theme/theme2.xml"/>`,
			"ppt/theme/theme2.xml": themeXML, "ppt/theme/theme1.xml": strings.ReplaceAll(themeXML, "Body", "Notes"),
			"ppt/notesMasters/notesMaster1.xml": `<a:latin typeface="Notes"/>`,
		}},
		{"sheet", "Cell|Drawn|Rich", filetype.XLSX, map[string]string{
			"xl/styles.xml":        `<fonts><font><sz val="11"/><name val="Cell"/></font></fonts><cellStyle name="Normal"/>`,
			"xl/sharedStrings.xml": `<r><rPr><rFont val="Rich"/></rPr></r>`, "xl/drawings/drawing1.xml": `<a:latin typeface="Drawn"/>`,
		}},
	} {
		if got := named(t, container(t, test.parts), test.kind); got != test.want {
			t.Errorf("%s: got %s, want %s", test.name, got, test.want)
		}
	}
}

// TestNamedOpenDocument finds fonts by their declarations.
func TestNamedOpenDocument(t *testing.T) {
	document := container(t, map[string]string{
		"content.xml": `<style:font-face style:name="F1" svg:font-family="'Liberation Serif', serif"/><style:font-face style:name="F2" svg:font-family="Unused"/>` +
			`<style:text-properties style:font-name="F1" style:font-name-asian="Undeclared" fo:font-family="&apos;Direct&apos;"/>`,
		"styles.xml":           `<style:font-face style:name="F3" svg:font-family="Complex"/><style:text-properties style:font-name-complex="F3"/>`,
		"Object 1/content.xml": `<style:text-properties fo:font-family="Chart" style:font-family-asian="sans-serif"/>`,
		"settings.xml":         `<x fo:font-family="Setting"/>`,
	})
	if got, want := named(t, document, filetype.ODP), "Chart|Complex|Direct|Liberation Serif|Undeclared"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestNamedRTF finds the fonts of the table that are used.
func TestNamedRTF(t *testing.T) {
	for document, want := range map[string]string{
		`{\rtf1\ansi\deff0{\fonttbl{\f0\froman\fcharset0{\*\panose 02020603050405020304}Times New Roman;}{\f1\fswiss Arial{\*\falt Other};}{\f2 Unused;}}\f1 text}`: "Arial|Times New Roman",
		`{\rtf1{\fonttbl\f0\fswiss\fcharset0 Helvetica;\f1\fmodern Courier;}\f0\f1 x}`:                                                                              "Courier|Helvetica",
		`{\rtf1{\fonttbl{\f0 S\u246\'f6ne;}{\f1\fcharset129 \'b1\'bc;}{\f2 M\'fcller}}\f0\f1\f2}`:                                                                   "Müller|Söne",
		`{\rtf1{\fonttbl{\f0 A;}}{\stylesheet{\s0\af0 x;}}\bin7 \f1}}}} {\fonttbl{\f1 B;}}\f1}`:                                                                     "A|B",
		`{\rtf1{\fonttbl{\f-3 Neg;}}\f-3`: "Neg", `}}}\fonttbl{{{`: "", `{\rtf1{\fonttbl{\f0 cut`: "",
	} {
		if got := named(t, document, filetype.RTF); got != want {
			t.Errorf("%s: got %s, want %s", document, got, want)
		}
	}
}

// TestNamedHTML finds the first font of each list.
func TestNamedHTML(t *testing.T) {
	for document, want := range map[string]string{
		`<p style="color:red; FONT-FAMILY : 'Open Sans', Arial">`:                                  "Open Sans",
		`<p style="font-family:&quot;Segoe UI&quot;,sans-serif !important">`:                       "Segoe UI",
		`<font face="Verdana,Arial" size=2><FONT FACE=Tahoma>a < b</font>`:                         "Tahoma|Verdana",
		`<style><!-- p {font-family:Calibri} h1{font: bold 12pt/1.5 "Cambria", serif} --></style>`: "Calibri|Cambria",
		`<script>if (a<b) x='<font face="Script">';</script><p style='font:small Large'>`:          "",
		`<svg><text font-family="Lato" style="font-size:2">x</text></svg>`:                         "Lato",
		`<p style="font-family:inherit"><p style="font-family:sans-serif, Arial">`:                 "",
	} {
		if got := named(t, document, filetype.HTML); got != want {
			t.Errorf("%s: got %s, want %s", document, got, want)
		}
	}
}

// TestNamedBounds checks that names are few, short and printable, whatever a document holds.
func TestNamedBounds(t *testing.T) {
	var many strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&many, `<font face="Font %d">`, i)
	}
	if got := strings.Count(named(t, many.String(), filetype.HTML), "|"); got != 199 {
		t.Errorf("got %d names", got+1)
	}
	huge := `<img src="data:` + strings.Repeat("x", 1<<20) + `"><font face="@After"><font face="after">`
	if got := named(t, huge, filetype.HTML); got != "After" {
		t.Errorf("got %s", got)
	}
	for _, name := range []string{strings.Repeat("a", 101), "a\u0007b", "a\xffb", "", " ", "@", "'", "+mn-lt", "a\u202eb"} {
		if got := named(t, `<font face="`+name+`">`, filetype.HTML); got != "" {
			t.Errorf("%q: got %q", name, got)
		}
	}
	bomb := map[string]string{"word/a.xml": `<w:rFonts w:ascii="A"/>`, "word/b.xml": strings.Repeat(" ", 70<<20) + `<w:rFonts w:ascii="Far"/>`}
	if got := named(t, container(t, bomb), filetype.DOCX); got != "A" {
		t.Errorf("got %s", got)
	}
}

// TestNamedSlowCSS reads a text whose colons are far from the properties.
// Searching for each of them would take time in proportion to the square of its length.
func TestNamedSlowCSS(t *testing.T) {
	style := "<style>" + strings.Repeat("font ", 50_000) + ":x;font-family:Last</style>"
	if got := named(t, strings.Repeat(style, 40), filetype.HTML); got != "Last" {
		t.Errorf("got %s", got)
	}
}

// TestNamedDamaged yields what is readable, and no error.
func TestNamedDamaged(t *testing.T) {
	document := container(t, map[string]string{"word/document.xml": `<w:rFonts w:ascii="A"/><w:rFonts w:ascii="B`, "word/styles.xml": "\x00<<<"})
	if got := named(t, document, filetype.DOCX); got != "A" {
		t.Errorf("got %s", got)
	}
	for _, kind := range []filetype.Type{filetype.DOCX, filetype.ODT, filetype.PNG, filetype.DOC} {
		if got := named(t, document[:len(document)/2], kind); got != "" {
			t.Errorf("%s: got %s", kind, got)
		}
	}
}

var errBroken = errors.New("broken disk")

type broken struct{}

func (broken) ReadAt([]byte, int64) (int, error) { return 0, errBroken }

// TestReadErrors are not taken for damage of the file.
func TestReadErrors(t *testing.T) {
	for _, kind := range []filetype.Type{filetype.DOCX, filetype.ODT, filetype.RTF, filetype.HTML} {
		if _, err := fonts.Named(broken{}, 1000, kind); !errors.Is(err, errBroken) {
			t.Errorf("%s: got %v", kind, err)
		}
	}
	if _, err := fonts.Embedded(broken{}, 1000); !errors.Is(err, errBroken) {
		t.Errorf("got %v", err)
	}
}
