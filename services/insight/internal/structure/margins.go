package structure

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
	"github.com/rectohq/recto/services/insight/internal/space"
	"github.com/rectohq/recto/services/insight/internal/structure/numbering"
	"github.com/rectohq/recto/services/insight/internal/structure/signature"
	"github.com/rectohq/recto/services/insight/internal/structure/wording"
)

var (
	// pageNumber matches a line that consists of a page number.
	pageNumber = space.Compile(`^(?i:[-–—\[( ]*(?:page\s*)?[-–— ]*(?:\d{1,4}|[ivxl]{1,6}|[A-Z]-\d{1,3})(?:\s*(?:of|/)\s*\d{1,4})?[-–—\]). ]*)$`)
	// filing matches the line that filing databases put under each page.
	filing = regexp.MustCompile(`^Source: .{1,120}, [0-9A-Z][0-9A-Z/ -]{0,11}, \d{1,2}/\d{1,2}/\d{4}$`)
)

// repeats is how many times a line must occur to count as a header or a footer.
const repeats = 3

// longestMargin is the maximum length of a header or a footer, in bytes.
const longestMargin = 200

// markMargins marks the headers, footers and page numbers of a plain text.
func markMargins(text string, lines []line) {
	counts := lineCounts{map[string]int{}, map[string]int{}}
	for _, l := range lines {
		counts.add(text[l.Start:l.End])
	}
	for i := range lines {
		t := text[lines[i].Start:lines[i].End]
		if len(t) > longestMargin {
			continue
		}
		edge := atEdge(lines, i)
		switch {
		case filing.MatchString(t):
			lines[i].margin = true
		case pageNumber.MatchString(t) && edge && strings.ContainsFunc(t, unicode.IsDigit):
			lines[i].margin = true
		case edge && counts.repeated(t):
			lines[i].margin = beside(lines, i) && !numbersText(t)
		}
	}
	markNumbers(text, lines)
	markRepeated(text, lines, func(i int) bool { return atEdge(lines, i) })
}

// lineCounts counts how often lines occur: alike without their digits, and same with them.
type lineCounts struct{ alike, same map[string]int }

// add counts a line.
func (c lineCounts) add(t string) {
	if len(t) <= longestMargin {
		c.alike[marginKey(t)]++
		c.same[t]++
	}
}

// repeated reports whether a line occurs often enough for a header or a footer. Names of companies must
// have the same digits: "Kern Trust 1" and "Kern Trust 2" are two parties.
func (c lineCounts) repeated(t string) bool {
	if len(t) > longestMargin || c.alike[marginKey(t)] < repeats || signature.Labelled(t) {
		return false
	}
	return c.same[t] >= repeats || !wording.EndsCompany(strings.TrimRight(t, ",:"))
}

const (
	// oftenRepeated is how many times a line must occur to count as a header or a footer where
	// page breaks are unknown.
	oftenRepeated = 4
	// farRepeated is the minimum distance between its occurrences, in bytes.
	farRepeated = 800
)

// markRepeated marks lines that occur often, and never close to each other.
func markRepeated(text string, lines []line, edge func(int) bool) {
	type seen struct{ count, last, nearest int }
	keys, of := map[string]seen{}, make([]string, len(lines))
	for i, l := range lines {
		if l.Len() > longestMargin {
			continue
		}
		key := marginKey(text[l.Start:l.End])
		of[i] = key
		s, again := keys[key]
		if !again {
			s.nearest = len(text)
		} else {
			s.nearest = min(s.nearest, l.Start-s.last)
		}
		s.count, s.last = s.count+1, l.Start
		keys[key] = s
	}
	for i, l := range lines {
		if s := keys[of[i]]; l.Len() > longestMargin || s.count < oftenRepeated || s.nearest < farRepeated || !edge(i) {
			continue
		}
		t := text[l.Start:l.End]
		if _, exhibit := exhibitOf(t); !exhibit && wording.CaseOf(t).Words > 1 && !numbersText(t) && !signature.Labelled(t) && !wording.EndsCompany(t) && !wording.EndsSentence(t) {
			lines[i].margin = true
		}
	}
}

// bareNumber matches a line that can only be a page number.
var bareNumber = space.Compile(`^(?i:[-–— ]*(?:page\s*)?[-–— ]*(\d{1,3})(?:\s*(?:of|/)\s*\d{1,4})?[-–— ]*)$`)

// pageBytes is the minimum length of a page, in bytes.
const pageBytes = 300

// markNumbers marks page numbers anywhere, such as in text extracted from pages that were
// placed on others: lines with consecutive numbers. It also marks repeated lines next to
// them.
func markNumbers(text string, lines []line) {
	type link struct{ line, value, length, before int }
	var chain []link
	latest := map[int]int{} // value to index in chain
	counts := map[string]int{}
	for i, l := range lines {
		if l.Len() <= longestMargin {
			counts[text[l.Start:l.End]]++
		}
		m := bareNumber.FindStringSubmatch(text[l.Start:min(l.End, l.Start+longestMargin)])
		if m == nil {
			continue
		}
		value, _ := strconv.Atoi(m[1])
		next := link{line: i, value: value, length: 1, before: -1}
		if k, ok := latest[value-1]; ok && l.Start-lines[chain[k].line].Start >= pageBytes {
			next.length, next.before = chain[k].length+1, k
		}
		latest[value] = len(chain)
		chain = append(chain, next)
	}
	for k, c := range slices.Backward(chain) {
		if c.length >= repeats || lines[c.line].counted {
			lines[c.line].margin = true
			markBeside(text, lines, c.line, counts)
			if c.before >= 0 && c.before < k {
				lines[chain[c.before].line].counted = true
			}
		}
	}
}

// markBeside marks repeated lines next to a page number.
func markBeside(text string, lines []line, i int, counts map[string]int) {
	for _, step := range []int{-1, 1} {
		for k := i + step; k >= 0 && k < len(lines) && lines[k].Len() <= longestMargin; k += step {
			t := text[lines[k].Start:lines[k].End]
			if counts[t] < repeats || signature.Labelled(t) || lines[k].margin {
				break
			}
			lines[k].margin = true
		}
	}
}

// numbersText reports whether a line begins like a numbered paragraph.
func numbersText(t string) bool {
	e, ok := numbering.Parse(t)
	return ok && e.End < len(t)
}

// marginKey returns the part of a line that is the same on each page: all but the digits.
func marginKey(t string) string {
	return strings.Join(strings.FieldsFunc(t, func(r rune) bool { return unicode.IsDigit(r) || unicode.IsSpace(r) }), " ")
}

// atEdge reports whether a line may be at the edge of a page: it is the first or last
// line, between empty lines, or next to a form feed.
func atEdge(lines []line, i int) bool {
	return i == 0 || i == len(lines)-1 || lines[i].blanks > 0 && lines[i+1].blanks > 0 || lines[i].feed || lines[i+1].feed
}

// beside reports whether a line is next to a page break: a gap, a form feed, or another
// margin.
func beside(lines []line, i int) bool {
	before := i == 0 || lines[i].blanks >= pageGap || lines[i].feed || lines[i-1].margin
	after := i == len(lines)-1 || lines[i+1].blanks >= pageGap || lines[i+1].feed
	return before || after
}
