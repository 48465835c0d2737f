package htmltext_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/unicode"

	"github.com/rectohq/recto/services/insight/internal/htmltext"
)

// TestHTML shows how pages are laid out as text.
func TestHTML(t *testing.T) {
	for _, test := range []struct{ name, html, want string }{
		{"nothing", "", ""},
		{"text alone", " a \n b\t c ", "a b c"},
		{"paragraphs", "<p>one\n<p>two</p> three", "one\n\ntwo\n\nthree"},
		{"blocks", "<div>one<div>two</div></div><section>three</section>", "one\ntwo\nthree"},
		{"headings", "<h1>Agreement</h1><h2>1. Term</h2><p>It ends.</p>", "Agreement\n\n1. Term\n\nIt ends."},
		{"words in tags", "a<b>b</b>c <i> d </i>e", "abc d e"},
		{"breaks", "one<br>two<br/>three<br><br><br>four<hr>five", "one\ntwo\nthree\n\nfour\n\nfive"},
		{"entities", "&lt;A&amp;B&gt; &#8364;5 &quot;x&quot; &sect;2 5&nbsp;days &unknown;", "<A&B> €5 \"x\" §2 5 days &unknown;"},
		{"soft hyphens and zero-width spaces", "indem\u00ADni\u200Bty&shy;&#8203;", "indemnity"},
		{"preformatted", "<pre>\n  one\n\n    two  three\r\nfour </pre>five", "  one\n\n    two  three\nfour\n\nfive"},
		{"many spaces in separate tags", "<pre>a" + strings.Repeat(" <b> </b>", 200) + "b</pre>", "a" + strings.Repeat(" ", 200) + "b"},
		{"title", "<head><title>An &amp;\n agreement</title></head><body>Text", "An & agreement\n\nText"},
		{"repeated title", "<title>Agreement</title><h1>AGREEMENT</h1>Text", "AGREEMENT\n\nText"},
		{"title alone", "<title>Agreement</title>", "Agreement"},
		{"formulas", "a <math><mi>x</mi><annotation/></math> b", "a x b"},
		{"other titles", "<title>A</title>x<svg><title>B</title></svg><title>C</title>y", "A\n\nxy"},

		{"elements that are not shown", "a<script>if (a<b) '</p>'</script><style>p{}</style><template>t</template><noscript>on</noscript><!-- c -->b", "ab"},
		{"more elements that are not shown", "a<select><option>1<option>2</select><iframe>i</iframe><svg><style/><text>s</text></svg><object>o</object>b", "ab"},
		{"hidden", "a<p hidden>b<p>c<div style='color:red; DISPLAY : None !important'>d<div>e</div></div>f", "a\n\nc\n\nf"},
		{"hidden in the flow", "a<span style='visibility:hidden'>b<b>c</b><br><span>d</span></span>e", "ae"},
		{"hidden cell", "<table><tr><td>a<td hidden>b<td>c</table>", "a\tc"},
		{"hidden item", "<ul><li>a<li hidden>b</ul>c", "• a\n\nc"},
		{"hidden until scripts run", "<body style='visibility:hidden'>a", "a"},
		{"dialog", "a<dialog>b</dialog><dialog open>c</dialog>", "a\nc"},
		{"unclosed hidden element", "<div><span hidden>a</div>b", "b"},

		{"list", "<ul><li>one<li>two</ul>", "• one\n• two"},
		{"numbers", "<ol><li>one<li>two<li value=9>nine<li>ten</ol>", "1. one\n2. two\n9. nine\n10. ten"},
		{"number styles", "<ol type=a start=26><li>x<li>y</ol><ol type=I start=4><li>x<li>y</ol>", "z. x\naa. y\n\nIV. x\nV. y"},
		{"numbers by style", "<ol style='list-style-type: lower-latin'><li>x</ol><ul style='list-style:none'><li>y</ul>", "a. x\n\ny"},
		{"numbers without a letter form", "<ol type=i start=4000><li>x</ol><ol type=A start=0 reversed><li>y<li>z</ol>", "4000. x\n\n0. y\n-1. z"},
		{"lists in lists", "<ol><li>one<ol type=a><li>x<li>y</ol><li>two</ol>", "1. one\na. x\nb. y\n2. two"},
		{"list at the beginning of an item", "<ol><li><ol type=a><li>x</ol></ol>", "1. a. x"},
		{"paragraphs in items", "<ol><li><p>one</p><p>more</p><li><p>two</p></ol>", "1. one\n\nmore\n\n2. two"},
		{"empty items", "<ol><li><li>two</ol>three", "2. two\n\nthree"},
		{"item without a list", "<li>one", "• one"},
		{"terms", "<dl><dt>Fee<dd>the price<dt>Term<dd>a year</dl>", "Fee\nthe price\nTerm\na year"},

		{"table", "<table><caption>Fees</caption><tr><th>Item<th>Fee<tr><td>A<td>$5</table>after", "Fees\nItem\tFee\nA\t$5\n\nafter"},
		{"table sections", "<table><thead><tr><td>a</td></tr></thead><tbody><tr><td>b</td></tr></tbody></table>", "a\nb"},
		{"paragraphs in cells", "<table><tr><td><p>Fee</p></td><td><p>$5</p><p>a\tday</p></td></tr></table>", "Fee\t$5 a day"},
		{"empty cells", "<table><tr><td></td><td>b</td><td></td></tr><tr><td></td></tr></table>c", "\tb\n\nc"},
		{"no rows", "<table><td>a<td>b</table>", "a\tb"},
		{"no table", "<tr><td>a<td>b", "a\nb"},
		{"table in a table", "<table><tr><td>a<table><tr><td>b<td>c</table><td>d</table>", "a b c\td"},
		{"layout", "<table><tr><td></td><td><p>one</p><table><tr><td>a<td>b</table><p>two</p></td></tr></table>", "one\n\na\tb\n\ntwo"},
		{"paragraph around a cell", "<p>a<table><tr><td>b</p>c</table>", "a\n\nbc"},

		{"stray end tags", "</p>a</td></div></x>b", "ab"},
		{"unclosed elements", "<div><p>a <b>b", "a b"},
		{"broken tags", "a<p class='x>b</p>", "a"},
		{"not a tag", "1 < 2 & 3 > 2", "1 < 2 & 3 > 2"},
	} {
		got, err := htmltext.Text(strings.NewReader(test.html), "text/html; charset=utf-8")
		if err != nil || got != test.want {
			t.Errorf("%s: got %q, %v, want %q", test.name, got, err, test.want)
		}
	}
}

