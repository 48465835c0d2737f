package structure

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/space"
	"github.com/rectohq/recto/services/insight/internal/structure/wording"
)

// checkInvariants checks the invariants of a structure.
func checkInvariants(t *testing.T, name string, d *Document) {
	t.Helper()
	at := 0
	for i, p := range d.Paragraphs {
		checkSpan(t, name, d, p.Span)
		if p.Start < at {
			t.Fatalf("%s: paragraph %d at %v begins before the end of the one before, %d", name, i, p.Span, at)
		}
		if rest := strings.TrimFunc(d.Text[at:p.Start], space.Is); rest != "" {
			t.Fatalf("%s: %q before paragraph %d is in no paragraph", name, rest, i)
		}
		if p.Section >= 0 && (p.Section >= len(d.Sections) || !d.Sections[p.Section].Contains(p.Span)) {
			t.Fatalf("%s: paragraph %d is not within its section %d", name, i, p.Section)
		}
		at = p.End
	}
	if rest := strings.TrimFunc(d.Text[at:], space.Is); rest != "" {
		t.Fatalf("%s: %q at the end is in no paragraph", name, rest)
	}
	checkSentences(t, name, d)
	checkSections(t, name, d)
	checkOthers(t, name, d)
}

func checkSentences(t *testing.T, name string, d *Document) {
	t.Helper()
	at, paragraph := 0, 0
	for i, s := range d.Sentences {
		checkSpan(t, name, d, s.Span)
		if s.Start < at || s.Paragraph < paragraph || !d.Paragraphs[s.Paragraph].Contains(s.Span) {
			t.Fatalf("%s: sentence %d at %v is out of order, or not within its paragraph", name, i, s.Span)
		}
		if strings.TrimFunc(d.Quote(s.Span), space.Is) != d.Quote(s.Span) || s.Len() == 0 {
			t.Fatalf("%s: sentence %q has white space around it", name, d.Quote(s.Span))
		}
		if want := wording.Lower(d.Quote(Cut(d.Text, s.Span))); s.Lower != want {
			t.Fatalf("%s: got sentence %d in lower case %q, want %q", name, i, s.Lower, want)
		}
		at, paragraph = s.End, s.Paragraph
	}
}

func checkSections(t *testing.T, name string, d *Document) {
	t.Helper()
	for i, s := range d.Sections {
		checkSpan(t, name, d, s.Span)
		if s.TitleSpan.Len() > 0 && !s.Contains(s.TitleSpan) {
			t.Fatalf("%s: title %v of section %d is not within the section, %v", name, s.TitleSpan, i, s.Span)
		}
		if i > 0 && s.Start < d.Sections[i-1].Start {
			t.Fatalf("%s: section %d is out of order", name, i)
		}
		if s.Parent >= i || s.Parent < -1 || s.Level < 1 {
			t.Fatalf("%s: section %d has parent %d, level %d", name, i, s.Parent, s.Level)
		}
		if s.Parent >= 0 && (!d.Sections[s.Parent].Contains(s.Span) || d.Sections[s.Parent].Level >= s.Level) {
			t.Fatalf("%s: section %d is not within its parent", name, i)
		}
		for j := i - 1; j >= 0 && j > s.Parent; j-- {
			if d.Sections[j].Overlaps(s.Span) {
				t.Fatalf("%s: sections %d and %d overlap", name, j, i)
			}
		}
	}
}

func checkOthers(t *testing.T, name string, d *Document) {
	t.Helper()
	for _, x := range d.Definitions {
		checkSpan(t, name, d, x.Span)
		checkSpan(t, name, d, x.TermSpan)
		if x.Term == "" {
			t.Fatalf("%s: an empty definition at %v", name, x.Span)
		}
	}
	for _, x := range d.Tables {
		checkSpan(t, name, d, x.Span)
		for _, row := range x.Rows {
			for _, c := range row {
				checkSpan(t, name, d, c)
			}
		}
	}
	for _, x := range d.Signatures {
		checkSpan(t, name, d, x.Span)
		for _, part := range []layout.Span{x.Party, x.Name, x.Title, x.Email, x.Date, x.Line} {
			checkSpan(t, name, d, part)
			if part.Len() > 0 && !x.Contains(part) {
				t.Fatalf("%s: %q is not within its signature block %q", name, d.Quote(part), d.Quote(x.Span))
			}
		}
	}
	for _, x := range d.Exhibits {
		checkSpan(t, name, d, x.Span)
	}
}

// checkSpan checks that a span is within the text, and cuts no character.
func checkSpan(t *testing.T, name string, d *Document, s layout.Span) {
	t.Helper()
	if s.Start < 0 || s.End < s.Start || s.End > len(d.Text) {
		t.Fatalf("%s: span %v is not within the text", name, s)
	}
	for _, at := range []int{s.Start, s.End} {
		if at < len(d.Text) && !utf8.RuneStart(d.Text[at]) && utf8.ValidString(d.Text) {
			t.Fatalf("%s: span %v cuts a character", name, s)
		}
	}
}
