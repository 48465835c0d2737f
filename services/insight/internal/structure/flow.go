package structure

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/space"
	"github.com/rectohq/recto/services/insight/internal/structure/numbering"
	"github.com/rectohq/recto/services/insight/internal/structure/signature"
	"github.com/rectohq/recto/services/insight/internal/structure/wording"
)

// piece is a paragraph whose kind is not known yet.
type piece struct {
	layout.Span
	role  layout.Role
	style int    // the heading level that the file gives it, 0 for none
	label string // the number that is not part of the text
	cell  layout.Cell
	// margin marks a header, a footer or a page number.
	margin bool
	// centred marks a piece that is centred.
	centred bool
	// alone marks a piece with a single line.
	alone bool
}

// pieces returns the paragraphs of a document, whose kinds are not known yet, and its
// margins.
func pieces(d *layout.Document) ([]piece, []layout.Span) {
	switch {
	case len(d.Blocks) > 0:
		ps := blockPieces(d)
		return ps, repeated(ps)
	case len(d.Words) > 0:
		lines := pageLines(d)
		return flow(d.Text, lines, geometry(d, lines))
	default:
		lines := linesOf(d.Text)
		markMargins(d.Text, lines)
		ps, margins := flow(d.Text, lines, columnsOf(lines))
		return splitCollapsed(d.Text, ps), margins
	}
}

// blockPieces returns the paragraphs of the file, in text order. Text outside of them
// becomes pieces too.
func blockPieces(d *layout.Document) []piece {
	var out []piece
	at := 0
	for _, b := range d.Blocks {
		if b.Start < at || b.End > len(d.Text) || b.End < b.Start {
			continue
		}
		out = appendGap(out, d.Text, layout.Span{Start: at, End: b.Start})
		at = b.End
		span := wording.Trimmed(d.Text, b.Span)
		if span.Len() == 0 && b.Cell == (layout.Cell{}) {
			continue
		}
		out = append(out, piece{
			Span: span, role: b.Role, style: b.Heading, label: strings.TrimSpace(b.Label), cell: b.Cell,
			margin: b.Role == layout.Header || b.Role == layout.Footer,
			alone:  !strings.Contains(d.Text[span.Start:span.End], "\n"),
		})
	}
	return appendGap(out, d.Text, layout.Span{Start: at, End: len(d.Text)})
}

// repeated returns the headers and footers.
func repeated(ps []piece) []layout.Span {
	var out []layout.Span
	for _, p := range ps {
		if p.margin {
			out = append(out, p.Span)
		}
	}
	return out
}

// appendGap appends the lines of the text between two blocks.
func appendGap(out []piece, text string, gap layout.Span) []piece {
	for _, l := range linesOf(text[gap.Start:gap.End]) {
		out = append(out, piece{Span: layout.Span{Start: gap.Start + l.Start, End: gap.Start + l.End}, alone: true})
	}
	return out
}

// joiner decides which lines belong to one paragraph.
type joiner interface {
	// joins reports whether next continues the paragraph with the lines sofar.
	joins(text string, sofar []line, next line) bool
	// resumes reports whether next may continue the paragraph after a page break.
	resumes(text string, last, next line) bool
	// centred reports whether a line is centred.
	centred(l line) bool
}

// flow joins lines to paragraphs. A paragraph that continues after a page break includes
// the margins there. flow also returns all margins.
func flow(text string, lines []line, j joiner) ([]piece, []layout.Span) {
	var out []piece
	var margins []layout.Span
	var sofar []line // the lines of the paragraph
	var held []line  // the margins after them
	end := func() {
		if len(sofar) > 0 {
			out = append(out, pieceOf(sofar, j))
		}
		for _, m := range held {
			out = append(out, piece{Span: m.Span, margin: true, alone: true})
		}
		sofar, held = sofar[:0], held[:0]
	}
	for _, l := range lines {
		if l.margin {
			margins = append(margins, l.Span)
			held = append(held, l)
			if len(sofar) == 0 {
				end()
			}
			continue
		}
		if len(sofar) > 0 {
			last := sofar[len(sofar)-1]
			broken := len(held) > 0 || l.page != last.page || l.feed
			if broken && !j.resumes(text, last, l) || !broken && !j.joins(text, sofar, l) {
				end()
			}
		}
		sofar = append(sofar, l)
		if len(held) > 0 {
			held = held[:0]
		}
	}
	end()
	return out, margins
}