// TestLongCells shows that a table used for page layout is not written as rows.
func TestLongCells(t *testing.T) {
	long := strings.Repeat("word ", 300)
	html := "<table><tr><td>menu<td><p>" + long + "</p><p>more</p></table>"
	want := "menu\n\n" + strings.TrimSpace(long) + "\n\nmore"
	if got, err := htmltext.Text(strings.NewReader(html), "text/html"); err != nil || got != want {
		t.Errorf("got %q, %v", got, err)
	}
}

// TestTablesInTables shows that tables nested too deeply are read as blocks.
func TestTablesInTables(t *testing.T) {
	for depth, want := range map[int]string{1: "x\ty", 16: "x\n\nx\ty", 17: "x\n\nx\ny"} {
		got, err := htmltext.Text(strings.NewReader(strings.Repeat("<table><tr><td>x", depth)+"<td>y"), "text/html")
		if err != nil || !strings.HasSuffix(got, want) {
			t.Errorf("%d deep: got %q, %v, want %q at its end", depth, got, err, want)
		}
	}
}

func TestXHTML(t *testing.T) {
	const content = `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title/><script src="x"/></head><body>a<div hidden="hidden"/>b</body></html>`
	if got, err := htmltext.Text(strings.NewReader(content), "application/xhtml+xml"); err != nil || got != "ab" {
		t.Errorf("got %q, %v, want %q", got, err, "ab")
	}
}

