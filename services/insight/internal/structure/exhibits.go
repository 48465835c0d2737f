package structure

import (
	"strings"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/space"
	"github.com/rectohq/recto/services/insight/internal/structure/wording"
)

var (
	exhibitLabel = space.Compile(`^[\["“(]?((?i:exhibit|schedule|annex|appendix|attachment|addendum)\s+(?:No\.\s*)?["“]?` +
		`([A-Z]{1,2}(?:[-.]?\d{1,2})?|\d{1,3}(?:[-.]\d{1,3}|[A-Za-z])?|[IVXLC]{1,6}|(?i:one|two|three|four|five|six))["”]?)([\])"”]?)(.*)$`)
	// filed matches the label of the contract itself in a filing, which is not an exhibit
	// of the contract.
	filed = space.Compile(`^(?i:exhibit|ex-?)\s*\(?\d{1,2}\)?\s*[-.]\s*\(?\d{1,3}`)
)

// exhibitsOf returns the exhibits by the index of the piece with which they begin. Of
// several with the same label, only one with text counts; the others belong to lists.
func exhibitsOf(text string, ps []piece) map[int]Exhibit {
	found := map[int]Exhibit{}
	last := map[string]int{}
	for i, p := range ps {
		if p.margin || p.cell != (layout.Cell{}) {
			continue
		}
		e, ok := exhibitOf(text[p.Start:p.End])
		if !ok {
			continue
		}
		key := strings.ToLower(e.Label)
		if before, again := last[key]; again && p.Start-ps[before].End < minExhibit {
			delete(found, before)
		} else if again && !shortList(text, ps, before) {
			continue // the label is repeated on each of its pages
		} else if again {
			delete(found, before)
		}
		last[key] = i
		found[i] = e
	}
	return found
}

// minExhibit is the minimum length of an exhibit that is followed by another with the same
// label, in bytes.
const minExhibit = 300

// maxBetween is the maximum number of pieces that are examined after a label. Headers and
// footers count.
const maxBetween = 20

// shortList reports whether the label at a piece belongs to a list: the next line is
// another label, or there is no next line.
func shortList(text string, ps []piece, i int) bool {
	for _, p := range ps[i+1 : min(len(ps), i+1+maxBetween)] {
		if p.margin {
			continue
		}
		_, ok := exhibitOf(text[p.Start:p.End])
		return ok
	}
	return true
}

// exhibitOf reads the first line of an exhibit.
func exhibitOf(t string) (Exhibit, bool) {
	line, _, _ := strings.Cut(t[:min(len(t), maxTitle+1)], "\n")
	if len(line) > maxTitle || filed.MatchString(line) || isEntry(line) && isLeader(line) {
		return Exhibit{}, false
	}
	m := exhibitLabel.FindStringSubmatch(line)
	if m == nil {
		return Exhibit{}, false
	}
	rest := m[4]
	title := strings.TrimLeft(rest, " \t-–—:.)]\"”")
	title = strings.TrimRight(title, " .:")
	glued := len(title) == len(rest) && rest != ""
	if glued || wording.StartsLower(title) && !strings.HasPrefix(title, "to ") && !strings.HasPrefix(title, "(") {
		return Exhibit{}, false
	}
	c := wording.CaseOf(title)
	if title != "" && !c.Title() && !c.Capitals() && !strings.HasPrefix(title, "to ") {
		return Exhibit{}, false
	}
	if title != "" && wording.EndsSentence(line) && !strings.HasSuffix(line, ":") && !strings.HasSuffix(line, ")") {
		return Exhibit{}, false
	}
	return Exhibit{Label: wording.OneLine(strings.Trim(m[1], "\"“”")), Title: strings.TrimRight(title, ")]")}, true
}

// place returns the exhibits with their spans. Each ends where the next begins.
func place(text string, ps []piece, found map[int]Exhibit, sections []Section) []Exhibit {
	var out []Exhibit
	end := len(strings.TrimRightFunc(text, space.Is))
	titles := map[int]string{}
	for _, s := range sections {
		titles[s.Start] = s.Title
	}
	for i, p := range ps {
		e, ok := found[i]
		if !ok {
			continue
		}
		if len(out) > 0 {
			out[len(out)-1].End = lastOf(ps, i)
		}
		e.Span = layout.Span{Start: p.Start, End: end}
		if e.Title == "" {
			e.Title = titles[p.Start]
		}
		out = append(out, e)
	}
	return out
}

// lastOf returns the end of the last piece before a piece.
func lastOf(ps []piece, i int) int {
	if i == 0 {
		return 0
	}
	return ps[i-1].End
}
