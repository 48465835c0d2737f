package blank

import (
	"archive/zip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/beevik/etree"

	"github.com/rectohq/recto/libs/formats/fields/detect"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/paragraph"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/runs"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/wml"
	"github.com/rectohq/recto/libs/testkit/corpus"
)

// goldField is a place that annotators marked as a blank: the index of its paragraph
// among all w:p, and a range of characters in it.
type goldField struct {
	Para  int    `json:"para"`
	Start int    `json:"start"`
	End   int    `json:"end"`
	Text  string `json:"text"`
}

type goldFile struct {
	Docx   string      `json:"docx"`
	Fields []goldField `json:"fields"`
}

// TestGoldBlanks measures how many of the marked places are found, and how many of the
// found ones are marked. The gold standard marks only bracketed prompts, and of those
// only the ones in the template's list of fields. It does not mark fill-in lines and
// empty cells, although users fill them in. Precision therefore refers to prompts; all
// other findings are logged.
func TestGoldBlanks(t *testing.T) {
	dir := corpus.Folder(t, "docx-templates")
	text, err := os.ReadFile(filepath.Join(dir, "gold.json"))
	if err != nil {
		t.Fatal(err)
	}
	var files []goldFile
	if err := json.Unmarshal(text, &files); err != nil {
		t.Fatal(err)
	}
	var sum score
	for _, f := range files {
		found := blanksOf(t, filepath.Join(dir, f.Docx))
		if len(f.Fields) == 0 {
			t.Logf("%s: not annotated, %d blanks", f.Docx, len(found))
			for _, b := range found {
				t.Logf("  found %v", b)
			}
			continue
		}
		s := compare(t, f, found)
		t.Logf("%s: %v", f.Docx, s)
		sum.add(s)
	}
	t.Logf("prompts: precision %.3f, recall %.3f; %d blanks of other kinds, which are not annotated", sum.precision(), sum.recall(), sum.other)
	if sum.precision() < 0.95 || sum.recall() < 0.95 {
		t.Errorf("precision %.3f and recall %.3f are not both at least 0.95", sum.precision(), sum.recall())
	}
}

// score counts the places that are found and marked, only found, only marked, and found
// but of a kind that is never marked.
type score struct{ both, extra, missed, other int }

func (s *score) add(o score) {
	s.both, s.extra, s.missed, s.other = s.both+o.both, s.extra+o.extra, s.missed+o.missed, s.other+o.other
}

func (s score) precision() float64 { return float64(s.both) / float64(s.both+s.extra) }

func (s score) recall() float64 { return float64(s.both) / float64(s.both+s.missed) }

// compare counts, and logs the differences.
func compare(t *testing.T, f goldFile, found []foundBlank) score {
	var s score
	marked := make(map[[3]int]bool)
	for _, g := range f.Fields {
		marked[[3]int{g.Para, g.Start, g.End}] = false
	}
	for _, b := range found {
		key := [3]int{b.para, b.start, b.end}
		_, ok := marked[key]
		switch {
		case ok:
			marked[key] = true
			s.both++
			t.Logf("  %s %q", b.Type, b.Label)
		case b.Kind == detect.Prompt:
			s.extra++
			t.Logf("  NOT MARKED: %v", b)
		default:
			s.other++
			t.Logf("  other: %v", b)
		}
	}
	for _, g := range f.Fields {
		if !marked[[3]int{g.Para, g.Start, g.End}] {
			s.missed++
			t.Logf("  MISSED: %+v", g)
		}
	}
	return s
}

// foundBlank is a blank with its position in the terms of the gold standard.
type foundBlank struct {
	detect.Blank
	para, start, end int
	text             string
}

// blanksOf returns the blanks in the body of a file.
func blanksOf(t *testing.T, path string) []foundBlank {
	t.Helper()
	root := bodyOf(t, path)
	index := make(map[*etree.Element]int)
	numberParagraphs(root, index)
	paragraphs := paragraph.Read(root, func(*etree.Element) bool { return false }, nil)
	var found []foundBlank
	for _, b := range detect.Find(paragraph.Detectable(paragraphs)) {
		p := paragraphs[b.Paragraph]
		found = append(found, foundBlank{
			Blank: b, para: index[p.Element], text: p.Text[b.Start:b.End],
			start: length(p.Text[:b.Start]), end: length(p.Text[:b.End]),
		})
	}
	return found
}

// numberParagraphs numbers the w:p below e in document order.
func numberParagraphs(e *etree.Element, index map[*etree.Element]int) {
	for _, c := range e.ChildElements() {
		if wml.Is(c, "p") {
			index[c] = len(index)
		}
		numberParagraphs(c, index)
	}
}

// length counts characters as the gold standard does: objects do not count.
func length(s string) int {
	return utf8.RuneCountInString(strings.ReplaceAll(s, runs.Object, ""))
}

// bodyOf returns the root of the main part of a file.
func bodyOf(t *testing.T, path string) *etree.Element {
	t.Helper()
	archive, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	part, err := archive.Open("word/document.xml")
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(part)
	if err != nil {
		t.Fatal(err)
	}
	document := etree.NewDocument()
	if err := document.ReadFromBytes(text); err != nil {
		t.Fatal(err)
	}
	return document.Root()
}

func (b foundBlank) String() string {
	options := ""
	for _, o := range b.Options {
		options += " | " + o.Option
	}
	return fmt.Sprintf("%d:%d-%d %s %s %q label %q%s", b.para, b.start, b.end, b.Kind, b.Type, b.text, b.Label, options)
}
