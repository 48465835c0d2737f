package typeset

import (
	"slices"
	"strings"
	"unicode"

	"github.com/go-text/typesetting/language"
	"github.com/go-text/typesetting/segmenter"
)

// paragraph is text that has no line break.
type paragraph struct {
	text []rune
	rtl  bool
	// graphemes are where grapheme clusters end.
	graphemes []int
	// boundaries holds whether a grapheme cluster begins at the character.
	boundaries []bool
	// breaks holds whether a line may end before the character.
	breaks []bool
	levels []uint8
}

// item is a part of a paragraph with one font, script and direction.
type item struct {
	start, end int
	level      uint8
	font       *Font
	script     language.Script
}

// clean splits a text at line breaks and removes what cannot be drawn. Tabs become spaces.
func clean(text string) []string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	text = strings.Map(func(r rune) rune {
		switch r {
		case '\t':
			return ' '
		case '\n', '\r', '\v', '\f', 0x85, 0x2028, 0x2029:
			return '\n'
		}
		if unicode.Is(unicode.Cc, r) || 0xFFF9 <= r && r <= 0xFFFB {
			return -1
		}
		return r
	}, text)
	return strings.Split(text, "\n")
}

func newParagraph(text string) *paragraph {
	p := &paragraph{text: []rune(text)}
	p.rtl = rightToLeft(p.text)
	p.levels = levels(p.text, p.rtl)
	p.breaks = make([]bool, len(p.text)+1)
	p.boundaries = make([]bool, len(p.text)+2)
	var s segmenter.Segmenter
	s.Init(p.text)
	for line := s.LineIterator(); line.Next(); {
		p.breaks[line.Line().Offset] = true
	}
	for g := s.GraphemeIterator(); g.Next(); {
		p.boundaries[g.Grapheme().Offset] = true
		p.graphemes = append(p.graphemes, g.Grapheme().Offset+len(g.Grapheme().Text))
	}
	return p
}

// script returns the script of a grapheme cluster, or language.Common if it goes with any.
func script(cluster []rune) language.Script {
	for _, r := range cluster {
		if s := language.LookupScript(r); s.Strong() && s != language.Unknown {
			return s
		}
	}
	return language.Common
}

// scripts returns the script of each grapheme cluster. Clusters that go with any script take
// that of the text before them, or else after them.
func (p *paragraph) scripts() []language.Script {
	all := make([]language.Script, len(p.graphemes))
	start, last := 0, language.Common
	for i, end := range p.graphemes {
		if s := script(p.text[start:end]); s != language.Common {
			last = s
		}
		all[i], start = last, end
	}
	next := language.Latin
	if i := slices.IndexFunc(all, func(s language.Script) bool {
		return s != language.Common
	}); i >= 0 {
		next = all[i]
	}
	for i := range all {
		if all[i] == language.Common {
			all[i] = next
		}
	}
	return all
}

// items divides a paragraph. The error is a *MissingError if no font has a character.
func (f *Fonts) items(p *paragraph, style Style) ([]item, error) {
	var items []item
	start := 0
	scripts := p.scripts()
	for i, end := range p.graphemes {
		cluster := p.text[start:end]
		c := choice{scripts[i], style}
		var last *Font
		if len(items) > 0 && script(cluster) == language.Common {
			last = items[len(items)-1].font
		}
		parts, err := f.fontsFor(cluster, c, last)
		if err != nil {
			return nil, err
		}
		for _, part := range parts {
			part.start, part.end = part.start+start, part.end+start
			part.level = p.levels[part.start]
			items = extend(items, part)
		}
		start = end
	}
	return items, nil
}

// extend appends an item, or makes the last one longer if it is alike.
func extend(items []item, next item) []item {
	if n := len(items); n > 0 {
		last := &items[n-1]
		if last.font == next.font && last.level == next.level && last.script == next.script {
			last.end = next.end
			return items
		}
	}
	return append(items, next)
}

// fontsFor chooses the font of a grapheme cluster: that of the text before it, if it goes
// with any script, or the best one. A sequence of symbols that no font has in full is taken
// apart; marks are not taken from their letter.
func (f *Fonts) fontsFor(cluster []rune, c choice, last *Font) ([]item, error) {
	if last != nil && last.covers(cluster) {
		return []item{{end: len(cluster), font: last, script: c.script}}, nil
	}
	if font := f.pick(cluster, c); font != nil {
		return []item{{end: len(cluster), font: font, script: c.script}}, nil
	}
	if missing := f.lacking(cluster, c); len(missing) > 0 {
		return nil, &MissingError{Rune: missing[0]}
	}
	var parts []item
	for i, r := range cluster {
		font := f.pick([]rune{r}, c)
		parts = append(parts, item{start: i, end: i + 1, font: font, script: c.script})
	}
	return parts, nil
}
