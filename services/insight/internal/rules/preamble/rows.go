package preamble

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rectohq/recto/libs/formats/layout"
	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
)

// maxLines is the maximum number of lines in which rows are looked for.
const maxLines = 600

var (
	// rowGap separates the label of a row from its value.
	rowGap = regexp.MustCompile(`\t[ \t|]*|[ ]{2,}[|]?[ ]*|[ ]?[|][ ]+`)
	// itemNumber matches the number of a row.
	itemNumber = regexp.MustCompile(`^(?:(?:[Ii]tem|ITEM|[Nn]o\.?)[ ]*)?\(?[0-9]{1,2}[.)]*(?:[ ]+|\t)`)
	// pronouned matches a label that calls a party as a contract in plain English does: "We / us".
	pronouned = regexp.MustCompile(`^(?i:you|we|us|the (?:customer|client) \(you\))(?: ?[/,(] ?(?i:your|our|us|we|you)\)?)?$`)
	// besideRole matches what follows a role in a label: "Tenant (you)", "Owner's name".
	besideRole = regexp.MustCompile(`(?i)(?:['’]s)?(?: (?:full |company |legal )?name| details)?(?: ?\([^()]{0,40}\))?$`)
)

// rowLabels returns the labels of parties in rows of key terms, which no colon separates from the names:
//
//	OWNER     Alder Storage (Pty) Ltd
//	TENANT    Jane Doe
func rowLabels(text string) (labels []label) {
	for at, n := 0, 0; at < len(text) && n < maxLines; n++ {
		end := at + strings.IndexByte(text[at:], '\n')
		if end < at {
			end = len(text)
		}
		if l, ok := rowLabel(text, at, end); ok {
			labels = append(labels, l)
		}
		at = end + 1
	}
	return labels
}

// rowLabel returns the label of a line of a text, from one offset to another.
func rowLabel(text string, at, end int) (label, bool) {
	at += len(text[at:end]) - len(strings.TrimLeft(text[at:end], " \t|"))
	at += len(itemNumber.FindString(text[at:end]))
	m := rowGap.FindStringIndex(text[at:end])
	if m == nil || m[0] == 0 || m[0] > maxRole {
		return label{}, false
	}
	role := strings.TrimSpace(text[at : at+m[0]])
	role = role[:len(role)-len(besideRole.FindString(role))]
	if role == "" || strings.ContainsAny(role, ":;") || !isParty(text, role) || !capital(text[at+m[1]:end]) {
		return label{}, false
	}
	value := end
	if next := cellGap.FindStringIndex(text[at+m[1] : end]); next != nil {
		value = at + m[1] + next[0]
	}
	return label{layout.Span{Start: at, End: at + m[1]}, role, true, value, false}, true
}

// cellGap separates the value of a row from the next cell of the line.
var cellGap = regexp.MustCompile(`[ ]{3,}|\t|[ ]*[|]`)

// maxRole is the maximum length of the label of a row in bytes.
const maxRole = 40

// isParty reports whether the label of a row calls a party: by a role, by a word for something with
// rights or duties in the text, or as "you" or "we".
func isParty(text, role string) bool {
	if first, _ := utf8.DecodeRuneInString(role); !unicode.IsUpper(first) {
		return false
	}
	if pronouned.MatchString(role) {
		return true
	}
	for _, part := range strings.Split(role, "/") {
		if isBareRole(strings.TrimSpace(part)) {
			return true
		}
	}
	return len(strings.Fields(role)) <= 2 && hasDuties(text, role)
}
