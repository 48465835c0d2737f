package structure

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/rectohq/recto/services/insight/internal/space"
	"github.com/rectohq/recto/services/insight/internal/structure/numbering"
	"github.com/rectohq/recto/services/insight/internal/structure/signature"
	"github.com/rectohq/recto/services/insight/internal/structure/wording"
)

var (
	// pageNumber is a line that is only the number of a page.
	pageNumber = space.Compile(`^(?i:[-–—\[( ]*(?:page\s*)?[-–— ]*(?:\d{1,4}|[ivxl]{1,6}|[A-Z]-\d{1,3})(?:\s*(?:of|/)\s*\d{1,4})?[-–—\]). ]*)$`)
	// filing is what databases of filings put under each page.
	filing = regexp.MustCompile(`^Source: .{1,120}, [0-9A-Z][0-9A-Z/ -]{0,11}, \d{1,2}/\d{1,2}/\d{4}$`)
)

// repeats is how often a line has to be there to be taken for one that is on every
// page.
const repeats = 3

// longestMargin bounds the lines that may repeat, in bytes.
const longestMargin = 200

// markMargins marks the lines of a plain text that are on its pages, and none of
// its text.
func markMargins(text string, lines []line) {
	counts := map[string]int{}
	for _, l := range lines {
		if l.Len() <= longestMargin {
			counts[marginKey(text[l.Start:l.End])]++
		}
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
		case counts[marginKey(t)] >= repeats && edge && !signature.Labelled(t):
			lines[i].margin = beside(lines, i) && !numbersText(t)
		}
	}
	markNumbers(text, lines)
	markRepeated(text, lines, func(i int) bool { return atEdge(lines, i) })
}

const (
	// oftenRepeated is how often a line has to be there that is taken for one of each
	// page without knowing where pages end.
	oftenRepeated = 4
	// farRepeated is how far apart it has to be, in bytes.
	farRepeated = 800
)

// markRepeated marks lines that come again and again, never close to each other.
func markRepeated(text string, lines []line, edge func(int) bool) {
	type seen struct{ count, last, nearest int }
	keys := map[string]seen{}
	for _, l := range lines {
		if l.Len() > longestMargin {
			continue
		}
		key := marginKey(text[l.Start:l.End])
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
		t := text[l.Start:min(l.End, l.Start+longestMargin)]
		if s := keys[marginKey(t)]; s.count < oftenRepeated || s.nearest < farRepeated || !edge(i) {
			continue
		}
		if _, exhibit := exhibitOf(t); !exhibit && wording.CaseOf(t).Words > 1 && !numbersText(t) && !signature.Labelled(t) && !wording.EndsCompany(t) && !wording.EndsSentence(t) {
			lines[i].margin = true
		}
	}
}

// bareNumber is a line that is the number of a page, and can be none of the text.
var bareNumber = space.Compile(`^(?i:[-–— ]*(?:page\s*)?[-–— ]*(\d{1,3})(?:\s*(?:of|/)\s*\d{1,4})?[-–— ]*)$`)

// pageBytes is how long a page is at least, in bytes.
const pageBytes = 300

// markNumbers marks the numbers of pages wherever they stand, as where pages were
// put on others: lines with numbers that count on. A line beside one that repeats
// is marked with it.
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

// markBeside marks lines next to the number of a page that are on many.
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

// numbersText tells whether a line begins as a numbered paragraph does.
func numbersText(t string) bool {
	e, ok := numbering.Parse(t)
	return ok && e.End < len(t)
}

// marginKey is what is the same of a line on each page: all but the digits.
func marginKey(t string) string {
	return strings.Join(strings.FieldsFunc(t, func(r rune) bool { return unicode.IsDigit(r) || unicode.IsSpace(r) }), " ")
}

// atEdge tells whether a line may stand at the edge of a page: with empty lines
// before or after it.
func atEdge(lines []line, i int) bool {
	return i == 0 || i == len(lines)-1 || lines[i].blanks > 0 && lines[i+1].blanks > 0 || lines[i].feed || lines[i+1].feed
}

// beside tells whether a line is next to the end of a page: to a gap, or to
// another line that repeats.
func beside(lines []line, i int) bool {
	before := i == 0 || lines[i].blanks >= pageGap || lines[i].feed || lines[i-1].margin
	after := i == len(lines)-1 || lines[i+1].blanks >= pageGap || lines[i+1].feed
	return before || after
}
