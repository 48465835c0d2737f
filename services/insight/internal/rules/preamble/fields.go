package preamble

import (
	"strings"

	"github.com/rectohq/recto/libs/formats/layout"
	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
)

var (
	// nameField matches the field of a form for a name: "1. Name:", "Company name:", "Name of customer:".
	nameField = regexp.MustCompile(`(?i)^(?:\(?\d{1,2}[.)]*[ \t]*)?(?:(?:(?:full|first and last|company|business|legal|trading|organi[sz]ation)[ ])?names?|company|organi[sz]ation|([\pL]{4,20})(?:['’]s)?[ ]name|name[ ]of[ ](?:the[ ])?([\pL ]{4,30}))[ ]?:`)
	// headingMarks matches what a form has before the heading of fields, and detailsOf what it has after it.
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
	for at, n := 0, 0; at < len(text) && n < maxLines; n++ {
		end := at + strings.IndexByte(text[at:], '\n')
		if end < at {
			end = len(text)
		}
		from := at + len(text[at:end]) - len(strings.TrimLeft(text[at:end], " \t|"))
		if m := nameField.FindStringSubmatchIndex(text[from:end]); m != nil {
			role := ""
			switch called := text[from+max(m[2], m[4], 0) : from+max(m[3], m[5], 0)]; {
			case called == "":
				role = headingRole(above)
			case isBareRole(called):
				role = called
			}
			if value, to, ok := cellOf(text, from+m[1], end); ok && role != "" {
				labels = append(labels, label{layout.Span{Start: from, End: value}, role, true, to, true})
			}
		}
		if above = append(above, text[at:end]); len(above) > aboveFields {
			above = above[1:]
		}
		at = end + 1
	}
	return labels
}

// headingRole returns the role that the nearest heading among lines names, "" for none.
func headingRole(lines []string) string {
	for i := len(lines) - 1; i >= 0; i-- {
		line := lines[i][len(headingMarks.FindString(lines[i])):]
		line = line[:len(line)-len(detailsOf.FindString(line))]
		for _, part := range strings.FieldsFunc(line, func(r rune) bool { return r == '/' || r == '&' }) {
			if part = strings.TrimSpace(part); isBareRole(part) {
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
	if roleSet[strings.ToLower(role)] {
		return role
	}
	return strings.TrimRight(role, "sS")
}

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