// TestKinds shows that the content type distinguishes pages from text, or the content itself
// if there is no useful type.
func TestKinds(t *testing.T) {
	for contentType, tags := range map[string]bool{
		"text/html": false, "TEXT/HTML ; charset": false, "application/xhtml+xml": false, "": false, "application/octet-stream": false,
		"text/plain": true, "text/markdown; charset=utf-8": true,
	} {
		got, err := htmltext.Text(strings.NewReader("<!DOCTYPE html><p>a"), contentType)
		if err != nil || strings.Contains(got, "<p>") != tags {
			t.Errorf("%q: got %q, %v", contentType, got, err)
		}
	}
	if got, err := htmltext.Text(strings.NewReader("a < b\r\nc\rd\x00"), ""); err != nil || got != "a < b\nc\nd" {
		t.Errorf("text of no type: got %q, %v", got, err)
	}
}

// encoded returns text in an encoding.
func encoded(t *testing.T, e encoding.Encoding, text string) string {
	t.Helper()
	s, err := e.NewEncoder().String(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestEncodings(t *testing.T) {
	const text = "Gebühr: 5 € – “fällig”"
	utf16 := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)
	far := strings.Repeat("a", 2000)
	for _, test := range []struct{ name, content, contentType, want string }{
		{"header", encoded(t, charmap.ISO8859_15, "5 €"), "text/html; charset=ISO-8859-15", "5 €"},
		{"tag", `<meta charset="shift_jis">` + encoded(t, japanese.ShiftJIS, "契約"), "text/html", "契約"},
		{"old tag", `<meta http-equiv=Content-Type content="text/html; charset=windows-1251">` + encoded(t, charmap.Windows1251, "Договор"), "text/html", "Договор"},
		{"header over tag", `<meta charset=utf-8>` + encoded(t, charmap.Windows1251, "Договор"), "text/html; charset=windows-1251", "Договор"},
		{"mark over header", "\uFEFF" + text, "text/html; charset=iso-8859-1", text},
		{"UTF-16 by its mark", encoded(t, utf16, text), "text/html", text},
		{"UTF-16 text by its mark", encoded(t, utf16, text), "text/plain", text},
		{"undeclared UTF-8", text, "text/html", text},
		{"undeclared UTF-8, far from the beginning", far + text, "text/html", far + text},
		{"undeclared Windows-1252", encoded(t, charmap.Windows1252, text), "text/html", text},
		{"unknown encoding", text, "text/html; charset=klingon", text},
		{"text", text, "text/plain", text},
		{"old text", encoded(t, charmap.Windows1252, text), "text/plain", text},
		{"text about tags", "<meta charset=shift_jis> " + text, "text/plain", "<meta charset=shift_jis> " + text},
		{"broken UTF-8", "a\xFFb", "text/html; charset=utf-8", "a\uFFFDb"},
	} {
		got, err := htmltext.Text(strings.NewReader(test.content), test.contentType)
		if err != nil || got != test.want {
			t.Errorf("%s: got %q, %v, want %q", test.name, got, err, test.want)
		}
	}
}

// TestBounds shows which pages exceed a limit.
func TestBounds(t *testing.T) {
	for name, test := range map[string]struct {
		html string
		want error
	}{
		"deep":            {strings.Repeat("<div>", 513), htmltext.ErrTooDeep},
		"deep and hidden": {"<div hidden>" + strings.Repeat("<b>", 513), htmltext.ErrTooDeep},
		"not too deep":    {strings.Repeat("<div>", 512) + "a", nil},
		"side by side":    {strings.Repeat("<b><i>", 100_000) + strings.Repeat("<p>a", 100_000), nil},
		"tables":          {strings.Repeat("<table><tr><td>", 100) + "a", nil},
		"options":         {"<select>" + strings.Repeat("<option>a", 2000), nil},
		"groups":          {"<select>" + strings.Repeat("<optgroup><option>a<option>b", 2000), nil},
		"bodies":          {"<table>" + strings.Repeat("<tbody><tr><td>a", 2000), nil},
		"attributes":      {"<p" + distinct(1000) + ">a", nil},
		"more attributes": {"<p" + distinct(1001) + "/>a", htmltext.ErrTooLong},
		"a large image":   {"<img src='" + strings.Repeat("x", 4_000_000) + "'>a", nil},
		"a larger one":    {"<img src='" + strings.Repeat("x", 5_000_000) + "'>a", htmltext.ErrTooLong},
		"no tags":         {strings.Repeat("a", 5_000_000) + "<p>", htmltext.ErrTooLong},
	} {
		if _, err := htmltext.Text(strings.NewReader(test.html), "text/html"); !errors.Is(err, test.want) {
			t.Errorf("%s: got %v, want %v", name, err, test.want)
		}
	}
	if _, err := htmltext.Text(io.LimitReader(endless{}, 1<<30), "text/html"); !errors.Is(err, htmltext.ErrTooLarge) {
		t.Errorf("got %v, want %v", err, htmltext.ErrTooLarge)
	}
	broken := errors.New("broken")
	if _, err := htmltext.Text(iotest.ErrReader(broken), "text/html"); !errors.Is(err, broken) {
		t.Errorf("got %v, want %v", err, broken)
	}
}

// distinct returns n attributes with different names.
func distinct(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, " a%d", i)
	}
	return b.String()
}

