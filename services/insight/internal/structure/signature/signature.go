// Package signature finds signature blocks: the text that belongs to each, the signer, the
// signer's title, and the party.
package signature

import (
	"strings"

	"github.com/rectohq/recto/libs/formats/layout"
	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
	"github.com/rectohq/recto/services/insight/internal/space"
	"github.com/rectohq/recto/services/insight/internal/structure/wording"
)

// role is the role of a piece of a signature block.
type role int

const (
	other role = iota
	signs      // "By:", "/s/ …", or a signature line
	named
	titled
	dated
	mailed
	partied // "Company: …"
	forWhom // "For Acme Ltd", above the name of the signer
	closing // "Yours sincerely,"
	ignored // an address, a telephone number
)

var (
	// signLabel matches the beginning of a line of a signature block.
	signLabel = space.Compile(`^(?i:(?:by|name|title|date|dated|its|per|signature|signed|print(?:ed)?\s+name|name\s+and\s+title|email|e-mail|witness|attest|position|role|capacity|designation|authorized\s+signature)\s*:|` + conformedMark + `|_{4,}|(?:signature|name|title|date|by)\s*_{3,})`)
	// labels matches the labels within a segment.
	labels = space.Compile(`(?i:(?:^|[\s(_/])((?:authorized\s+)?signature|(?:docu|(?:electronically|digitally)\s+)?signed(?:\s+by)?|sign|by|per|represented(?:\s+herein)?\s+by|(?:print(?:ed)?\s+|typed\s+|full\s+)?na(?:m|rn)e(?:\s*\((?:please\s+)?(?:print(?:ed)?|(?:in\s+)?(?:block\s+)?(?:capitals|letters)|(?:written\s+)?(?:out\s+)?in\s+full)\)|\s*/\s*title|\s+and\s+title)?|print(?:ed)?|(?:(?:job|print(?:ed)?)\s+)?ti(?:t[l1i]|ll)e|position|role|capacity|designation|its|date(?:d|\s+signed)?|e-?mail(?:\s+address)?|address|tel(?:ephone)?|phone|fax|witness|attest|party(?:\s+name)?|company(?:\s+name)?|` +
		foreignLabels + `)(?:[ \t]*[\p{Han}\p{Hangul}\p{Hiragana}\p{Katakana}]+)?[ \t]*(?::|_{3,}|[ \t]\.{6,})|(` + conformedMark + `))|[\pL.)\]](By|Name|Title|Its|Date):`)
	// blank matches a text in which nothing is written yet.
	blank = space.Compile(`^[\s_\-–—.=:*|/]*$`)
	// placeholder matches a placeholder for a value.
	placeholder = regexp.MustCompile(`^(?:\[[^\[\]]*\]|\{+[^{}]*\}+|<[^<>]*>|«[^«»]*»)$`)
	// office matches a word in a signer's title.
	office = regexp.MustCompile(`(?i:\b(?:president|officer|ceo|cfo|coo|cto|cio|cmo|cbo|director|manager|chair(?:man|woman|person)?|secretary|treasurer|vice|partner|member|counsel|attorney|owner|principal|founder|head|agent|trustee|executor|executrix|guardian|conservator|receiver|liquidator|controller|executive|representative|signatory|administrator|associate|analyst|engineer|specialist|coordinator|supervisor|superintendent|registrar|commissioner|mayor|minister|governor|ambassador|clerk|evp|svp|vp|v\.\s?p|pr[ée]sidente?|gesch[äa]ftsf[üu]hrer(?:in)?|prokurist(?:in)?|vorst[äa]nd|apoderad[oa]|representante|gerente|diret(?:or|ora)|direc(?:tora|teur|trice)|dirett(?:ore|rice)|direktor(?:in)?|direkt[øö]r|procurador(?:a)?|administrador(?:a)?|g[ée]rante?|bestuurder|zaakvoerder|amministra(?:tore|trice)|daglig\s+leder|styreleder|toimitusjohtaja|prezes|jednatel)\b)`)
	// witnessed matches words that introduce the signatures.
	witnessed = space.Compile(`(?i:in\s+witness\s+whereof|have\s+(?:duly\s+)?executed\s+this|be\s+(?:duly\s+)?executed|agreed\s+(?:to\s+)?and\s+accepted|accepted\s+and\s+agreed|signature\s+page)`)
)

// conformedMark matches the marks on a copy that stand for a signature, in any case. Those with a
// single slash are what is left of "/s/" after character recognition.
const conformedMark = `/{1,2}\s?s\s?/{1,2}(?:s\b)?|\B/s\s|\bs/\s|(?-i:\b[Il|]s/|\B/s[Il|]\s|\bIsl\s)|\\{1,2}s\\{1,2}|[(\[](?:signed|sgd\.?)[)\]]`

