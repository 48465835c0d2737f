package docxtext

import (
	"strings"
	"unicode/utf8"

	"github.com/beevik/etree"

	"github.com/rectohq/recto/libs/formats/docx"
)

const (
	// levels is the number of levels of a list.
	levels = 9
	// maxLabel bounds the number of a paragraph, in bytes.
	maxLabel = 200
)

// numbering counts numbered paragraphs as Word does: per abstract numbering definition of
// the paragraph's list (ECMA-376 part 1, 17.9).
type numbering struct {
	lists map[int]*list
}

// list is a w:num.
type list struct {
	abstract *abstract
	// levels overrides levels of the abstract definition, and starts their start values;
	// nil means no override.
	levels [levels]*level
	starts [levels]*int
}

// abstract is a w:abstractNum with its current counts.
type abstract struct {
	levels [levels]*level
	// counts holds the number of the last paragraph of each level, or nil if there has
	// been none since the level restarted.
	counts [levels]*int
}

// level is a w:lvl.
type level struct {
	start int
	// format is the w:numFmt, and text the w:lvlText, for example "%1.%2".
	format, text string
	// restart is the w:lvlRestart: the 1-based level whose paragraphs, like those of the
	// levels above it, restart this one. 0 means never, and -1 means the default, any
	// level above.
	restart int
	// legal reports whether all numbers in the text are decimal.
	legal bool
	// style is the paragraph style linked to the level.
	style string
}

// readNumbering reads the numbering definitions of the document.
func readNumbering(p *docx.Package, s *styles) (*numbering, error) {
	n := &numbering{lists: map[int]*list{}}
	root, err := related(p, "numbering")
	if root == nil {
		return n, err
	}
	abstracts, linked := map[string]*abstract{}, map[*abstract]string{}
	for _, e := range root.ChildElements() {
		if isWord(e, "abstractNum") {
			a := &abstract{levels: levelsOf(e)}
			abstracts[value(e, "abstractNumId")] = a
			if link := val(child(e, "numStyleLink")); link != "" {
				linked[a] = link
			}
		}
	}
	for _, e := range root.ChildElements() {
		if a := abstracts[val(child(e, "abstractNumId"))]; isWord(e, "num") && a != nil {
			n.lists[*number(value(e, "numId"))] = newList(e, a)
		}
	}
	n.link(s, linked)
	return n, nil
}

// link resolves lists whose abstract definition refers to a numbering style. The list of
// that style may itself refer to a style. All links are followed before any list is
// changed, because links may form cycles and map order is random.
func (n *numbering) link(s *styles, linked map[*abstract]string) {
	targets := make(map[*list]*abstract, len(n.lists))
	for _, l := range n.lists {
		targets[l] = l.abstract
		for range maxBased {
			style := s.named[linked[targets[l]]]
			if style.number == nil || n.lists[*style.number] == nil {
				break
			}
			targets[l] = n.lists[*style.number].abstract
		}
	}
	for l, target := range targets {
		l.abstract = target
	}
}

// levelsOf returns the w:lvl children of e.
func levelsOf(e *etree.Element) [levels]*level {
	var all [levels]*level
	for _, c := range e.ChildElements() {
		if i := *number(value(c, "ilvl")); isWord(c, "lvl") && i >= 0 && i < levels {
			all[i] = newLevel(c)
		}
	}
	return all
}

// newLevel reads a w:lvl.
func newLevel(e *etree.Element) *level {
	l := &level{format: "decimal", text: shortened(val(child(e, "lvlText")), maxLabel), restart: -1, style: val(child(e, "pStyle"))}
	if start := child(e, "start"); start != nil {
		l.start = *number(val(start))
	}
	if f := val(child(e, "numFmt")); f != "" {
		l.format = f
	}
	if r := child(e, "lvlRestart"); r != nil {
		l.restart = *number(val(r))
	}
	if legal := child(e, "isLgl"); legal != nil {
		v := val(legal)
		l.legal = v != "0" && v != "false" && v != "off"
	}
	return l
}

// newList reads a w:num.
func newList(e *etree.Element, a *abstract) *list {
	l := &list{abstract: a}
	for _, c := range e.ChildElements() {
		i := *number(value(c, "ilvl"))
		if !isWord(c, "lvlOverride") || i < 0 || i >= levels {
			continue
		}
		if start := child(c, "startOverride"); start != nil {
			l.starts[i] = number(val(start))
		}
		if own := child(c, "lvl"); own != nil {
			l.levels[i] = newLevel(own)
		}
	}
	return l
}

// level returns level i, or nil if there is none.
func (l *list) level(i int) *level {
	if l.levels[i] != nil {
		return l.levels[i]
	}
	return l.abstract.levels[i]
}

// label counts a paragraph and returns its number, or "" if it has none.
func (n *numbering) label(r resolved) string {
	l := n.lists[r.number]
	if l == nil || r.number == 0 {
		return ""
	}
	i := r.indent
	if i < 0 {
		i = l.levelOfStyle(r.lister)
	}
	if i >= levels || l.level(i) == nil {
		return ""
	}
	l.count(i)
	return l.text(i)
}

// levelOfStyle returns the level linked to the style, or the first level if none is.
func (l *list) levelOfStyle(id string) int {
	for i := range levels {
		if at := l.level(i); at != nil && at.style == id && id != "" {
			return i
		}
	}
	return 0
}

// count counts a paragraph at level i.
func (l *list) count(i int) {
	counts := &l.abstract.counts
	switch {
	case l.starts[i] != nil:
		counts[i] = l.starts[i]
		l.starts[i] = nil // a start override applies only once
	case counts[i] == nil:
		counts[i] = new(l.level(i).start)
	default:
		counts[i] = new(*counts[i] + 1)
	}
	for below := i + 1; below < levels; below++ {
		if at := l.level(below); at == nil || at.restart < 0 || i < at.restart {
			counts[below] = nil
		}
	}
}

// text returns the number of a paragraph at level i that has been counted.
func (l *list) text(i int) string {
	at := l.level(i)
	if at.format == "bullet" {
		return bullet(at.text)
	}
	var text strings.Builder
	for rest := at.text; rest != "" && text.Len() < maxLabel; {
		before, after, ok := strings.Cut(rest, "%")
		text.WriteString(before)
		if !ok {
			break
		}
		if after == "" || after[0] < '1' || after[0] > '9' {
			text.WriteByte('%')
			rest = after
			continue
		}
		text.WriteString(l.numeral(int(after[0]-'1'), i, at.legal))
		rest = after[1:]
	}
	return shortened(strings.TrimSpace(text.String()), maxLabel)
}

// shortened returns the longest prefix of s that consists of whole characters and has at
// most the given number of bytes.
func shortened(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most]
}

// numeral returns the number of level i as it appears in a number of the level of, or ""
// if i is below it.
func (l *list) numeral(i, of int, legal bool) string {
	at := l.level(i)
	if at == nil || i > of {
		return ""
	}
	n := at.start
	if c := l.abstract.counts[i]; c != nil {
		n = *c
	} else if l.starts[i] != nil {
		n = *l.starts[i]
	}
	if legal && at.format != "none" {
		return numeral("decimal", n)
	}
	return numeral(at.format, n)
}

// bullet returns the character of a bulleted list. Private-use characters of symbol fonts
// mean nothing without their font, so they become "•".
func bullet(text string) string {
	text = strings.TrimSpace(text)
	for _, r := range text {
		if r >= 0xE000 && r <= 0xF8FF {
			return "•"
		}
	}
	return text
}
