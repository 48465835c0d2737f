package preamble

import (
	"strings"
	"unicode"

	"github.com/rectohq/recto/libs/formats/layout"
	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
)

var (
	// nameField matches the field of a form for a name: "1. Name:", "Company name:", "Name of customer:".
	nameField = regexp.MustCompile(`(?i)^(?:\(?\d{1,2}[.)]*[ \t]*)?(?:(?:(?:full|first and last|company|business|legal|trading|organi[sz]ation)[ ])?names?|company|organi[sz]ation|([\pL]{4,20})(?:['’]s)?[ ]name|name[ ]of[ ](?:the[ ])?([\pL ]{4,30}))(?:[ ]?\([\w ]{1,20}\))?(?:[ ]?:|[ ]{2,}|\t)`)
	// headingMarks matches the marks and numbers before the heading of fields, and detailsOf the words and
	// marks after it.
	headingMarks = regexp.MustCompile(`^[ \t|+=*#_-]*(?:(?:part|section|box)[ ]+)?(?:[A-Za-z0-9]{1,2}[.):][ \t]*)?(?i:the[ ]+|your[ ]+)?`)
	detailsOf    = regexp.MustCompile(`(?i)(?:['’]s?)?(?:[ ](?:details|information|particulars|data))?(?:[ ]*\([^()]{0,60}\))?[ \t:|.=*-]*$`)
)

// aboveFields is how many lines above a field its heading is looked for.
const aboveFields = 6

// fieldLabels returns the labels of fields for the names of parties in a form:
//
//	CUSTOMER DETAILS
//	Name:     Jane Doe
func fieldLabels(text string) (labels []label) {
	var above []string // the lines above, the nearest last
	for at, end := range linesOf(text) {
		from := at + len(text[at:end]) - len(strings.TrimLeft(text[at:end], " \t|"))
		if m := nameField.FindStringSubmatchIndex(text[from:end]); m != nil {
			role := ""
			switch called := text[from+max(m[2], m[4], 0) : from+max(m[3], m[5], 0)]; {
			case called == "":
				role = headingRole(above)
			case IsBareRole(called):
				role = called
			}
			if value, to, ok := cellOf(text, from+m[1], end); ok && role != "" {
				labels = append(labels, label{Span: layout.Span{Start: from, End: value}, role: role, first: true, value: to, field: true})
			}
		}
		if above = append(above, text[at:end]); len(above) > aboveFields {
			above = above[1:]
		}
	}
	return labels
}

// headingRole returns the role that the nearest heading among lines names, "" for none.
func headingRole(lines []string) string {
	for i := len(lines) - 1; i >= 0; i-- {
		if yours.MatchString(lines[i]) || namedHere.MatchString(lines[i]) {
			return "You"
		}
		line := lines[i][len(headingMarks.FindString(lines[i])):]
		line = line[:len(line)-len(detailsOf.FindString(line))]
		for _, part := range partsOf(line) {
			if part = strings.TrimSpace(part); callsParty(part) {
				return singular(part)
			}
		}
		if line != "" && !strings.Contains(lines[i], ":") {
			return "" // the heading of other fields
		}
	}
	return ""
}

// singular returns a role without the mark of the plural.
func singular(role string) string {
	last := strings.ToLower(role[strings.LastIndexByte(role, ' ')+1:])
	if one, several := strings.CutSuffix(last, "s"); several && roleSet[one] && !roleSet[last] {
		return role[:len(role)-1]
	}
	return role
}

// yours matches the heading of fields about the reader.
var yours = regexp.MustCompile(`^[ \t|+=*#_-]*(?i:your (?:details|data|information|particulars)|about you|who you are)[ \t|:]*$`)

// namedHere matches a line above fields that says that they are those of a party.
var namedHere = regexp.MustCompile(`(?i)\b(?:named|identified|described|given) (?:here|below)[ \t]*:?[ \t]*$`)

// cellOf returns the places of the text in a cell that begins at an offset of a line, after white space. The
// line ends at another offset.
func cellOf(text string, at, end int) (from, to int, ok bool) {
	from = at + len(text[at:end]) - len(strings.TrimLeft(text[at:end], " \t_."))
	to = end
	if next := cellGap.FindStringIndex(text[from:end]); next != nil {
		to = from + next[0]
	}
	return from, to, to > from
}

// linesAbove returns the labels that stand on a line of their own above a name:
//
//	Teacher
//	Jane Doe
func linesAbove(text, lower string) (labels []label) {
	below := false // the line above is a label, too
	for at, end := range linesOf(text) {
		line := text[at:end]
		from := at + len(headingMarks.FindString(line))
		role := strings.TrimRight(text[from:end-len(detailsOf.FindString(line[from-at:]))], " \t:")
		if whole := strings.Trim(line, " \t|:"); pronouned.MatchString(whole) {
			role = whole
		} else if role != "" && unicode.IsUpper(rune(whole[0])) {
			role = strings.ToUpper(role[:1]) + role[1:]
		}
		called := role != "" && len(role) <= maxRole && !strings.Contains(role, "  ") && isParty(lower, role)
		if next := end + 1; called && !below && next < len(text) {
			line, _, _ := strings.Cut(text[next:], "\n")
			if value, to, ok := cellOf(text, next, next+len(line)); ok && !nameField.MatchString(text[value:]) {
				labels = append(labels, label{Span: layout.Span{Start: from, End: value}, role: role, first: true, value: to})
			}
		}
		below = called
	}
	return labels
}

// stated matches a sentence that says who a party is: "The Tenant is Jane Doe."
var stated = regexp.MustCompile(`(?:^|\n|\.[ \n])[ \t]*(?:The|Your|Our) ([\pL][\pL ]{2,30}?) (?:is|are):? (?:the )?`)

// meant matches a sentence that says who "we" and "you" are.
var meant = regexp.MustCompile(`["“'‘](?i:(we|you|us|i|the [\pL]{3,20}))["”'’] (?:are|is|means?|stands? for) (?:the )?`)

// undersigned matches the beginning of a contract in the words of one of its parties: "I, Jane Doe, lend".
var undersigned = regexp.MustCompile(`(?:^|\n|[.:] |, )[ \t]*(I),[ \n](?:the undersigned,?[ \n])?(?:_+)?`)

// statedLabels returns the roles of such sentences as labels.
func statedLabels(text string) (labels []label) {
	for _, m := range undersigned.FindAllStringSubmatchIndex(text, maxStated) {
		labels = append(labels, label{Span: layout.Span{Start: m[2], End: m[1]}, role: "I", first: true})
	}
	for _, m := range meant.FindAllStringSubmatchIndex(text, maxStated) {
		if capital(text[m[1]:]) {
			labels = append(labels, label{Span: layout.Span{Start: m[2], End: m[1]}, role: "You", first: true, field: true})
		}
	}
	for _, m := range stated.FindAllStringSubmatchIndex(text, maxStated) {
		if role := text[m[2]:m[3]]; IsBareRole(role) && capital(text[m[1]:]) {
			labels = append(labels, label{Span: layout.Span{Start: m[2], End: m[1]}, role: role, first: true})
		}
	}
	return labels
}

// maxStated is the maximum number of such sentences that are examined.
const maxStated = 60