// foreignLabels are labels of signature blocks in Spanish, Portuguese, French, German, Dutch
// and Italian. foreignRoles has their roles.
const foreignLabels = `por|nombre|cargo|puesto|firma|fecha|nome|par|nom|fonction|qualit[eé]|unterschrift|funktion|datum|ort|naam|functie|handtekening|fdo\.?|firmado|plaats|carica|luogo|testigo|t[eé]moin|zeuge|getuige|testemunha`

var foreignRoles = map[string]role{
	"por": signs, "fdo": signs, "fdo.": signs, "firmado": signs, "firma": signs, "par": signs, "unterschrift": signs, "handtekening": signs,
	"nombre": named, "nome": named, "nom": named, "naam": named,
	"cargo": titled, "puesto": titled, "fonction": titled, "qualite": titled, "qualité": titled, "funktion": titled, "functie": titled, "carica": titled,
	"fecha": dated, "datum": dated,
	"testigo": signs, "témoin": signs, "temoin": signs, "zeuge": signs, "getuige": signs, "testemunha": signs,
}

// IsBlank reports whether nothing is written in a text yet, such as on a line to write on.
func IsBlank(t string) bool { return blank.MatchString(t) }

// Labelled reports whether a line begins with a label of a signature block.
func Labelled(t string) bool { return signLabel.MatchString(t) }

// mark is a piece of a signature block.
type mark struct {
	layout.Span             // with its label
	value       layout.Span // without label and blanks
	role        role
	// word is the label in lower case, "" without one.
	word string
	// bare says that a label ends its segment, without a line to write on.
	bare bool
	// part is the index of its segment in the row.
	row, part int
	x         float64
	// table is the number of its table, 0 for none.
	table int
}

// maxQuiet is the maximum number of consecutive lines without a label in a signature block.
const maxQuiet = 4

// maxLabels is the maximum number of labels in a segment.
const maxLabels = 64

// lastLines is how many bytes at the end of a document have its signatures, whether they are
// introduced or not.
const lastLines = 800

// maxMark is the maximum length of a line without a label in a signature block, in bytes.
const maxMark = 110

// Find returns the signature blocks in a text that was divided into segments, in text order.
func Find(text string, segs []Segment) []Block {
	f := finder{text: text, lastRow: -1}
	var table signTable
	for i := 0; i < len(segs); {
		ms, n := table.read(text, segs, i)
		if n == 0 {
			ms, n = oneLineMarks(text, segs, i)
		}
		if n == 0 {
			ms, n = deedMarks(text, segs, i)
		}
		fresh := false
		if n == 0 {
			ms, fresh = marksOf(text, segs[i])
			n = 1
		}
		if fresh {
			f.end()
			f.introduced = true
		}
		if end := i + n; f.add(segs[i], ms) && (end == len(segs) || segs[end].Row != segs[i].Row) {
			f.endRow(segs[i], segs[end:])
		}
		i += n
	}
	f.end()
	return f.out
}

// finder collects the marks of regions with signature blocks.
type finder struct {
	text   string
	out    []Block
	region []mark
	// quiet counts the last lines without a label, and listed those of them that continue a list of
	// companies, which quiet does not count. signed says that the region has a signature,
	// introduced that a sentence introduces the signatures.
	quiet, listed      int
	signed, introduced bool
	lastRow, part      int
	// table is the number of the last table, and tableRows its first and last row.
	table     int
	tableRows [2]int
}

// end ends the region.
func (f *finder) end() {
	if f.signed {
		f.out = append(f.out, blocks(f.text, f.region)...)
	}
	f.region, f.quiet, f.listed, f.signed, f.introduced = f.region[:0], 0, 0, false, false
}

// add adds the marks of a segment to the region. It reports false if the segment is a sentence,
// which ends the region.
func (f *finder) add(s Segment, ms []mark) bool {
	if f.part++; s.Row != f.lastRow {
		f.part = 0
	}
	f.leaveTable(s)
	own := false
	for k, m := range ms {
		ms[k].part, ms[k].table = f.part, s.Table
		if m.word == "signed" && m.bare && (f.part > 0 || !f.introduced && !f.signed) {
			ms[k].role, m.role = other, other // the state of something
		}
		own = own || m.role != other && m.role != partied && m.role != forWhom
		f.signed = f.signed || m.role == signs || m.word == officerWord || m.role == closing || m.role == forWhom || f.introduced && m.role == named && m.value.Len() > 0
	}
	switch t := f.text[s.Start:s.End]; {
	case own:
		f.quiet, f.listed = 0, 0
	case len(t) > maxMark && len(ms) == 1 || witnessed.MatchString(t):
		f.end()
		f.introduced = witnessSentence.MatchString(t)
		if f.introduced && len(ms) == 1 {
			f.lastRow = s.Row
			f.region = append(f.region, partiesBehind(f.text, s)...)
		}
		return false
	case s.Row != f.lastRow && f.listed < maxListed && f.lists(t):
		f.listed++ // a list of parties may be long
	case s.Row != f.lastRow:
		f.quiet++
	}
	f.lastRow = s.Row
	if f.quiet > maxQuiet {
		if f.signed {
			f.end()
			f.quiet = 1
		} else {
			f.region = f.dropRow()
			f.quiet--
		}
	}
	f.region = append(f.region, ms...)
	return true
}

