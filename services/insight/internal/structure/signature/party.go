package signature

import (
	"slices"
	"strings"

	"github.com/rectohq/recto/libs/formats/layout"
	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
	"github.com/rectohq/recto/services/insight/internal/space"
	"github.com/rectohq/recto/services/insight/internal/structure/wording"
)

// party returns the line above that names the party: the last with a label or a company
// name, or else the last that may name one. others are the companies right above it, for which the
// same person signs.
func (b *blockReader) party() (last mark, others []mark, ok bool) {
	for i := len(b.above) - 1; i >= 0; i-- {
		m := b.above[i]
		m.value = withoutItem(b.text, m.value)
		t := b.quote(nameAlone(b.text, m.value))
		if m.role != partied && !partial(t) {
			continue
		}
		if m.role == partied {
			return m, nil, true
		}
		if wording.EndsCompany(t) || bodyEnd.MatchString(t) {
			return m, b.listed(i), true
		}
		if !ok {
			last, ok = m, true
		}
	}
	return last, nil, ok
}

// maxListed is the maximum number of companies in a list above one signature.
const maxListed = 200

// maxGap is the maximum distance of two lines that belong together, in lines.
const maxGap = 2

// listed returns the companies in the lines right above the line i, if each line names one and the
// same person signs for all of them.
func (b *blockReader) listed(i int) []mark {
	if t := b.quote(b.above[i].value); alias.MatchString(t) || ownLabel.MatchString(t) || b.signsTwice() || slices.ContainsFunc(b.above[i+1:], func(m mark) bool { return related.MatchString(b.quote(m.value)) }) {
		return nil
	}
	var out []mark
	row, at := b.above[i].row, i-1
	for ; at >= 0 && len(out) < maxListed; at-- {
		m := b.above[at]
		m.value = withoutItem(b.text, m.value)
		t := b.quote(nameAlone(b.text, m.value))
		if m.role != other || row-m.row > maxGap {
			break
		}
		row = m.row
		if wording.StartsLower(t) {
			if related.MatchString(t) || !description.MatchString(t) {
				return nil // it relates two companies: "doing business as"
			}
			continue
		}
		if !wording.EndsCompany(t) && !bodyEnd.MatchString(t) || !partial(t) || ownLabel.MatchString(t) {
			break
		}
		out = append(out, m)
	}
	if len(out) == 0 || notSigning.MatchString(lineAbove(b.text, out[len(out)-1].Start)) || len(out) == 1 && !b.pair(out[0], b.above[i]) {
		return nil
	}
	slices.Reverse(out)
	return out
}

// lineAbove returns the last line with text before the line of an offset, or what is near of it.
func lineAbove(text string, offset int) string {
	before := text[max(0, offset-2*maxMark):offset]
	if at := strings.LastIndexByte(before, '\n'); at >= 0 {
		before = before[:at]
	}
	before = strings.TrimSpace(before)
	return strings.TrimSpace(before[strings.LastIndexByte(before, '\n')+1:])
}

// pair reports whether two lines may be a list, rather than one name over two lines, or a company below
// another one in the head of the page.
func (b *blockReader) pair(x, y mark) bool {
	s, t := b.quote(nameAlone(b.text, x.value)), b.quote(nameAlone(b.text, y.value))
	return legalForm.MatchString(s) && legalForm.MatchString(t) && wording.CaseOf(s).Capitals() == wording.CaseOf(t).Capitals()
}

// signsTwice reports whether the next signature comes before the next party, so that each of the
// parties above may have its own signature.
func (b *blockReader) signsTwice() bool {
	for _, m := range b.next {
		if m.role == signs && (m.word == "by" || m.word == conformedWord || m.word == lineWord) {
			return true
		}
		t := b.quote(nameAlone(b.text, m.value))
		if m.role == partied || m.role == forWhom || m.role == other && (wording.EndsCompany(t) || wording.CaseOf(t).Capitals() && partial(t) && !Personal(t)) {
			return false
		}
	}
	return false
}

// calledAs matches the defined term, or the word "For", before the name of a party.
var calledAs = regexp.MustCompile(`^(?:For |Pour (?:la |le )?(?:société |compte de )?|Für (?:die |den )?|\(?["“][^"”]{1,40}["”]\)?:? +)`)

// behalfOf matches the text after the name of a company that signs for another.
var behalfOf = space.Compile(`(?i),?\s+(?:(?:as\s+)?its\s+|not\s+in\s+its\s+.*\bas\s+)(?:\w+\s+){0,2}(?:partner|member|manager|director|agent|advisor|adviser|trustee|attorney-in-fact)$`)

