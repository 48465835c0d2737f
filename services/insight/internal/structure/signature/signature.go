// Package signature owns the blocks in which one signs: what of a text is a part of one,
// and who signs there, for whom and as what.
package signature

import (
	"regexp"
	"strings"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/space"
	"github.com/rectohq/recto/services/insight/internal/structure/wording"
)

// role is what a piece of a signature block is.
type role int

const (
	other role = iota
	signs      // "By:", "/s/ …", or a line to sign on
	named
	titled
	dated
	mailed
	partied // "Company: …"
	forWhom // "For Acme Ltd", above the name of who signs
	closing // "Yours sincerely,"
	ignored // an address, a telephone number
)

var (
	// signLabel is what a line of a signature block begins with.
	signLabel = space.Compile(`^(?i:(?:by|name|title|date|dated|its|per|signature|signed|print(?:ed)?\s+name|name\s+and\s+title|email|e-mail|witness|attest|position|role|capacity|designation|authorized\s+signature)\s*:|/s/|_{4,}|(?:signature|name|title|date|by)\s*_{3,})`)
	// labels finds what parts the text of a segment.
	labels = space.Compile(`(?i:(?:^|[\s(_])((?:authorized\s+)?signature|signed(?:\s+by)?|sign|by|per|(?:print(?:ed)?\s+|typed\s+|full\s+)?name(?:\s*\(print(?:ed)?\)|\s*/\s*title|\s+and\s+title)?|(?:job\s+)?title|position|role|capacity|designation|its|date(?:d|\s+signed)?|e-?mail(?:\s+address)?|address|tel(?:ephone)?|phone|fax|witness|attest|party(?:\s+name)?|company(?:\s+name)?)[ \t]*(?::|[ \t]_{3,})|(/s/))`)
	// blank is where nothing is written yet.
	blank = space.Compile(`^[\s_\-–—.=:*|/]*$`)
	// placeholder says what is to be written where it stands.
	placeholder = regexp.MustCompile(`^(?:\[[^\[\]]*\]|\{+[^{}]*\}+|<[^<>]*>|«[^«»]*»)$`)
	// office is a word of the title of who signs.
	office = regexp.MustCompile(`(?i:\b(?:president|officer|ceo|cfo|coo|cto|director|manager|chair(?:man|woman|person)?|secretary|treasurer|vice|partner|member|counsel|attorney|owner|principal|founder|head|agent|trustee|controller|executive|representative|signatory|administrator|evp|svp|vp)\b)`)
	// witnessed opens the part in which is signed.
	witnessed = space.Compile(`(?i:in\s+witness\s+whereof|have\s+(?:duly\s+)?executed\s+this|be\s+(?:duly\s+)?executed|agreed\s+(?:to\s+)?and\s+accepted|accepted\s+and\s+agreed|signature\s+page)`)
)

// IsBlank tells whether nothing is written in a text yet, as on a line to write on.
func IsBlank(t string) bool { return blank.MatchString(t) }

// Labelled tells whether a line is one of a signature block.
func Labelled(t string) bool { return signLabel.MatchString(t) }

// mark is a piece of a signature block.
type mark struct {
	layout.Span             // with its label
	value       layout.Span // without it, and without what is not written yet
	role        role
	// word is the label in small letters, "" without one.
	word string
	// bare tells that a label ends its segment: no line to write on follows it.
	bare bool
	// part is the index of its segment in the row.
	row, part int
	x         float64
}

// maxQuiet is how many lines in a row may be in a signature block that have no
// label.
const maxQuiet = 4

// maxLabels is how many labels are looked for between two wide gaps.
const maxLabels = 64

// maxMark is how long a line of a signature block is at most, in bytes, that has
// no label.
const maxMark = 110

// Find returns the blocks in a text that was parted into segments, in its order.
func Find(text string, segs []Segment) []Block {
	var out []Block
	var region []mark
	quiet, signed := 0, false
	end := func() {
		if signed {
			out = append(out, blocks(text, region)...)
		}
		region, quiet, signed = region[:0], 0, false
	}
	lastRow, part := -1, 0
	for _, s := range segs {
		ms, fresh := marksOf(text, s)
		if fresh {
			end()
		}
		if part++; s.Row != lastRow {
			part = 0
		}
		own := false
		for i, m := range ms {
			ms[i].part = part
			own = own || m.role != other && m.role != partied && m.role != forWhom
			signed = signed || m.role == signs || m.role == closing || m.role == forWhom
		}
		switch {
		case own:
			quiet = 0
		case s.Len() > maxMark && len(ms) == 1 || witnessed.MatchString(text[s.Start:s.End]):
			end()
			continue
		case s.Row != lastRow:
			quiet++
		}
		lastRow = s.Row
		if quiet > maxQuiet {
			if signed {
				end()
				quiet = 1
			} else {
				region = dropRow(region)
				quiet--
			}
		}
		region = append(region, ms...)
	}
	end()
	return out
}

// dropRow drops the first line of a region.
func dropRow(region []mark) []mark {
	i := 0
	for i < len(region) && region[i].row == region[0].row {
		i++
	}
	return region[i:]
}

// written returns what is written in a part of the text, without the line that it
// is written on.
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

// roleOf returns what a label stands before.
func roleOf(part string, m []int) role {
	if m[4] >= 0 {
		return signs
	}
	word := strings.ToLower(part[m[2]:m[3]])
	switch {
	case strings.HasPrefix(strings.TrimPrefix(word, "authorized "), "sign"), word == "by", word == "per", word == "witness", word == "attest":
		return signs
	case strings.HasPrefix(word, "party"), strings.HasPrefix(word, "company"):
		return partied
	case strings.Contains(word, "name"):
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