// addressBelow matches the beginning of the line below the name in an address for notices.
var addressBelow = regexp.MustCompile(`^(?:\d+[\w-]*\s+\p{Lu}|(?i:attention|attn|address|tel|fax|facsimile|e-?mail|suite|p\.?o\.?\s+box)\b)|@`)

// endRow marks the region as signed if its last lines are a signature block without labels. s is
// on the last of these lines, and rest follows it.
func (f *finder) endRow(s Segment, rest []Segment) {
	ends := f.introduced || len(f.text)-s.Start < lastLines && (len(rest) == 0 || !addressBelow.MatchString(f.text[rest[0].Start:rest[0].End]))
	switch {
	case signOn(f.text, f.region),
		sealBeside(f.text, f.region),
		ends && sealOn(f.text, f.region),
		signOnDots(f.text, f.region),
		signedTwice(f.text, f.region, f.introduced, f.signed),
		(f.introduced || f.signed) && signedBy(f.text, f.region),
		namedBelow(f.region),
		signOnCaptioned(f.text, f.region),
		nameCaptioned(f.text, f.region):
		f.signed, f.quiet = true, 0
	}
}

// lists reports whether a line and the one before it name companies.
func (f *finder) lists(t string) bool {
	n := len(f.region)
	return n > 0 && namesCompany(t) && f.region[n-1].role == other && namesCompany(f.text[f.region[n-1].Start:f.region[n-1].End])
}

// namesCompany reports whether a line ends like the name of a company.
func namesCompany(t string) bool {
	t = strings.TrimRight(t, ",;")
	return len(t) <= maxParty && (wording.EndsCompany(t) || bodyEnd.MatchString(t))
}

// dropRow drops the first line of a region, and the list of companies that it begins.
func (f *finder) dropRow() []mark {
	rest := f.region
	for len(rest) > 0 {
		row := rowOf(rest)
		last := row[len(row)-1]
		rest = rest[len(row):]
		if len(rest) == 0 || !namesCompany(f.text[last.Start:last.End]) || !namesCompany(f.text[rest[0].Start:rest[0].End]) {
			break
		}
	}
	return rest
}

// written returns the text that is written in a range, without the line that it is written
// on. It is empty for a placeholder.
func written(text string, start, end int) layout.Span {
	s := wording.Trimmed(text, layout.Span{Start: start, End: end})
	if t := text[s.Start:s.End]; blank.MatchString(t) || placeholder.MatchString(t) {
		return layout.Span{Start: s.Start, End: s.Start}
	}
	left := strings.TrimLeftFunc(text[s.Start:s.End], func(r rune) bool { return space.Is(r) || strings.ContainsRune("_:|", r) })
	right := strings.TrimRightFunc(left, func(r rune) bool { return space.Is(r) || strings.ContainsRune("_:|,;-", r) })
	from := s.End - len(left)
	return layout.Span{Start: from, End: from + len(right)}
}

// roleOf returns the role of a label.
func roleOf(part string, m []int) role {
	if m[4] >= 0 {
		return signs
	}
	word := labelWord(part, m)
	if r, ok := foreignRoles[word]; ok {
		return r
	}
	switch {
	case strings.HasPrefix(strings.TrimPrefix(word, "authorized "), "sign"), strings.HasSuffix(word, "signed by"), word == "by", word == "per", word == "witness", word == "attest":
		return signs
	case strings.HasPrefix(word, "party"), strings.HasPrefix(word, "company"):
		return partied
	case strings.Contains(word, "name"), strings.HasPrefix(word, "represented"), word == "print", word == "printed":
		return named
	case strings.Contains(word, "title"), word == "its", word == "position", word == "role", word == "capacity", word == "designation":
		return titled
	case strings.HasPrefix(word, "date"):
		return dated
	case strings.Contains(word, "mail"):
		return mailed
	}
	return ignored
}