var (
	// note matches a defined term or a former name in parentheses behind the name of a party.
	note = space.Compile(`,?\s*\((?i:formerly|f/?k/?a|d/?b/?a|the\s|each\s|an?\s|as\s|hereinafter|collectively|["“'‘])[^()]{0,80}\)[,:]?$`)
	// law matches the law under which a party exists, behind its name, or the capacity in which it signs.
	law = space.Compile(`,\s+(?:as|an?)\s[^,]{1,80}[,:]?$`)
	// alias matches the beginning of another name of a company.
	alias = regexp.MustCompile(`^(?i:t/a|d/?b/?a|f/?k/?a|a/?k/?a|c/o|trading\s+as|formerly)\b`)
	// related matches a line that relates a company to the one above it.
	related = regexp.MustCompile(`(?i:\b(?:subsidiary|division|affiliate|member)\s+of\b)`)
	// description matches a line below a company that says where and as what it exists.
	description = regexp.MustCompile(`^an?\s+[^,;:]{0,60}\b(?i:company|corporation|partnership|trust|association|bank|society)[,.;]?$`)
	// notSigning matches the line above a list of those who do not sign there: the parties in a heading,
	// or those who get a copy.
	notSigning = regexp.MustCompile(`(?i:^(?:cc|bcc|copy|copies|with\s+a\s+copy|subsidiaries)\b|\b(?:between|among|amongst)$)`)
	// ownLabel matches the label of a party on its line: "Customer: Acme Ltd".
	ownLabel = regexp.MustCompile(`^[\pL][\pL /-]{1,30}:\s`)
	// legalForm matches a name that can only be that of a company, and ends with its legal form.
	legalForm = regexp.MustCompile(`(?i:[, ](?:inc|corp|ltd|limited|llc|l\.l\.c|lp|l\.p|llp|plc|gmbh|ag|s\.a|n\.v|b\.v)\.?)$`)
)

// nameAlone returns the name of a party without the defined term and the law behind it.
func nameAlone(text string, s layout.Span) layout.Span {
	s = withoutNote(text, s)
	if at := law.FindStringIndex(text[s.Start:s.End]); at != nil && at[0] > 0 {
		s.End = s.Start + at[0]
	}
	return withoutNote(text, s)
}

// bodyEnd matches the end of the name of an organization without a legal form.
var bodyEnd = regexp.MustCompile(`(?i: (?:fund|portfolio|foundation|university))$`)

// itemMark matches the mark before an item of a list, and itemEnd the text behind it.
var (
	itemMark = regexp.MustCompile(`^(?:\(?(?:\d{1,3}|[a-z]|[ivx]{1,4})[.)]|[•·*–-])\s+`)
	itemEnd  = regexp.MustCompile(`[,;]\s+(?i:and|&)$`)
)

// withoutItem returns an item of a list without its mark and the "and" behind it.
func withoutItem(text string, s layout.Span) layout.Span {
	s.Start += len(itemMark.FindString(text[s.Start:s.End]))
	s.End -= len(itemEnd.FindString(text[s.Start:s.End]))
	return s
}

// withoutNote returns the name of a party without the parentheses behind it.
func withoutNote(text string, s layout.Span) layout.Span {
	for range 2 {
		at := note.FindStringIndex(text[s.Start:s.End])
		if at == nil || at[0] == 0 {
			break
		}
		s.End = s.Start + at[0]
	}
	return s
}

// partyName returns the party in a line that names it, such as "SELLER: Acme Ltd".
func partyName(text string, s layout.Span) layout.Span {
	if m := calledAs.FindStringIndex(text[s.Start:s.End]); m != nil {
		s.Start += m[1]
	}
	if m := deed.FindStringSubmatchIndex(text[s.Start:s.End]); m != nil && m[2] < 0 && m[1] < s.Len() {
		s.Start += m[1]
	}
	s = withoutNote(text, s)
	t := text[s.Start:s.End]
	if at := strings.Index(t, ": "); at > 0 && at <= maxName/2 && wording.CaseOf(t[:at]).Words <= 4 {
		return wording.Trimmed(text, layout.Span{Start: s.Start + at + 1, End: s.End})
	}
	for _, end := range []string{"'s", "’s"} {
		s.End = s.Start + len(strings.TrimSuffix(text[s.Start:s.End], end))
	}
	return s
}