// endless is a page without an end.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'a'
	}
	return len(p), nil
}

// TestManyTags reads large pages that consist of tags only. They would take hours and all
// memory if each tag were searched for among the open elements.
func TestManyTags(t *testing.T) {
	const size = 128 << 10
	deep := strings.Repeat("<section>", 200) + "<table><tr><td>" + strings.Repeat("<div>", 200)
	for _, unit := range []string{"<b>x", "</section>", " <b> ", "<li>x", "<p>x", "<td>x", "<tr>", "<br/>", "&#160;", "<x a a a a a a a a a a a a a a>", "<title>"} {
		for _, around := range []string{deep, deep + "<pre>"} {
			text, err := htmltext.Text(strings.NewReader(around+strings.Repeat(unit, size/len(unit))), "text/html")
			if err != nil || len(text) > 8*size {
				t.Errorf("%s: got %d bytes, %v", unit, len(text), err)
			}
		}
	}
}

// FuzzText reads arbitrary bytes as a page.
func FuzzText(f *testing.F) {
	for _, html := range []string{
		"<title>a</title><p>b<table><tr><td>c<td>d</table><ol type=i start=3><li>e<ul><li>f</ul></ol><pre>\n g\n</pre><div hidden>h</div>",
		"<table><td><table><tr><p>a</td></table></tr><caption>b<li>c", "<svg><title/><style/>a</svg><script><!--<script></script>-->b",
		"\xFF\xFE<\x00p\x00", "<meta charset=iso-2022-jp>\x1b$B", "<dl><dt hidden><dd><li><td><li></dl>",
	} {
		for _, contentType := range []string{"text/html", "application/xhtml+xml", "text/plain; charset=utf-16", ""} {
			f.Add([]byte(html), contentType)
		}
	}
	f.Fuzz(func(t *testing.T, content []byte, contentType string) {
		text, err := htmltext.Text(strings.NewReader(string(content)), contentType)
		if err != nil && !errors.Is(err, htmltext.ErrTooDeep) && !errors.Is(err, htmltext.ErrTooLong) {
			t.Fatal(err)
		}
		if !utf8.ValidString(text) || strings.ContainsAny(text, "\r\x00") {
			t.Errorf("got %q", text)
		}
		if len(text) > 16*len(content) {
			t.Errorf("%d bytes became %d", len(content), len(text))
		}
		again, err := htmltext.Text(strings.NewReader(string(content)), contentType)
		if err == nil && again != text {
			t.Errorf("got %q and then %q", text, again)
		}
	})
}
