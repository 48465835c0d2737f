package naming

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/learn/names"
	"github.com/rectohq/recto/services/insight/internal/rules/law"
	"github.com/rectohq/recto/services/insight/internal/rules/preamble"
	"github.com/rectohq/recto/services/insight/internal/space"
	"github.com/rectohq/recto/services/insight/internal/structure/signature"
)

// Features returns the features of a name. votes says by its Key which rule takes a name for that of a
// party.
func (n *Names) Features(i int, votes map[string]string) names.Features {
	var f names.Features
	for _, fact := range n.facts(i) {
		f.Facts = append(f.Facts, names.FeatureOf(fact))
	}
	vote := "no vote"
	if rule, ok := votes[strings.Join(n.all[i].words, " ")]; ok {
		vote = "vote " + rule
	}
	f.Facts = append(f.Facts, names.FeatureOf(vote))
	for _, u := range n.uses(i) {
		f.Uses = append(f.Uses, names.FeatureOf(u.text()))
	}
	for _, list := range []*[]names.Feature{&f.Facts, &f.Uses} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	return f
}

// counted returns a number as a part of a feature, with one for all numbers above a limit.
func counted(n, limit int) string { return strconv.Itoa(min(n, limit)) }

// facts returns what is known about a name as a whole.
func (n *Names) facts(i int) (all []string) {
	x := n.all[i]
	fact := func(parts ...string) { all = append(all, strings.Join(parts, " ")) }
	name := n.d.Text[x.Start:x.End]
	lower := 0
	for _, w := range x.words {
		if n.lower[w] {
			lower++
		}
	}
	fact("a name")
	fact("words", counted(len(x.words), 6))
	fact("also in lower case", counted(lower, 1), strconv.FormatBool(lower == len(x.words)))
	fact("times", counted(len(x.places), 6))
	fact("before it", counted(i, 6))
	for _, c := range []struct {
		what string
		is   bool
	}{
		{"one word", len(x.words) == 1 && lower == 0},
		{"capitals", strings.ToUpper(name) == name},
		{"form", preamble.HasForm(name)},
		{"digits", strings.ContainsAny(name, "0123456789")},
		{"place", law.IsPlace(name)},
		{"personal " + counted(len(x.words), 4), signature.Personal(name)},
		{"short forms", slices.ContainsFunc(x.places, func(p layout.Span) bool { return p.Len() < x.Len() })},
		{"in " + early, n.isIn(x, early)},
		{"in " + middle, n.isIn(x, middle)},
		{"in " + late, n.isIn(x, late)},
		{"at both ends", n.isIn(x, early) && n.isIn(x, late)},
	} {
		if c.is {
			fact(c.what)
		}
	}
	for _, p := range x.places[:min(len(x.places), maxUses)] {
		fact(n.lineOf(p).position(n.region(p)))
	}
	return append(all, n.signings(x)...)
}

// signings returns what the signature blocks say about a name.
func (n *Names) signings(x Name) (all []string) {
	for _, s := range n.d.Signatures {
		if s.Name.Len() > 0 && slices.ContainsFunc(x.places, s.Name.Overlaps) {
			all = append(all, "signs", "signs for a party "+strconv.FormatBool(s.Party.Len() > 0), "signs with a title "+strconv.FormatBool(s.Title.Len() > 0))
		}
		if s.Party.Len() > 0 && slices.ContainsFunc(x.places, s.Party.Overlaps) {
			all = append(all, "signed for")
		}
	}
	return all
}

// The regions of a document.
const early, middle, late = "the beginning", "the middle", "the end"

// edge is how many bytes at least belong to the beginning and to the end of a document. An eighth of a
// longer one does.
const edge = 200

// region returns the region of a place.
func (n *Names) region(p layout.Span) string {
	size := max(edge, len(n.d.Text)/8)
	switch {
	case p.Start < size:
		return early
	case p.Start > len(n.d.Text)-size:
		return late
	}
	return middle
}

// isIn reports whether a name is in a region.
func (n *Names) isIn(x Name, region string) bool {
	return slices.ContainsFunc(x.places, func(p layout.Span) bool { return n.region(p) == region })
}

// maxUses is how many places with a name are examined.
const maxUses = 8

