package detect

import (
	"cmp"
	"slices"
	"strings"

	"github.com/rectohq/recto/libs/formats/fields"
)

// maxAfter is the maximum number of words of a label with nothing after it.
const maxAfter = 5

// neighbors is how many paragraphs around a label are searched for similar labels.
const neighbors = 4

// empties returns the blanks of a paragraph without visible marks to fill in: an empty
// cell, and labels with nothing after them.
func (d *document) empties(i int) []Blank {
	if strings.TrimSpace(d.paragraphs[i].Text) == "" {
		if b, ok := d.cellBlank(i); ok {
			return []Blank{b}
		}
		return nil
	}
	return d.afterLabels(i)
}

// afterLabels returns the places after the labels of paragraph i, such as "By:" and
// "Name:", one below the other or several on one line.
func (d *document) afterLabels(i int) []Blank {
	labels := openLabels(d.paragraphs[i].Text)
	if len(labels) == 0 || d.answered(i) || len(labels) == 1 && !d.inBlock(i) {
		return nil
	}
	found := make([]Blank, 0, len(labels))
	for _, s := range labels {
		label := tidy(d.paragraphs[i].Text[s.start:s.end])
		found = append(found, Blank{Kind: After, Type: TypeOf(label), Label: label, Paragraph: i, Start: s.end, End: s.end})
	}
	return found
}

// answered reports whether the next cell holds the value for the label.
func (d *document) answered(i int) bool {
	_, r, at, ok := d.place(i)
	return ok && at+1 < len(r.cells) && r.cells[at].lines == 1
}

// openLabels returns the labels of a paragraph that consists only of labels for user
// input, each followed by a colon and white space.
func openLabels(text string) []span {
	if len(text) > 4*maxLabel {
		return nil
	}
	var found []span
	for at := 0; at < len(text); {
		colon := strings.IndexByte(text[at:], ':')
		if colon < 0 {
			if strings.TrimSpace(text[at:]) != "" {
				return nil
			}
			break
		}
		end := at + colon + 1
		label := strings.TrimSpace(text[at:end])
		if !openLabel(label) || end < len(text) && !strings.ContainsRune(" \t\n\u00a0", rune(text[end])) && text[end] != 0xc2 {
			return nil
		}
		found = append(found, span{at, end})
		at = end
	}
	return found
}

// openLabel reports whether s is a label for user input.
func openLabel(s string) bool {
	s = strings.TrimSuffix(s, ":")
	if !labelLike(s) || len(strings.Fields(s)) > maxAfter || strings.Contains(s, ":") {
		return false
	}
	switch TypeOf(s) {
	case fields.Text:
		return titleLike(s)
	case fields.Company:
		return generic(s)
	}
	return true
}

// generic reports whether a label has only words that are common in labels, so it is not
// a company's own name above its signature block.
func generic(s string) bool {
	for _, w := range splitWords(s) {
		if !placeholderNoun(w) && !functionWords[w] && w != "legal" && w != "full" {
			return false
		}
	}
	return true
}

// titleLike reports whether a label without a type of its own is common in signature
// blocks and forms.
func titleLike(s string) bool {
	for _, w := range splitWords(s) {
		switch w {
		case "title", "its", "position", "place", "initials", "printed", "print", "titel", "ort", "titre", "cargo", "titolo":
			return true
		}
	}
	return false
}

// inBlock reports whether another paragraph near i begins with a similar label, as in a
// signature block.
func (d *document) inBlock(i int) bool {
	for _, step := range []int{-1, 1} {
		seen := 0
		for n := i + step; n >= 0 && n < len(d.paragraphs) && seen < neighbors && n-i < 4*neighbors && i-n < 4*neighbors; n += step {
			text := strings.TrimSpace(d.paragraphs[n].Text)
			if !sameCell(d.paragraphs[i].Cell, d.paragraphs[n].Cell) {
				break
			}
			if text == "" {
				continue
			}
			seen++
			label, rest, ok := strings.Cut(text[:min(len(text), maxLabel)], ":")
			if ok && openLabel(label) && len(rest) < maxLabel/2 {
				return true
			}
		}
	}
	return false
}

// sortSpans sorts spans by their starts, longer ones first.
func sortSpans(spans []span) {
	slices.SortFunc(spans, func(a, b span) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end))
	})
}
