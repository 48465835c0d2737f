package structure

import (
	"encoding/xml"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/libs/testkit/corpus"
	"github.com/rectohq/recto/services/insight/internal/structure/wording"
)

// contract is a contract with its human annotations.
type contract struct {
	Txt     string `json:"txt"`
	PDF     string `json:"pdf"`
	Clauses map[string][]struct {
		Text  string   `json:"text"`
		Spans [][2]int `json:"spans"`
	} `json:"clauses"`
}

// contracts returns the annotated contracts of the corpus.
func contracts(t *testing.T, dir string) []contract {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "contracts", "gold.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all []contract
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

func TestForeignContracts(t *testing.T) {
	dir := corpus.Folder(t)
	var sum tally
	for _, c := range contracts(t, dir) {
		text, err := os.ReadFile(filepath.Join(dir, "contracts", "txt", c.Txt))
		if err != nil {
			t.Fatal(err)
		}
		d := Read(&layout.Document{Text: string(text)})
		checkInvariants(t, c.Txt, d)
		sum.add(d)
		for _, law := range c.Clauses["Governing Law"] {
			for _, s := range law.Spans {
				sum.law(d, runeSpan(d.Text, s), len(law.Text) > 60)
			}
		}
	}
	sum.log(t)
}

// everyPDF is the sampling interval: only every everyPDF-th contract is read as PDF, because
// that takes long.
const everyPDF = 20

func TestForeignPDF(t *testing.T) {
	dir := corpus.Folder(t)
	var sum tally
	for i, c := range contracts(t, dir) {
		if c.PDF == "" || i%everyPDF != 0 {
			continue
		}
		d := Read(pdfLayout(t, filepath.Join(dir, "contracts", "pdf", c.PDF)))
		checkInvariants(t, c.PDF, d)
		sum.add(d)
		for _, law := range c.Clauses["Governing Law"] {
			if s, ok := findWords(d.Text, law.Text); ok {
				sum.law(d, s, len(law.Text) > 60)
			}
		}
	}
	sum.log(t)
}

// tally counts what was found.
type tally struct {
	files, paragraphs, sections, titled, sentences, definitions, tables, signatures, signed, exhibits int
	laws, lawsTitled, long, whole                                                                     int
	none                                                                                              int
}

func (n *tally) add(d *Document) {
	n.files++
	n.paragraphs += len(d.Paragraphs)
	n.sections += len(d.Sections)
	for _, s := range d.Sections {
		if s.Title != "" {
			n.titled++
		}
	}
	n.sentences += len(d.Sentences)
	n.definitions += len(d.Definitions)
	n.tables += len(d.Tables)
	n.signatures += len(d.Signatures)
	if len(d.Signatures) > 0 {
		n.signed++
	}
	n.exhibits += len(d.Exhibits)
	if len(d.Sections) < 3 {
		n.none++
	}
}

var lawTitle = regexp.MustCompile(`(?i)govern|applicable law|choice of law|miscellaneous|general|law|jurisdiction|arbitration|dispute|construction`)

// law counts a clause on the governing law: whether the title of an enclosing section says
// so, and whether the clause consists of whole sentences.
func (n *tally) law(d *Document, s layout.Span, long bool) {
	s = wording.Trimmed(d.Text, s)
	n.laws++
	for i := len(d.Sections) - 1; i >= 0; i-- {
		if d.Sections[i].Contains(s) && lawTitle.MatchString(d.Sections[i].Title) {
			n.lawsTitled++
			break
		}
	}
	if !long {
		return
	}
	n.long++
	starts, ends := false, false
	for _, x := range d.Sentences {
		starts = starts || x.Start == s.Start
		ends = ends || x.End == s.End
	}
	if starts && ends {
		n.whole++
	} else if os.Getenv("SHOW") != "" {
		println(starts, ends, strings.ReplaceAll(d.Text[max(0, s.Start-40):s.Start]+"<<"+d.Quote(s)+">>"+d.Text[s.End:min(len(d.Text), s.End+30)], "\n", "$"))
	}
}

func (n *tally) log(t *testing.T) {
	t.Logf("%d files: %d paragraphs, %d sections (%d with a title, %d files with less than 3), %d sentences, %d definitions, %d tables, %d signatures in %d files, %d exhibits",
		n.files, n.paragraphs, n.sections, n.titled, n.none, n.sentences, n.definitions, n.tables, n.signatures, n.signed, n.exhibits)
	t.Logf("governing law: %d of %d in a section of that title; %d of %d are whole sentences", n.lawsTitled, n.laws, n.whole, n.long)
}

// runeSpan converts a span of code points to one of bytes.
func runeSpan(text string, s [2]int) layout.Span {
	var out layout.Span
	n := 0
	for i := range text {
		if n == s[0] {
			out.Start = i
		}
		if n == s[1] {
			out.End = i
			return out
		}
		n++
	}
	out.End = len(text)
	return out
}

// findWords finds a quote, whatever its white space.
func findWords(text, quote string) (layout.Span, bool) {
	words := strings.Fields(quote)
	for i := range words {
		words[i] = regexp.QuoteMeta(words[i])
	}
	at := regexp.MustCompile(strings.Join(words, `\s+`)).FindStringIndex(text)
	if at == nil {
		return layout.Span{}, false
	}
	return layout.Span{Start: at[0], End: at[1]}, true
}

// pdfLayout reads the words of a PDF with pdftotext.
func pdfLayout(t *testing.T, file string) *layout.Document {
	t.Helper()
	out, err := exec.Command(corpus.Program(t, "pdftotext"), "-bbox-layout", file, "-").Output()
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	var doc struct {
		Pages []bboxPage `xml:"body>doc>page"`
	}
	dec := xml.NewDecoder(strings.NewReader(strings.Map(noControl, string(out))))
	dec.Strict = false
	dec.Entity = xml.HTMLEntity
	if err := dec.Decode(&doc); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return bboxDocument(doc.Pages)
}

type bboxPage struct {
	Width  float64    `xml:"width,attr"`
	Height float64    `xml:"height,attr"`
	Lines  []bboxLine `xml:"flow>block>line"`
}

type bboxLine struct {
	Top   float64    `xml:"yMin,attr"`
	Left  float64    `xml:"xMin,attr"`
	Words []bboxWord `xml:"word"`
}

type bboxWord struct {
	Left   float64 `xml:"xMin,attr"`
	Top    float64 `xml:"yMin,attr"`
	Right  float64 `xml:"xMax,attr"`
	Bottom float64 `xml:"yMax,attr"`
	Text   string  `xml:",chardata"`
}

// noControl drops characters that XML does not allow.
func noControl(r rune) rune {
	if r < ' ' && r != '\n' && r != '\t' {
		return -1
	}
	return r
}

// bboxDocument returns a document with the pages. Lines at the same height become one, as
// in a reader that knows no blocks.
func bboxDocument(pages []bboxPage) *layout.Document {
	d := &layout.Document{}
	var b strings.Builder
	for n, p := range pages {
		start := b.Len()
		sort.SliceStable(p.Lines, func(i, j int) bool { return p.Lines[i].Top < p.Lines[j].Top-2 })
		for i, l := range p.Lines {
			if i > 0 && l.Top-p.Lines[i-1].Top < 2 && l.Left > p.Lines[i-1].Left {
				b.WriteString(" ")
			} else if i > 0 {
				b.WriteString("\n")
			}
			for k, w := range l.Words {
				if k > 0 {
					b.WriteString(" ")
				}
				at := b.Len()
				b.WriteString(w.Text)
				d.Words = append(d.Words, layout.Word{
					Span: layout.Span{Start: at, End: b.Len()}, Page: n + 1,
					Box: layout.Box{Left: w.Left / p.Width, Top: w.Top / p.Height, Right: w.Right / p.Width, Bottom: w.Bottom / p.Height},
				})
			}
		}
		b.WriteString("\n")
		d.Pages = append(d.Pages, layout.Page{Span: layout.Span{Start: start, End: b.Len()}, Width: p.Width, Height: p.Height})
	}
	d.Text = b.String()
	return d
}
