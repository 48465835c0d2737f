// Package typeset sets text in the fonts of the system and embeds the used parts of these
// fonts in PDF files. It shapes every script, orders bidirectional text, breaks lines, and
// falls back to another font where one lacks a character.
//
// Readers of PDF files extract text from glyphs one by one, and guess its order from the
// places of the glyphs. So each cluster of characters is embedded as one glyph, made of
// those that the font has for it, with all of its text. PDFium and Poppler ignore the right
// order in /ActualText for text from right to left, so it is not used.
package typeset

import (
	"fmt"
	"strings"

	"github.com/go-text/typesetting/segmenter"
)

// MissingError means that no font has a character.
type MissingError struct{ Rune rune }

// Error implements error.
func (e *MissingError) Error() string {
	return fmt.Sprintf("no installed font has the character %q (U+%04X)", e.Rune, e.Rune)
}

// Style selects among the fonts that have a character.
type Style struct {
	Serif, Mono, Bold, Italic bool
}

// Options describe a block of text.
type Options struct {
	Style Style
	// Size is the size of the font in points.
	Size float64
	// Width is where lines are broken, in points; 0 breaks only at "\n".
	Width float64
}

// Block is text that has been set.
type Block struct {
	Lines []Line
	// Width is that of the longest line, in points, and Height that of all lines.
	Width, Height float64
}

// Line is a line of text, in visual order. Lengths are in points.
type Line struct {
	Runs []Run
	// Width is the advance of all glyphs. Ascent and Descent are positive distances from
	// the baseline. Height is the distance to the next baseline.
	Width, Ascent, Descent, Height float64
	// RightToLeft reports the direction of the paragraph.
	RightToLeft bool
}

// Run is a sequence of glyphs of one font.
type Run struct {
	Font   *Font
	Size   float64
	Glyphs []Glyph
}

// Glyph is a glyph with its position, in points.
type Glyph struct {
	ID      uint16
	Advance float64
	OffsetX float64
	OffsetY float64
	// Text is the text that the glyph stands for. It is "" for the other glyphs of a
	// cluster.
	Text string

	// first is the glyph's first character in the paragraph. advance is Advance, and x and
	// y are the glyph's place in its cluster, in units of the font.
	first, advance, x, y int
	rtl                  bool
}

// Set sets the text. The error is a *MissingError if no font has one of its characters.
func (f *Fonts) Set(text string, o Options) (*Block, error) {
	b := &Block{}
	for _, paragraph := range clean(text) {
		lines, err := f.setParagraph(paragraph, o)
		if err != nil {
			return nil, err
		}
		b.Lines = append(b.Lines, lines...)
	}
	for _, l := range b.Lines {
		b.Width = max(b.Width, l.Width)
		b.Height += l.Height
	}
	return b, nil
}

// Cells sets each character (grapheme cluster) of a text on its own, for combs. Line breaks
// are left out. The error is a *MissingError if no font has one of the characters.
func (f *Fonts) Cells(text string, o Options) ([]Line, error) {
	p := newParagraph(strings.Join(clean(text), ""))
	o.Width = 0
	var cells []Line
	start := 0
	for _, end := range p.graphemes {
		lines, err := f.setParagraph(string(p.text[start:end]), o)
		if err != nil {
			return nil, err
		}
		cells = append(cells, lines...)
		start = end
	}
	return cells, nil
}

// Missing returns the characters of the text that no font has, without duplicates, in the
// order of the text. Line breaks and invisible characters are never missing.
func (f *Fonts) Missing(text string) []rune {
	var all []rune
	seen, found := map[string]bool{}, map[rune]bool{}
	for _, line := range clean(text) {
		var s segmenter.Segmenter
		s.Init([]rune(line))
		for g := s.GraphemeIterator(); g.Next(); {
			cluster := g.Grapheme().Text
			if seen[string(cluster)] {
				continue
			}
			seen[string(cluster)] = true
			for _, r := range f.lacking(cluster, choice{script: script(cluster)}) {
				if !found[r] {
					all = append(all, r)
				}
				found[r] = true
			}
		}
	}
	return all
}
