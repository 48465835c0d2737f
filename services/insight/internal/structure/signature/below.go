package signature

import (
	"slices"
	"strings"

	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
	"github.com/rectohq/recto/services/insight/internal/structure/wording"
)

// article matches the article before a role.
var article = regexp.MustCompile(`^(?i:the)\s+`)

// titlesBelow makes lines below the names of signers their titles although no word in them is known as an
// office, such as "Daglig leder": each is below a name that is below a line to sign on. Either one beside
// them is known as an office, or companies are on the next line. These are the parties if they are side by side.
func titlesBelow(text string, region []mark) {
	var above, names []mark
	for rest := region; len(rest) > 0; {
		row := rowOf(rest)
		rest = rest[len(row):]
		if signedRow(above) && len(names) == len(above) && len(row) == len(names) && personRow(text, names) && mayBeTitles(text, row) {
			firms := firmsBelow(text, rest, len(row))
			if firms != nil || len(row) > 1 && slices.ContainsFunc(row, func(m mark) bool { return office.MatchString(text[m.value.Start:m.value.End]) }) {
				assign(row, titled, "title")
			}
			if behind := rest[len(firms):]; len(row) > 1 && (len(behind) == 0 || !signedRow(rowOf(behind))) {
				assign(firms, partied, "party")
			}
		}
		above, names = names, row
	}
}

// assign gives marks a role and a word.
func assign(row []mark, r role, word string) {
	for i := range row {
		row[i].role, row[i].word = r, word
	}
}

// firmsBelow returns the first row of marks if it consists of the names of n companies, nil otherwise.
func firmsBelow(text string, rest []mark, n int) []mark {
	if len(rest) == 0 {
		return nil
	}
	row := rowOf(rest)
	if len(row) != n || slices.ContainsFunc(row, func(m mark) bool { return m.role != other || !formed(text[m.value.Start:m.value.End]) }) {
		return nil
	}
	return row
}

// signedRow reports whether a row consists of lines to sign on.
func signedRow(row []mark) bool {
	return len(row) > 0 && !slices.ContainsFunc(row, func(m mark) bool { return m.role != signs || m.word != lineWord || m.value.Len() > 0 })
}

// personRow reports whether a row consists of the full names of people.
func personRow(text string, row []mark) bool {
	return !slices.ContainsFunc(row, func(m mark) bool { return m.role != other || !personal(text, &m) })
}

// mayBeTitles reports whether each text of a row without labels may be a title, rather than what the contract
// calls the party: "Owner".
func mayBeTitles(text string, row []mark) bool {
	return !slices.ContainsFunc(row, func(m mark) bool {
		t := text[m.value.Start:m.value.End]
		return m.role != other || m.value.Len() == 0 || len(strings.Fields(t)) > maxNameWords || strings.ContainsAny(t, ":0123456789@") || formed(t) || calls(t) || witnessing.MatchString(t) || captions(t)
	})
}

// formed reports whether a text is the name of a company, with any legal form.
func formed(t string) bool {
	return (wording.EndsCompany(t) || formEnd.MatchString(t)) && partial(t)
}

// calls reports whether a text is what contracts call a party.
func calls(t string) bool { return signingRole.MatchString(article.ReplaceAllString(t, "")) }

// calledBelow takes a line below a line to sign on that calls the party by its role: "SELLER", and perhaps its
// name on the next line. No party is above.
func (b *blockReader) calledBelow(m mark, t string) bool {
	if b.last != signs || b.lastWord != lineWord || b.witness || b.attested || b.now.Name.Len() > 0 || b.now.Party.Len() > 0 || !calls(t) {
		return false
	}
	if len(b.next) > 0 && b.next[0].role == other {
		if !personal(b.text, &b.next[0]) {
			return false
		}
	} else {
		b.last = partied
	}
	b.extend(m.Span)
	b.now.Party = m.value
	return true
}