// pieceOf returns the piece of a paragraph's lines.
func pieceOf(lines []line, j joiner) piece {
	centred := true
	for _, l := range lines {
		centred = centred && j.centred(l)
	}
	return piece{
		Span:    layout.Span{Start: lines[0].Start, End: lines[len(lines)-1].End},
		centred: centred, alone: len(lines) == 1,
	}
}

// columnJoiner joins the lines of a plain text.
type columnJoiner struct {
	// wrap is the width at which lines are wrapped, 0 if they are not.
	wrap float64
}

// columnsOf returns the joiner of a plain text.
func columnsOf(lines []line) columnJoiner { return columnJoiner{wrapOf(lines)} }

// pageGap is the minimum number of empty lines that count as a page break, which may be
// within a paragraph.
const pageGap = 4

func (c columnJoiner) joins(text string, sofar []line, next line) bool {
	last := sofar[len(sofar)-1]
	if next.blanks >= pageGap {
		return c.resumes(text, last, next)
	}
	after := text[next.Start:next.End]
	if next.blanks > 0 {
		return false
	}
	if signature.Labelled(after) || signature.Labelled(text[last.Start:last.End]) || c.centred(next) != c.centred(last) {
		return false
	}
	wrapped := c.wrap > 0 && last.width+1+columns(firstWord(after)) > c.wrap-wrapSlack(c.wrap)
	if beginsItem(text[last.Start:last.End], after, wrapped) {
		return false
	}
	if c.wrap == 0 {
		return wording.StartsLower(after) && !wording.EndsSentence(text[last.Start:last.End])
	}
	indented := len(sofar) > 1 && next.indent > last.indent+1
	return !indented && wrapped
}

// beginsItem reports whether a line begins with the number of a paragraph, rather than with
// one that the sentence before refers to. If the line before is full, its end decides.
func beginsItem(before, after string, full bool) bool {
	e, ok := numbering.Parse(after)
	if !ok || refersTo[strings.ToLower(strings.Trim(lastToken(before), "(,;"))] {
		return false
	}
	ended := wording.EndsSentence(before)
	if e.Rank() == 0 {
		return !e.Weak || ended || !full
	}
	if !e.Weak && !full || ended {
		return true
	}
	_, title := wholeTitle(before, true)
	return title && !e.Weak
}

// refersTo holds words that make a following number a reference.
var refersTo = map[string]bool{
	"section": true, "sections": true, "article": true, "articles": true, "clause": true, "clauses": true, "paragraph": true,
	"paragraphs": true, "subsection": true, "subsections": true, "subclause": true, "exhibit": true, "schedule": true,
	"annex": true, "appendix": true, "§": true, "§§": true, "c.f.r.": true, "u.s.c.": true, "rule": true, "rules": true,
	"item": true, "items": true, "part": true, "title": true, "chapter": true, "sec.": true, "no.": true,
}

// lastToken returns the text after the last white space.
func lastToken(text string) string {
	return text[strings.LastIndexFunc(text, space.Is)+1:]
}

// wrapSlack returns how far lines may end before the wrap width, in columns, in addition
// to the word that did not fit.
func wrapSlack(wrap float64) float64 { return wrap / 8 }

func (c columnJoiner) resumes(text string, last, next line) bool {
	before, after := text[last.Start:last.End], text[next.Start:next.End]
	if signature.Labelled(after) || signature.Labelled(before) || wording.EndsSentence(before) || wording.CaseOf(before).Capitals() && last.width < minWrapped {
		return false
	}
	if _, ok := numbering.Parse(after); ok {
		return false
	}
	return wording.StartsLower(after) || endsOpen(before) && !wording.CaseOf(wording.Head(after)).Capitals()
}

// centreIndent is the minimum indent of a centred line, in columns.
const centreIndent = 12

func (c columnJoiner) centred(l line) bool {
	return l.indent >= centreIndent && l.width-l.indent < minWrapped+centreIndent
}

// endsOpen reports whether a text ends in the middle of a sentence: with a comma, a hyphen
// or a word in lower case.
func endsOpen(text string) bool {
	text = strings.TrimRightFunc(text, space.Is)
	if r, _ := utf8.DecodeLastRuneInString(text); r == ',' || r == '-' {
		return true
	}
	word := text[strings.LastIndexFunc(text, func(r rune) bool { return !unicode.IsLetter(r) })+1:]
	return word != "" && word == strings.ToLower(word)
}

// firstWord returns the first word of a text.
func firstWord(text string) string {
	word, _, _ := strings.Cut(text, " ")
	return word
}
