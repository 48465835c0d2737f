package keydates

import (
	"slices"
	"strings"

	"github.com/rectohq/recto/libs/contract/insightapi"
	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
	"github.com/rectohq/recto/services/insight/internal/rules/date"
	"github.com/rectohq/recto/services/insight/internal/rules/passage"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// row is the row of a table of key terms, or the field of a form, that holds a date: "Start
// date: 1 May 2024".
type row struct {
	// label is the text of the cell before, and lead that before the date in its own cell: "two
	// years from". Both are on one line in lower case.
	label, lead string
	// beside reports that the line has more cells.
	beside bool
}

// Patterns for the parts of a row.
var (
	// cellEnd separates the cells of a line. Text with justified lines has two spaces between
	// words.
	cellEnd = regexp.MustCompile(`:\s|\||\t|\s{3,}|:$`)
	// numbered matches the number of a row.
	numbered = regexp.MustCompile(`^(?:item |no\.? )?(?:\(?[\divx]{1,4}[.)]*|[a-z][.)])\s+`)
	// leadWords matches the words that a cell may have before its date.
	leadWords = regexp.MustCompile(`^(?:(?:from|on|as of|with effect|and including|until|till|up to|to|through|by|the|date of (?:this|the) \w+|\d{1,2}[.:]\d\d ?(?:[ap]m)?|noon|midnight|mon|tues?|wed|thu(?:rs)?|fri|sat|sun|\w{3,6}day|` +
		`(?:a |an )?(?:\w+ )?(?:\(?\w+\)? )?(?:years?|months?|weeks?)(?: commencing| beginning| starting| \()?)[\s,]*)*$`)
)

// maxRowLabel is the maximum length of the label of a row in bytes.
const maxRowLabel = 60

// rowOf returns the row of a date.
func rowOf(d *structure.Document, at date.Date) (row, bool) {
	before, ok := lineBefore(d, at)
	if !ok {
		return row{}, false
	}
	cells := cellsOf(before)
	last := len(cells) - 1
	r := row{lead: cells[last].text}
	if label := passage.LabelOf(d, at.Span); last == 0 && label != "" {
		cells, last = []cell{{passage.Lower(label), false}, cells[0]}, 1
	}
	for last--; last >= 0 && cells[last].text == ""; last-- {
	}
	if last < 0 || cells[last].value || !leadWords.MatchString(r.lead) {
		return row{}, false
	}
	r.label = numbered.ReplaceAllString(cells[last].text, "")
	r.beside = slices.ContainsFunc(cells[:last], func(c cell) bool { return c.text != "" })
	after, _, _ := strings.Cut(d.Text[at.End:min(len(d.Text), at.End+lineReach)], "\n")
	if next := cellEnd.FindStringIndex(after); next != nil && strings.Trim(after[next[1]:], " |\t\r") != "" {
		r.beside = true
	}
	return r, r.label != "" && len(r.label) <= maxRowLabel && !sentenceEnd.MatchString(r.label)
}

// lineBefore returns the text before a date on its line, unless the line begins too far away.
func lineBefore(d *structure.Document, at date.Date) (string, bool) {
	from := max(0, at.Start-lineReach)
	before := d.Text[from:at.Start]
	if line := strings.LastIndexByte(before, '\n'); line >= 0 {
		return before[line+1:], true
	}
	return before, from == 0
}

// cell is the text of a cell of a row, on one line in lower case. value reports that a colon
// is before it: it is the value of a field rather than the label of the next one.
type cell struct {
	text  string
	value bool
}

// cellsOf returns the cells of a line.
func cellsOf(line string) []cell {
	var cells []cell
	from, value := 0, false
	for _, m := range cellEnd.FindAllStringIndex(line, -1) {
		cells = append(cells, cell{passage.Lower(line[from:m[0]]), value})
		from, value = m[1], line[m[0]] == ':'
	}
	return append(cells, cell{passage.Lower(line[from:]), value})
}

// sentenceEnd matches text that is no label.
var sentenceEnd = regexp.MustCompile(`\w{3,}[.;?!] \w|[;,]$|\b(?:shall|will|is|are|was|were|has|have|may|must)\b`)

// Patterns for the labels of rows, in lower case.
var (
	rowOther = regexp.MustCompile(`\b(?:rent|billing|invoic\w*|payments?|interest|warranty|offers?|quot\w+|tender|proposal|vesting|delivery|deliveries|possession|review|notice|born|birth|trial|discount|price|early)\b`)
	rowStart = regexp.MustCompile(`^(?:the )?(?:[\w'-]+ ){0,3}(?:start|starts|starting|begin|begins|beginning|commences|commencing|commencement|effective|inception|go-live)(?: (?:date|day|on|from|of (?:the )?[\w-]+(?: [\w-]+)?))?$|` +
		`^(?:your |the )?first day(?: of [\w -]{3,40})?$|^(?:valid|in force|in effect|with effect|effective|applies|cover|runs) (?:from|as of|as from)$|^(?:entry|coming|comes?|enters?) into (?:force|effect)$|^(?:takes )?effect(?:ive)? (?:from|on|date)$`)
	rowEnd = regexp.MustCompile(`^(?:the )?(?:[\w'-]+ ){0,3}(?:end|ends|ending|expiry|expires|expiration|expiring|finish|finishes|termination|maturity)(?: (?:date|day|on|of (?:the )?[\w-]+(?: [\w-]+)?))?$|` +
		`^(?:expected |planned |target )?(?:project |final |contract )?completion(?: date)?$|^(?:your |the )?last day(?: (?:of|covered) [\w -]{3,40})?$|^(?:valid|in force|in effect|runs|cover|contract|lease|licen[sc]e) (?:until|to|through)$`)
	rowMade = regexp.MustCompile(`^(?:date of (?:this |the )?(?:agreement|contract|deed|order|lease|licen[sc]e|letter|purchase order|signature|signing|execution|issue|statement of work|sow|po)|` +
		`(?:p\.?o\.?|purchase order|order|order form|agreement|contract|deed|lease|licen[sc]e|signature|signing|execution|sow|form|letter|document|statement of work) date|(?:(?:schedule |order |sow )?dated|concluded|agreed|entered into|made)(?: on| at [\w ]{2,30})?)$`)
	rowSigned = regexp.MustCompile(`^(?:date|dated|on|date signed|signed(?: on| electronically)?|date of (?:signature|signing|acceptance)|signature date|signing date)$`)
	rowElse   = regexp.MustCompile(`^(?:master|original|principal|underlying|existing|head|framework)\b[\w ]{2,40} dated?$`)
	rowTerm   = regexp.MustCompile(`\b(?:term|duration|validity|period|period of performance|licen[sc]e|cover)$`)
	// validUntil matches the end of an offer, if the document is one.
	validUntil = regexp.MustCompile(`^valid (?:until|to|through)$`)
	offering   = regexp.MustCompile(`\b(?:quotation|quote|proposal|estimate|offer)\b`)
)

// rowRoles are the roles that labels give, in the order in which they are tried.
var rowRoles = []struct {
	label       *regexp.Regexp
	kind, named string
}{
	{rowElse, insightapi.DateOther, signs[0].label},
	{rowMade, insightapi.DateExecution, "Date of the agreement"},
	{rowStart, insightapi.DateEffective, "Start date"},
	{rowEnd, insightapi.DateExpiration, "Expiration date"},
}

// signOfRow returns the sign of a date in a row. It returns false if the label does not give
// the role.
func signOfRow(d *structure.Document, at date.Date, r row) (sign, bool) {
	s := sign{confidence: 0.9, why: "The row of the date has this label."}
	switch {
	case rowSigned.MatchString(r.label) && (r.beside && at.Start > titleReach || inSignature(d, at.Span)):
		return signing, true
	case validUntil.MatchString(r.label) && offering.MatchString(passage.Lower(d.Text[:min(len(d.Text), titleReach)])):
		s.kind, s.label = insightapi.DateOther, "End of the offer"
		return s, true
	case rowTerm.MatchString(r.label) && !rowOther.MatchString(r.label):
		s.kind, s.label = ofTerm(r.lead)
	}
	for _, role := range rowRoles {
		if s.kind == "" && role.label.MatchString(r.label) {
			s.kind, s.label = role.kind, role.named
			if role.kind != insightapi.DateExecution && rowOther.MatchString(r.label) {
				s.kind, s.label = insightapi.DateOther, unknown.label
			}
		}
	}
	if name, ok := namedDate(r.label + ":"); ok && name.kind == s.kind {
		s.label = name.label
	}
	if s.kind == insightapi.DateEffective && strings.Contains(r.label, "effect") {
		s.label = usualLabels[s.kind]
	}
	return s, s.kind != ""
}

// ofTerm returns the role of a date after the words in a row for the term, and its label, "" for
// none.
func ofTerm(lead string) (kind, label string) {
	switch {
	case strings.HasSuffix(lead, "from"), strings.HasSuffix(lead, "("):
		return insightapi.DateEffective, "Effective date"
	case lastOfRow.MatchString(lead):
		return insightapi.DateExpiration, "Expiration date"
	}
	return "", ""
}

// titleReach is the size of the beginning of a document in which its title is expected.
const titleReach = 1000

// lastOfRow matches the words before the last day of a period.
var lastOfRow = regexp.MustCompile(`\b(?:until|till|to|through)(?: and including)?(?: \d{1,2}[.:]\d\d ?(?:[ap]m)?(?: on)?| midnight(?: on)?)?$`)
