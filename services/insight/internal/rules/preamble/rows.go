package preamble

import (
	"iter"
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
	rowGap = regexp.MustCompile(`\t[ \t|]*|[ ]{2,}[|]?[ ]*|[ ]?[|][ ]+|[ ]?\.{3,}[ ]*`)
	// itemNumber matches the number of a row.
	itemNumber = regexp.MustCompile(`^(?:(?:[Ii]tem|ITEM|[Nn]o\.?)[ ]*)?\(?[0-9]{1,2}[.)]*(?:[ ]+|\t)`)
	// pronouned matches a label that calls a party as a contract in plain English does: "We / us".
	pronouned = regexp.MustCompile(`^(?i:you|we|us|i|who (?:we|you) are|about (?:us|you)|your names?|the (?:customer|client) \(you\))(?: ?[/,(] ?(?i:your|our|us|we|you)\)?)?$`)
	// dealing matches a label by which orders, bookings and invoices call a party. "Ship to" is none.
	dealing = regexp.MustCompile(`^(?i:(?:sold|awarded|let|hired|rented|leased|bill|billed|invoice|invoiced|supplied) to|prepared (?:for|by)|(?:service|services|supplied|ordered|booked|sold|provided|organi[sz]ed|hosted|issued) by)$`)
	// besideRole matches what follows a role in a label: "Tenant (you)", "Owner's name".
	besideRole = regexp.MustCompile(`(?i)(?:['’]s)?(?: (?:full |company |legal )?name| details)?(?: ?\([^()]{0,40}\))?$`)
)

// rowLabels returns the labels of parties in rows of key terms, which no colon separates from the names:
//
//	OWNER     Alder Storage (Pty) Ltd
//	TENANT    Jane Doe
func rowLabels(text, lower string) (labels []label) {
	for at, end := range linesOf(text) {
		if l, ok := rowLabel(text, lower, at, end); ok {
			labels = append(labels, l)
		}
	}
	return labels
}

// linesOf yields the beginnings and ends of the first lines of a text.
func linesOf(text string) iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		at := 0
		for range maxLines {
			line, _, more := strings.Cut(text[at:], "\n")
			if !yield(at, at+len(line)) || !more {
				return
			}
			at += len(line) + 1
		}
	}
}

// rowLabel returns the label of a line of a text, from one offset to another.
func rowLabel(text, lower string, at, end int) (label, bool) {
	at += len(text[at:end]) - len(strings.TrimLeft(text[at:end], " \t|"))
	at += len(itemNumber.FindString(text[at:end]))
	m := rowGap.FindStringIndex(text[at:end])
	if m == nil || m[0] == 0 || m[0] > maxRole {
		return label{}, false
	}
	role := strings.TrimSpace(text[at : at+m[0]])
	role = role[:len(role)-len(besideRole.FindString(role))]
	if role == "" || strings.ContainsAny(role, ":;") || !isParty(lower, role) || !capital(text[at+m[1]:end]) {
		return label{}, false
	}
	value := end
	if next := cellGap.FindStringIndex(text[at+m[1] : end]); next != nil {
		value = at + m[1] + next[0]
	}
	return label{Span: layout.Span{Start: at, End: at + m[1]}, role: role, first: true, value: value}, true
}

// cellGap separates the value of a row from the next cell of the line.
var cellGap = regexp.MustCompile(`[ ]{3,}|\t|[ ]*[|]`)

// maxRole is the maximum length of the label of a row in bytes.
const maxRole = 40

// isParty reports whether the label of a row calls a party: by a role, by a word for something with
// rights or duties in the text, which is in lower case, or as "you" or "we".
func isParty(lower, role string) bool {
	if first, _ := utf8.DecodeRuneInString(role); !unicode.IsUpper(first) {
		return false
	}
	if pronouned.MatchString(role) || dealing.MatchString(role) {
		return true
	}
	for _, part := range partsOf(role) {
		if callsParty(strings.TrimSpace(part)) {
			return true
		}
	}
	return len(strings.Fields(role)) <= 3 && hasDuties(lower, role)
}

// callsParty reports whether a label is a role, perhaps with a word before it: "Charter Guest".
func callsParty(label string) bool {
	words := strings.Fields(label)
	if of := strings.Index(strings.ToLower(label), " of the "); of > 0 {
		return IsBareRole(label[:of])
	}
	return IsBareRole(label) || len(words) == 2 && IsBareRole(words[1]) && !ofStaff[strings.ToLower(words[1])]
}

// ofStaff are roles that people have in an organization, too: "Account Manager".
var ofStaff = set(`manager agent principal executive partner officer administrator member holder company controller employee host operator`)

// partsOf returns the parts of a label: "Parent" and "guardian" of "Parent or guardian".
func partsOf(label string) []string {
	return strings.FieldsFunc(joints.Replace(label), func(r rune) bool { return r == '/' || r == '&' })
}

// joints are the words that join them.
var joints = strings.NewReplacer(" or ", "/", " and ", "/", " OR ", "/", " AND ", "/")
