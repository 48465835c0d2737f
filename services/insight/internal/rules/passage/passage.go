// Package passage owns how rules read a document: passages of it on one line and in
// lower case, what stands around them, the label before them, and which sentences say
// what is agreed.
package passage

import (
	"sort"
	"strings"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// MaxSentence is how much of a sentence is read, in bytes: what is longer is a
// list or a table that was not told apart.
const MaxSentence = 4000

// Text returns the text of a span on one line, cut at MaxSentence.
func Text(d *structure.Document, s layout.Span) string {
	return OneLine(d.Quote(Cut(d.Text, s)))
}

// Cut returns the first MaxSentence bytes of a span, without part of a
// character at their end.
func Cut(text string, s layout.Span) layout.Span {
	if s.Len() > MaxSentence {
		s.End = s.Start + MaxSentence
		for s.End > s.Start && text[s.End]&0xC0 == 0x80 {
			s.End--
		}
	}
	return s
}

// OneLine returns s with every run of white space as one space, and none at its
// ends.
func OneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// SentenceAt returns the index of the sentence that holds offset, -1 for none.
func SentenceAt(d *structure.Document, offset int) int {
	i := sort.Search(len(d.Sentences), func(i int) bool { return d.Sentences[i].End > offset })
	if i == len(d.Sentences) || d.Sentences[i].Start > offset {
		return -1
	}
	return i
}

// paragraphAt returns the index of the paragraph that holds offset, or of the one
// after it; -1 where there is none.
func paragraphAt(d *structure.Document, offset int) int {
	i := sort.Search(len(d.Paragraphs), func(i int) bool { return d.Paragraphs[i].End > offset })
	if i == len(d.Paragraphs) {
		return -1
	}
	return i
}

// InBody reports whether what stands at offset is no part of what repeats on every
// page.
func InBody(d *structure.Document, offset int) bool {
	i := paragraphAt(d, offset)
	return i >= 0 && d.Paragraphs[i].Start <= offset && d.Paragraphs[i].Kind != structure.Margin
}

// SectionTitle returns the title of the section of a paragraph, or of the nearest
// one around it that has one, "" for none.
func SectionTitle(d *structure.Document, paragraph int) string {
	if paragraph < 0 {
		return ""
	}
	for i := d.Paragraphs[paragraph].Section; i >= 0; i = d.Sections[i].Parent {
		if t := OneLine(d.Sections[i].Title); t != "" {
			return t
		}
	}
	return ""
}

// Around returns the text of the sentence before and after a span, on one line
// and in lower case, each at most reach bytes. Text in no sentence is taken as it
// stands.
func Around(d *structure.Document, s layout.Span, reach int) (before, after string) {
	from, to := max(0, s.Start-reach), min(len(d.Text), s.End+reach)
	if i := SentenceAt(d, s.Start); i >= 0 {
		from, to = max(from, d.Sentences[i].Start), min(to, max(s.End, d.Sentences[i].End))
	}
	return Lower(d.Text[from:s.Start]), Lower(d.Text[s.End:to])
}

// Lower returns s on one line in lower case, with plain quotation marks; what was
// cut of a character at its ends is left out.
func Lower(s string) string {
	s = strings.ToLower(strings.ToValidUTF8(s, ""))
	return OneLine(plainLetters.Replace(s))
}

// LowerText returns the text of a span as Lower does, cut at MaxSentence.
func LowerText(d *structure.Document, s layout.Span) string {
	return Lower(d.Quote(Cut(d.Text, s)))
}

// plainLetters has of what is written in several ways the one that rules look for,
// and nothing where words may only break.
var plainLetters = strings.NewReplacer("“", `"`, "”", `"`, "’", "'", "‘", "'", "\u00ad", "", "\u200b", "", "\u2060", "", "\ufeff", "",
	"ﬀ", "ff", "ﬁ", "fi", "ﬂ", "fl", "ﬃ", "ffi", "ﬄ", "ffl")
