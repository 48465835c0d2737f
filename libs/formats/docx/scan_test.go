package docx

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
)

// smallLimits are low enough for a fuzzer to reach.
func smallLimits() Limits {
	return Limits{
		Entries: 20, DirectoryBytes: 4 << 10, PartBytes: 64 << 10, TotalBytes: 256 << 10, XMLBytes: 32 << 10, IndexBytes: 8 << 10,
		Ratio: 50, RatioFrom: 1 << 10, Depth: 5, Attributes: 3, NameBytes: 20,
	}
}

// scanBlocks scans a text in blocks of the given size.
func scanBlocks(text []byte, size int) error {
	s := scanner{limits: smallLimits()}
	for len(text) > 0 {
		n := min(size, len(text))
		if err := s.scan(text[:n]); err != nil {
			return err
		}
		text = text[n:]
	}
	return s.end()
}

// scanCases returns texts and their flaws; "" means none.
func scanCases() map[string]flaw {
	deep := strings.Repeat("<a>", 5) + strings.Repeat("</a>", 5)
	long := strings.Repeat("n", 20)
	return map[string]flaw{
		"<a/>": "", "<a></a>": "", "<a>text</a>\r\n\t ": "", " <a/>": "", "<a><b/><b></b></a>": "", deep: "",
		"<?xml version='1.0'?><a/>": "", "<?xml?><a/>": "", "<?x?><a/><?y z?>": "", "<?xml-model ??><a/>": "", "<a><?mso-x a='>'?></a>": "", " <?xmls?><a/>": "",
		"<!-- <!DOCTYPE a> --><a/><!-->--><!---->": "", "<a><!-- - -- > --></a>": "", "<a><![CDATA[<!DOCTYPE a></b>]]></a>": "", "<a><![CDATA[]]]]]></a>": "", "<a><![CDATA[]>]] >]]></a>": "",
		`<a b="1" c='2' d = "3"/>`: "", "<a\nb=\n'>'\n></a\n>": "", `<a b="/>" c='">'>"</a>`: "", `<a b="1"c="2"/>`: "", "<ä:ö é='ü'>€</ä:ö>": "", "<_a-1.b/>": "",
		"<" + long + "/>": "", "<" + long + " " + long + "='1'></" + long + ">": "", `<a b="1" c="2" d="3"/>`: "", "<a>]]></a>": "", "<a>&amp;&#10;</a>": "",

		"<!DOCTYPE a><a/>": flawDoctype, "<!doctype a><a/>": flawDoctype, "<a><!DOCTYPE b></a>": flawDoctype, "<!DOCTYPE": flawDoctype,
		"<!ENTITY a 'b'>": flawEntity, "<a/><!ENTITY": flawEntity, "<!ELEMENT a>": flawMarkup, "<!>": flawMarkup, "<!-x": flawMarkup, "<a><![cdata[]]></a>": flawMarkup, "<a><![CDAT [": flawMarkup,
		"": flawEmpty, " ": flawEmpty, "<?xml?>": flawEmpty, "<!---->": flawEmpty, "x": flawOutside, "<a/>x": flawOutside, "<a/>\x00": flawOutside, "&a;<a/>": flawOutside,
		"<![CDATA[]]><a/>": flawOutside, "<a/><b/>": flawSecond, "<a></a><a>": flawSecond, "</a>": flawEndTag, "<a/></a>": flawEndTag, "<a></a></a>": flawEndTag,
		"<a>": flawUnclosed, "<a><b></b>": flawUnclosed, "<a>text": flawUnclosed,
		"<": flawCut, "<a": flawCut, "<a ": flawCut, "<a b": flawCut, "<a b=": flawCut, "<a b='": flawCut, "<a b='c'": flawCut, "<a/": flawCut, "<a></": flawCut, "<a></a": flawCut, "<a></a ": flawCut,
		"<a b ": flawCut, "<a b= ": flawCut, "<!": flawCut, "<!-": flawCut, "<!--": flawCut, "<!-- --": flawCut, "<!-->": flawCut, "<!--->": flawCut, "<a><![CDATA[]]": flawCut, "<a><![": flawCut, "<?": flawCut, "<?x": flawCut, "<?x ?": flawCut, "<!DOCTY": flawCut,
		"<1/>": flawMarkup, "< a/>": flawMarkup, "<a></>": flawMarkup, "<a></ a>": flawMarkup, "<a></a b>": flawMarkup, "<a /b>": flawMarkup, "<a b>": flawMarkup, "<a b c='1'>": flawMarkup, "<a b=c>": flawMarkup,
		"<a b='<'/>": flawMarkup, `<a b="<"/>`: flawMarkup, "<a ='1'/>": flawMarkup, `<a"b"/>`: flawMarkup, "<a <b/>": flawMarkup, "<??>": flawMarkup, "<? x?>": flawMarkup, "<a></a/>": flawMarkup, "<a></1>": flawMarkup, "<a></-": flawMarkup,
		" <?xml?><a/>": flawLateStart, "<a/><?XML version='1.0'?>": flawLateStart, "<a><?xml?></a>": flawLateStart,
		"<a>\xff</a>": flawUTF8, "<a>\xc3</a>": flawUTF8, "<a>\xe2\x82": flawUTF8, "<a>\xed\xa0\x80</a>": flawUTF8, "<a>\xf0\x82\x82\xac</a>": flawUTF8, "<a>\x80</a>": flawUTF8, "<a/>\xc3": flawUTF8,
		"<a><a>" + deep: "nests elements more than 5 deep", strings.Repeat("<a>", 6): "nests elements more than 5 deep", strings.Repeat("<a>", 5) + "<a/>": "nests elements more than 5 deep",
		"<a b='' c='' d='' e=''/>": "has an element with more than 3 attributes", `<a b="" c="" d="" e=""/>`: "has an element with more than 3 attributes",
		"<" + long + "n": "has a name of more than 20 bytes", "<a></" + long + "n>": "has a name of more than 20 bytes", "<a " + long + `n="1"/>`: "has a name of more than 20 bytes",
		"<a " + long + "n='1'/>": "has a name of more than 20 bytes", "<?" + long + "n?>": "has a name of more than 20 bytes",
	}
}

