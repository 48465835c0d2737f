package signature

import (
	"slices"
	"strings"
	"unicode"

	"github.com/rectohq/recto/libs/formats/layout"
	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
	"github.com/rectohq/recto/services/insight/internal/space"
	"github.com/rectohq/recto/services/insight/internal/structure/wording"
)

// minRunning is the minimum number of labels on a line that is read as running text.
const minRunning = 3

// The words of marks without a label: the signer of a deed, a signature on a copy, a line
// above the name of a signer, a signature line, a rule of hyphens, which may be one, an
// electronic signature, the acceptance of a letter, and a heading with the role of a party.
const (
	deedWord      = "signed by"
	conformedWord = "/s/"
	officerWord   = "by its officer"
	lineWord      = "_"
	ruleWord      = "-"
	eSignedWord   = "signed at"
	acceptsWord   = "accepts"
	signedForWord = "signed for"
)

var (
	// witnessSentence matches words of a sentence that introduces signatures.
	witnessSentence = space.Compile(`(?i:in\s+witness\s+whereof|ha(?:ve|s)\s+(?:duly\s+|hereby\s+)*executed\s+this)`)
	// companyMore matches a further word at the end of a company name.
	companyMore = regexp.MustCompile(`^(?i:inc|corp|corporation|company|ltd|limited|llc|l\.l\.c|lp|l\.p|llp|plc|gmbh|s\.a|n\.v|b\.v|ag)\b`)
	// lineFor matches a line to sign on with the name of the signer beside it.
	lineFor = space.Compile(`^[_.…]{6,}\s*(?:\(|/\s?)[\pL][^()/]+(?:\)|\s?/)$`)
	// roleLine matches the same with the role of the signer before it: "Tenant: ________ (John Doe)".
	roleLine = space.Compile(`^[\pL' /-]{3,30}:\s*_{4,}\s*\(\pL[^()]+\)$`)
	// copied matches the words on a copy that stand for a signature, other than "/s/".
	copied = space.Compile(`^(?:\((?i:signed(?:\s+and\s+(?:sealed|chopped))?|sgd\.?|sd/?-?)\)|(?i:sgd|sig)\.|(?i:sd)(?:/-|\.)|(?i:signed)\s+["“])\s*`)
	// copiedBy is copied after the label "By:", where "(s)" begins no item of a list.
	copiedBy = space.Compile(`^(?:\((?i:s|signed|sgd\.?)\)|(?i:sgd|sig)\.|(?i:signed)\s+["“])\s*`)
	// strongMark matches a mark that is always a signature, and byEnd the label before a mark.
	strongMark = regexp.MustCompile(`^/{1,2}[sS]/{1,2}`)
	byEnd      = regexp.MustCompile(`(?i:(?:^|\W)by\W*)$`)
	// signedWord matches the beginning of a mark without a slash.
	signedWord = regexp.MustCompile(`(?i:[(\[](?:signed|sgd))`)
	// eSigned matches an electronic signature: "John Doe (Mar 4, 2022 10:22 GMT)".
	eSigned = space.Compile(`^[^()]{3,60} \((?:[A-Z][a-z]{2,8} \d{1,2}, \d{4}|\d{1,2} [A-Z][a-z]{2,8} \d{4}|\d{4}-\d\d-\d\d) \d{1,2}:\d\d[^()]{0,20}\)$`)
	// crossed matches a signature line that is marked with an X and has a date: "X ________ Date 8/2/20".
	crossed = space.Compile(`^[xX]\s*_{4,}\s*(?i:date)\b.{0,20}$`)
	// madeBy matches the label of a document's preparer at the beginning of a line: "SOW prepared by:".
	madeBy = space.Compile(`(?i:^(?:[\w.]+\s+){0,2}(?:prepared|drafted|written|created|checked|reviewed|compiled|designed|entered|processed|recorded|filed)\s+by\s*:|^delivered\s+by\s*:)`)
	// pageNumber matches what follows the dots in a table of contents.
	pageNumber = space.Compile(`^[\s.]*(?:\d{1,4}|(?i:[ivxl]{1,6}))\s*$`)
	// closer matches the closing of a letter, above its signer.
	closer = space.Compile(`^(?i:yours\s+(?:sincerely|faithfully|truly)|(?:very\s+truly|sincerely)\s+yours|sincerely|(?:kind|best|warm)\s+regards|respectfully(?:\s+submitted)?)\s*[,.]?$`)
	// accepts matches the line above the signature of the person who accepts a letter.
	accepts = space.Compile(`^(?i:(?:agreed(?:\s+and\s+accepted)?|accepted(?:\s+and\s+agreed)?)\s*:|agreed\s+and\s+accepted\.?|accepted\s+and\s+agreed\.?|(?:i|we)\s+(?:accept|agree)\s+(?:and\s+agree\s+)?(?:to\s+)?(?:the\s+(?:above|foregoing|terms)|this)[\w ]{0,40}\.?)$`)
	// behalf matches the beginning of a line that names the party. The first group is a
	// label, the second the word before a name.
	behalf = space.Compile(`^(?i:((?:signed\s+)?for\s*:|(?:signed\s+|duly\s+authori[sz]ed\s+)?(?:for\s+and\s+)?on\s+behalf\s+of(?:\s*:)?)|((?:(?:agreed|accepted|signed|executed)\s+)?for\s+(?:m/s\.?\s+)?))`)
	// signedFor matches a heading with what the party that signs below is called: "Signed by the Employer:".
	signedFor = space.Compile(`^(?i:(?:signed|agreed|accepted|executed|confirmed)(?:\s+and\s+\w+)?\s+(?:by|for(?:\s+and\s+on\s+behalf\s+of)?|on\s+behalf\s+of)\s+the)\s+(\p{Lu}\pL+(?:\s\p{Lu}\pL+)?)\s*:?$`)
	// unsigning matches words for several or for all of those who sign.
	unsigning = regexp.MustCompile(`(?i)^(?:part(?:y|ies)|undersigned|following|above|below|duly|authori[sz]ed|witness|witnesses|date|presence|said|within|agent|representatives?|board)\b|s$`)
	// byOfficer matches a line above the name of the signer: "By its Authorized Officer:".
	byOfficer = space.Compile(`^(?i:by\s+its\s+(?:duly\s+)?authori[sz]ed\s+(?:representative|officer|signatory|agent)s?)[\s:]*$`)
)

