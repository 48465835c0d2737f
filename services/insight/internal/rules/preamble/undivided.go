package preamble

import (
	"slices"
	"strings"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/space"
	"github.com/rectohq/recto/services/insight/internal/structure"
	"github.com/rectohq/recto/services/insight/internal/structure/signature"
)

// within matches the text between two parts of one name.
var within = space.Compile(`^\s+(?i:and|&)\s+$`)

// undivided joins parties that are two parts of one name with "and" in it: "Ministry of Water and Sanitation
// (the "Ministry")".
func undivided(d *structure.Document, found []Party) []Party {
	for i := 0; i+1 < len(found); {
		p, next := found[i], found[i+1]
		if !within.MatchString(d.Text[p.Name.End:max(p.Name.End, next.Name.Start)]) || !signedAsOne(d, p, next) && !describedAsOne(d, found, i) && !endsList(d, found, i) {
			i++
			continue
		}
		next.Name.Start, next.Whole.Start = p.Name.Start, p.Whole.Start
		next.Titled = false
		found = slices.Replace(found, i, i+2, next)
	}
	return found
}

// signedAsOne reports whether a signature block has both parts as the name of one party, or the first part and
// the beginning of the second. Two people may sign in one block.
func signedAsOne(d *structure.Document, p, next Party) bool {
	if plainPerson(d, p) && plainPerson(d, next) {
		return false
	}
	first, _, _ := strings.Cut(d.Plain(next.Name), " ")
	name := strings.ToLower(d.Plain(layout.Span{Start: p.Name.Start, End: next.Name.Start}) + " " + first)
	return slices.ContainsFunc(d.Signatures[:min(len(d.Signatures), maxParties)], func(s structure.Signature) bool {
		return s.Party.Len() > 0 && s.Party.Len() <= 2*maxName && strings.Contains(strings.ToLower(d.Plain(s.Party)), name)
	})
}

// describedAsOne reports whether the list says something about each party but party i, whose name has no legal
// form, while the name of the party after it does not look like one without the term that is defined for it.
func describedAsOne(d *structure.Document, found []Party, i int) bool {
	name, next := d.Plain(found[i].Name), d.Plain(found[i+1].Name)
	if len(found) < 3 || !HasForm(name) || isForm(lastWord(name)) || HasForm(next) || signature.Personal(next) && strings.Contains(next, " ") {
		return false
	}
	for k, p := range found {
		if (len(p.Terms) > 0) != (k != i) || k == i && p.About != "" {
			return false
		}
	}
	return true
}

// minLast is the minimum number of words of the first part of a name that ends a list.
const minLast = 3

// lastJoin matches the text before the last party of a list.
var lastJoin = space.Compile(`[,;]\s+and\s+(?:the\s+)?$`)

// endsList reports whether "and" is before party i, which then is the last one, so that the "and" behind it is
// within its name: "Alder Inc. ("Alder"), and North Tide and Current Corporation ("Licensee")".
func endsList(d *structure.Document, found []Party, i int) bool {
	p, next := found[i], found[i+1]
	name := d.Plain(p.Name)
	return i > 0 && len(p.Terms) == 0 && p.About == "" && len(next.Terms) > 0 && len(found[i-1].Terms) > 0 &&
		!isForm(lastWord(name)) && !p.Titled && len(strings.Fields(name)) >= minLast && !plainPerson(d, next) &&
		lastJoin.MatchString(d.Text[max(0, p.Name.Start-maxCourtesy):p.Name.Start])
}

// plainPerson reports whether a party may be a person, judged by its name.
func plainPerson(d *structure.Document, p Party) bool {
	name := d.Plain(p.Name)
	return signature.Personal(name) && !HasForm(name)
}