// TestScan scans every text whole and cut into blocks of each size.
func TestScan(t *testing.T) {
	for text, want := range scanCases() {
		for size := 1; size <= max(1, len(text)); size++ {
			err := scanBlocks([]byte(text), size)
			if got := flawOf(err); got != want && (want != flawUTF8 && got != flawUTF8 || err == nil) {
				t.Fatalf("%q in blocks of %d: %v, want %q", text, size, err, want)
			}
		}
	}
}

// flawOf returns err as a flaw, or "" if it is nil.
func flawOf(err error) flaw {
	var f flaw
	errors.As(err, &f)
	return f
}

func TestDeclarations(t *testing.T) {
	for text, want := range map[string]flaw{
		"<a/>": "", "<?xml-x encoding='x'?><a/>": "", "<?xml version='1.0'?><a/>": "", `<?xml version="1.0" encoding="UTF-8"?><a/>`: "", "<?xml\tencoding\n=\n'utf-8' ?><a/>": "",
		"<?xml version=\"encoding='x'\"?><a/>": "", "<?xml ?><a/>": "", "": "",
		"<?xml version='1.0' encoding='ISO-8859-1'?>": `declares the encoding "ISO-8859-1", but must be UTF-8 or UTF-16 and declare it correctly`,
		"<?xml encoding='UTF-16'?>":                   `declares the encoding "UTF-16", but must be UTF-8 or UTF-16 and declare it correctly`,
		"<?xml encoding='UTF-7'?>":                    `declares the encoding "UTF-7", but must be UTF-8 or UTF-16 and declare it correctly`,
		"\xEF\xBB\xBF<?xml encoding='UTF-32'?>":       `declares the encoding "UTF-32", but must be UTF-8 or UTF-16 and declare it correctly`,
		"\xFF\xFE<\x00a\x00/\x00>\x00":                "",
		"<\x00a\x00/\x00>\x00":                        `declares the encoding "", but must be UTF-8 or UTF-16 and declare it correctly`,
		"\x00<\x00a\x00/\x00>":                        `declares the encoding "", but must be UTF-8 or UTF-16 and declare it correctly`,
		"<?xml encoding=":                             "has an XML declaration without an end", "<?xml " + strings.Repeat(" ", maxDeclaration) + "?>": "has an XML declaration without an end",
		"<?xml encoding?>": "has an XML declaration that is not well-formed", "<?xml encoding=x?>": "has an XML declaration that is not well-formed", "<?xml encoding=?>": "has an XML declaration that is not well-formed",
		"<?xml encoding='x?>": "has an XML declaration that is not well-formed", "<?xml ='x'?>": "has an XML declaration that is not well-formed",
	} {
		if _, err := utf8Reader(strings.NewReader(text)); flawOf(err) != want || (err == nil) != (want == "") {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// FuzzScan checks that the result does not depend on how the text is cut into blocks, and
// that a parser meets nothing forbidden in a text without a flaw.
func FuzzScan(f *testing.F) {
	for text := range scanCases() {
		f.Add([]byte(text), uint8(3))
	}
	f.Fuzz(func(t *testing.T, text []byte, size uint8) {
		whole := scanBlocks(text, len(text)+1)
		for _, n := range []int{1, 1 + int(size)} {
			if err := scanBlocks(text, n); (err == nil) != (whole == nil) {
				t.Fatalf("in blocks of %d: %v, as a whole: %v", n, err, whole)
			}
		}
		if whole == nil {
			parse(t, text)
		}
	})
}

// parse checks the tokens that a parser finds in a text without a flaw against the
// limits.
func parse(t *testing.T, text []byte) {
	limits, depth := smallLimits(), 0
	d := xml.NewDecoder(bytes.NewReader(text))
	d.CharsetReader = func(_ string, input io.Reader) (io.Reader, error) { return input, nil }
	for {
		token, err := d.RawToken()
		if err != nil {
			return // a parser may be stricter
		}
		switch token := token.(type) {
		case xml.Directive:
			t.Fatalf("%q has the directive %q", text, token)
		case xml.StartElement:
			if depth++; depth > limits.Depth || len(token.Attr) > limits.Attributes || len(token.Name.Local) > limits.NameBytes {
				t.Fatalf("%q has %v at depth %d", text, token, depth)
			}
		case xml.EndElement:
			depth--
		}
	}
}

// BenchmarkScan measures the scanner on text like Word's.
func BenchmarkScan(b *testing.B) {
	paragraph := `<w:p w:rsidR="00A12B3C" w:rsidRDefault="00A12B3C"><w:pPr><w:pStyle w:val="Normal"/></w:pPr><w:r><w:rPr><w:b/></w:rPr><w:t xml:space="preserve">This Agreement is made between the parties named below. </w:t></w:r></w:p>`
	text := []byte("<w:body>" + strings.Repeat(paragraph, 1<<12) + "</w:body>")
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		s := scanner{limits: DefaultLimits()}
		for rest := text; len(rest) > 0; rest = rest[min(textBuffer, len(rest)):] {
			if err := s.scan(rest[:min(textBuffer, len(rest))]); err != nil {
				b.Fatal(err)
			}
		}
	}
}