// marksOf divides a segment at its labels. fresh says that a block begins within the
// segment, after a sentence.
func marksOf(text string, s Segment) (ms []mark, fresh bool) {
	part := text[s.Start:s.End]
	if part == "By" || part == "BY" {
		return []mark{{Span: s.Span, value: layout.Span{Start: s.End, End: s.End}, role: signs, word: "by", bare: true, row: s.Row, x: s.X}}, false
	}
	if !strings.ContainsAny(part, `:_/\`) && !strings.Contains(part, "......") && !signedWord.MatchString(part) {
		return []mark{quietMark(text, s)}, false
	}
	from := runningStart(part)
	at := labelsIn(part, from)
	if len(at) == 0 {
		return lineMarks(text, s), false
	}
	lead := s
	lead.Span = wording.Trimmed(text, layout.Span{Start: s.Start + from, End: s.Start + labelStart(at[0])})
	if lead.Len() > maxMark || wording.CaseOf(text[lead.Start:lead.End]).Lower > 2 {
		cut, ok := behindSentence(text[lead.Start:lead.End])
		if from == 0 && !(ok && signing(part, at)) && !slices.ContainsFunc(at, conformed) {
			return []mark{quietMark(text, s)}, false // a sentence
		}
		lead.Start += cut
		from = max(from, 1)
	}
	running := from > 0 || len(at) >= minRunning
	if lead.Len() > 0 && lead.Len() <= maxMark && text[lead.End-1] != '/' { // "Nome/Name:"
		ms = append(ms, leadMarks(text, lead, running)...)
	}
	return labelMarks(text, s, at, ms, running), from > 0
}

// runningStart returns the offset where a signature block may begin within a text: after the
// last sentence that introduces signatures, 0 if there is none.
func runningStart(part string) int {
	all := witnessSentence.FindAllStringIndex(part, -1)
	if len(all) == 0 {
		return 0
	}
	end := all[len(all)-1][1]
	stop := wording.SentenceEnd(part[end:])
	first := labels.FindStringIndex(part[end:])
	if first != nil && first[0] < stop {
		return end
	}
	return end + stop
}

// maxParties is the maximum length of the names of parties that follow a sentence, in bytes.
const maxParties = 2 * maxParty

// partiesBehind returns the marks of the parties behind the sentence that introduces signatures, in
// texts in which paragraphs are joined: "IN WITNESS WHEREOF, … written. ACME, INC. BIRCH LLC".
func partiesBehind(text string, s Segment) []mark {
	rest := wording.Trimmed(text, layout.Span{Start: s.Start + runningStart(text[s.Start:s.End]), End: s.End})
	if rest.Len() == 0 || rest.Len() > maxParties {
		return nil
	}
	ms := leadMarks(text, Segment{Span: rest, Row: s.Row, X: s.X}, true)
	if slices.ContainsFunc(ms, func(m mark) bool { return m.role != other || !partial(text[m.value.Start:m.value.End]) }) {
		return nil
	}
	return ms
}

// labelsIn returns the labels of a text from an offset on.
func labelsIn(part string, from int) [][]int {
	at := labels.FindAllStringSubmatchIndex(part[from:], maxLabels)
	if len(at) > 0 && strings.HasSuffix(part[from:from+at[len(at)-1][1]], "..") && pageNumber.MatchString(part[from+at[len(at)-1][1]:]) {
		return nil // a line of a table of contents
	}
	for _, m := range at {
		for i := range m {
			if m[i] >= 0 {
				m[i] += from
			}
		}
	}
	if made := len(madeBy.FindString(part)); made > 0 {
		at = slices.DeleteFunc(at, func(m []int) bool { return m[1] <= made })
	}
	labelled := slices.ContainsFunc(at, func(m []int) bool { return m[4] < 0 })
	return slices.DeleteFunc(at, func(m []int) bool { return weakMark(part, m) && !inPlace(part, m, labelled) })
}

// weakMark reports whether a match of labels is a mark that is not always a signature, such as
// "(signed)" or "S/", which is also the sign of the Peruvian sol.
func weakMark(part string, m []int) bool {
	return m[4] >= 0 && !strongMark.MatchString(part[m[4]:m[5]])
}

// inPlace reports whether a weak mark is where a signature is: a name follows, and the mark begins the
// segment, follows "By", or is in a segment with labels.
func inPlace(part string, m []int, labelled bool) bool {
	name := strings.TrimLeft(part[m[5]:], " \t:.\"“")
	if name == "" || !unicode.IsUpper(wording.FirstRune(name)) {
		return false
	}
	before := strings.TrimSpace(part[:m[4]])
	return labelled || before == "" || byEnd.MatchString(before)
}

// behindSentence returns the offset in the text before a label that follows the sentences
// in it and its last word in lower case, and whether there are sentences.
func behindSentence(lead string) (int, bool) {
	cut := 0
	for {
		n := wording.SentenceEnd(lead[cut:])
		if cut+n >= len(lead) {
			break
		}
		cut += n
	}
	ended := cut > 0
	for at := wording.NextGap(lead, cut); at < len(lead); at = wording.NextGap(lead, at) {
		word := wording.FirstLetters(lead[at:])
		if wording.StartsLower(lead[at:]) && !wording.IsSmall(word) && !wording.EndsCompany(" "+word) {
			cut = wording.NextGap(lead, at)
		}
	}
	return cut + len(lead[cut:]) - len(strings.TrimLeft(lead[cut:], " \t\n.:;,")), ended
}

// conformed reports whether a match of labels is a mark on a copy, such as "/s/".
func conformed(m []int) bool { return m[4] >= 0 }

// signing reports whether labels after a sentence are those of a signature block: one for
// the signature, and one for a name or a title.
func signing(part string, at [][]int) bool {
	var seen [ignored + 1]bool
	for _, m := range at {
		seen[roleOf(part, m)] = true
	}
	return seen[signs] && (seen[named] || seen[titled])
}

// labelMarks appends the marks of the labels of a segment.
func labelMarks(text string, s Segment, at [][]int, ms []mark, running bool) []mark {
	part := text[s.Start:s.End]
	for i, m := range at {
		end := len(part)
		if i+1 < len(at) {
			end = labelStart(at[i+1])
		}
		start, witness := labelStart(m), ""
		if last := len(ms) - 1; i > 0 && (m[4] >= 0 || stamped(labelWord(part, m))) && ms[last].role == signs && ms[last].value.Len() == 0 {
			if witnessWord(ms[last].word) {
				witness = ms[last].word
			}
			ms = ms[:last] // "By: /s/ …"
			start = labelStart(at[i-1])
		}
		l := mark{
			Span: wording.Trimmed(text, layout.Span{Start: s.Start + start, End: s.Start + end}), value: written(text, s.Start+m[1], s.Start+end),
			role: roleOf(part, m), word: labelWord(part, m), row: s.Row, x: s.X + float64(start),
		}
		if witness != "" {
			l.word = witness
		}
		if v := text[l.value.Start:l.value.End]; l.role == signs && (!running && wording.CaseOf(v).Lower > 3 || strings.Contains(v, "@")) {
			l.role = other // a sentence, or who sent an email
		}
		l.bare = i+1 == len(at) && strings.HasSuffix(part, ":")
		if running || i+1 == len(at) && partyAtEnd(text, l) {
			ms = append(ms, cutMark(text, l)...)
		} else {
			ms = append(ms, l)
		}
	}
	if running && !doubled(text, ms) {
		for i := range ms {
			ms[i].x = s.X // treat them as lines below each other
		}
	}
	return ms
}

// doubled reports whether the labels of several columns are on one line.
func doubled(text string, ms []mark) bool {
	_, ok := interleaved(text, ms)
	return ok
}

// labelStart returns the offset of the label in a match of labels.
func labelStart(m []int) int {
	return max(m[2], m[4], m[6])
}

// labelWord returns a label in lower case.
func labelWord(part string, m []int) string {
	if m[4] >= 0 {
		return conformedWord
	}
	return misread.Replace(strings.ToLower(part[labelStart(m):max(m[3], m[7])]))
}

// misread corrects labels of scanned pages.
var misread = strings.NewReplacer("narne", "name", "tit1e", "title", "titie", "title", "tille", "title")

// stamped reports whether a label is that of an electronic signature, which may follow
// "By:".
func stamped(word string) bool { return strings.HasSuffix(word, "signed by") && word != deedWord }

// leadMarks returns the marks of the text before the first label. In running text, it may
// have the names of several parties.
func leadMarks(text string, s Segment, running bool) []mark {
	var out []mark
	if running {
		for _, m := range company.FindAllStringIndex(text[s.Start:s.End], maxSigning) {
			if end := s.Start + m[1]; end < s.End && !companyMore.MatchString(text[end:s.End]) {
				if name := wording.Trimmed(text, layout.Span{Start: leadStart(out, s), End: end}); name.Len() > 0 {
					out = append(out, quietMark(text, Segment{Span: name, Row: s.Row, X: s.X}))
				}
			}
		}
	}
	if rest := wording.Trimmed(text, layout.Span{Start: leadStart(out, s), End: s.End}); rest.Len() > 0 {
		out = append(out, quietMark(text, Segment{Span: rest, Row: s.Row, X: s.X}))
	}
	return out
}

// leadStart returns the offset after the marks.
func leadStart(ms []mark, s Segment) int {
	if len(ms) == 0 {
		return s.Start
	}
	return ms[len(ms)-1].End
}

// quietMark returns the mark of a segment without a label, which may be a signature line.
func quietMark(text string, s Segment) mark {
	m := mark{Span: s.Span, value: written(text, s.Start, s.End), row: s.Row, x: s.X}
	t := text[s.Start:s.End]
	if t == "" {
		m.role = ignored
		return m
	}
	if signedMark(text, t, &m) {
		return m
	}
	switch {
	case crossed.MatchString(t):
		m.role, m.word, m.value = signs, lineWord, layout.Span{Start: m.End, End: m.End}
	case !strings.ContainsFunc(t, unicode.IsLetter) && !strings.ContainsFunc(t, unicode.IsDigit) || m.value.Len() == 0:
		m.role = ignored
		if strings.HasPrefix(t, "________") {
			m.role, m.word = signs, lineWord
		} else if strings.HasPrefix(t, "---------------") {
			m.word = ruleWord
		} else if strings.Contains(t, "........") || strings.Contains(t, "………") || strings.Contains(t, "________") {
			m.word = lineWord
		}
	case strings.EqualFold(t, "signed"):
		m.role, m.word, m.value, m.bare = signs, "signed", layout.Span{Start: m.End, End: m.End}, true
	case closer.MatchString(t):
		m.role, m.word = closing, "closing"
	case accepts.MatchString(t):
		m.role, m.word = closing, acceptsWord
	case byOfficer.MatchString(t):
		m.word = officerWord
	default:
		forMark(text, &m)
	}
	return m
}

// signedMark sets the role and value of a mark without a label that is a signature, or a remark
// beside one. It reports false for any other mark. It looks at the first and last characters
// before it tries a pattern, because every line of a document comes here.
func signedMark(text, t string, m *mark) bool {
	first, last := t[0], t[len(t)-1]
	switch {
	case first == '_' || first == '.':
		if sealed.MatchString(t) {
			m.role, m.word, m.value = signs, lineWord, layout.Span{Start: m.End, End: m.End}
			if t[0] == '.' {
				m.role = ignored
			}
			return true
		}
		if (last == ')' || last == '/') && lineFor.MatchString(t) {
			m.role, m.word, m.value = signs, lineWord, written(text, m.Start+strings.IndexAny(t, "(/")+1, m.End-1)
			return true
		}
	case strings.IndexByte("0123456789ABCDEF", first) >= 0 && stamp.MatchString(t), first == '(' && instruction.MatchString(t):
		m.role = ignored
		return true
	case last == ')' && strings.Contains(t, "____") && roleLine.MatchString(t) && notNames[strings.ToLower(wording.LastLetters(t[:strings.IndexByte(t, ':')]))]:
		m.role, m.word, m.value = signs, lineWord, written(text, m.Start+strings.LastIndexByte(t, '(')+1, m.End-1)
		return true
	case last == ')' && strings.Contains(t, ":") && eSigned.MatchString(t):
		m.role, m.word = signs, eSignedWord
		m.value = wording.Trimmed(text, layout.Span{Start: m.Start, End: m.Start + strings.LastIndexByte(t, '(')})
		return true
	}
	if strings.IndexByte("(sS", first) < 0 {
		return false
	}
	n := len(copied.FindString(t))
	if n > 0 {
		m.role, m.word, m.value = signs, conformedWord, written(text, m.Start+n, m.End)
	}
	return n > 0
}

// forMark sets the role and value of a mark that names a party or its representative.
func forMark(text string, m *mark) {
	t := text[m.value.Start:m.value.End]
	if at := acting.FindStringIndex(t); at != nil && !wording.StartsLower(t[at[1]:]) {
		m.value.Start += at[1]
		m.role, m.word = named, "acting by"
		return
	}
	if at := signedFor.FindStringSubmatchIndex(t); at != nil && !unsigning.MatchString(t[at[2]:at[3]]) {
		m.value = layout.Span{Start: m.value.Start + at[2], End: m.value.Start + at[3]}
		m.role, m.word = forWhom, signedForWord
		return
	}
	at := behalf.FindStringSubmatchIndex(t)
	if at == nil || at[1] == len(t) && at[2] < 0 {
		return
	}
	rest := written(text, m.value.Start+at[1], m.value.End)
	if at[2] < 0 && (!wording.EndsCompany(t) || wording.StartsLower(text[rest.Start:rest.End]) || !partial(text[rest.Start:rest.End])) {
		return
	}
	m.value, m.role, m.word = rest, forWhom, "for"
}