// use is a feature of a place with a name.
type use struct {
	kind  string
	words string
}

// text returns the feature as a text.
func (u use) text() string { return "use " + u.kind + " " + u.words }

// said returns the reason for a party that a use gives, "" for none.
func (u use) said() string {
	if !strings.ContainsFunc(u.words, unicode.IsLetter) || strings.ContainsAny(u.words, "$^"+lineBreak+wideGap) {
		return ""
	}
	switch u.kind {
	case "label":
		return fmt.Sprintf("it follows the label “%s”", u.words)
	case "before", "two before":
		return fmt.Sprintf("it follows “%s”", u.words)
	case "after", "two after":
		return fmt.Sprintf("it precedes “%s”", u.words)
	}
	return ""
}

// uses returns how a document uses a name.
func (n *Names) uses(i int) (all []use) {
	x := n.all[i]
	last := x.words[len(x.words)-1]
	all = append(all, use{"first", x.words[0]}, use{"last", last})
	if letters := []rune(last); len(letters) > 3 {
		all = append(all, use{"ending", string(letters[len(letters)-3:])})
	}
	for _, w := range x.words {
		all = append(all, use{"word", w})
	}
	for _, p := range x.places[:min(len(x.places), maxUses)] {
		all = append(all, n.usesAt(p)...)
	}
	return all
}

// usesAt returns how a document uses the name at a place.
func (n *Names) usesAt(p layout.Span) (all []use) {
	if label := n.lineOf(p).label(); label != "" {
		all = append(all, use{"label", label})
		for w := range strings.FieldsSeq(label) {
			all = append(all, use{"label word", w})
		}
	}
	text, region := n.d.Text, n.region(p)
	before := tokens(text[max(0, p.Start-beforeReach):p.Start])
	slices.Reverse(before)
	after := tokens(text[p.End:min(len(text), p.End+afterReach)])
	all = append(all,
		use{"before", at(before, 0)}, use{"two before", at(before, 1) + " " + at(before, 0)}, use{"before in " + region, at(before, 0)},
		use{"after", at(after, 0)}, use{"two after", at(after, 0) + " " + at(after, 1)}, use{"after in " + region, at(after, 0)},
		use{"around", at(before, 0) + " " + at(after, 0)})
	for _, w := range before[:min(len(before), 5)] {
		all = append(all, use{"near before", w})
	}
	for _, w := range after[:min(len(after), 6)] {
		all = append(all, use{"near after", w})
	}
	return all
}

// How many bytes before and after a name are examined.
const beforeReach, afterReach = 120, 160

// at returns a token, or one for the end of the text.
func at(tokens []string, i int) string {
	if i < len(tokens) {
		return tokens[i]
	}
	return "$"
}

// line is the line of a name: what is before and after it.
type line struct{ before, after string }

// lineOf returns the line of a place.
func (n *Names) lineOf(p layout.Span) line {
	text := n.d.Text
	before := text[strings.LastIndexByte(text[:p.Start], '\n')+1 : p.Start]
	after, _, _ := strings.Cut(text[p.End:], "\n")
	return line{strings.TrimSpace(before[max(0, len(before)-maxLine):]), strings.TrimSpace(after[:min(len(after), maxLine)])}
}

// maxLine is how many bytes of a line before and after a name are examined.
const maxLine = 300

// position returns where in its line a name is, and in which region if it is alone.
func (l line) position(region string) string {
	begins, ends := l.before == "", strings.Trim(l.after, ".,;:") == ""
	switch {
	case begins && ends:
		return "alone in a line in " + region
	case begins:
		return "begins a line"
	case ends:
		return "ends a line"
	}
	return "within a line"
}

// labelBefore matches a label at the beginning of a line or of a cell.
var labelBefore = space.Compile(`(?:^|[ \t]{2,}|[|])((?:[\pL/&'’-]+[ ]?){1,5})[ \t]*(?:\([^)]*\))?[ \t]*[:=|–-]+$`)

// label returns the label before the name in lower case, "" for none.
func (l line) label() string {
	if m := labelBefore.FindStringSubmatch(l.before); m != nil {
		return strings.ToLower(m[1])
	}
	return ""
}
