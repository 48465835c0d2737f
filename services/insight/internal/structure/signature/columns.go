package signature

import (
	"slices"
	"strings"

	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
	"github.com/rectohq/recto/services/insight/internal/structure/wording"
)

// blocks returns the signature blocks in a region of the text, which it reads column by
// column.
func blocks(text string, region []mark) []Block {
	var out []Block
	titlesBelow(text, region)
	columns := columnsIn(text, region)
	shareParties(text, columns)
	for _, column := range columns {
		column = withoutAgents(text, column)
		b := &blockReader{text: text, below: partiesBelow(text, column)}
		for i, m := range column {
			b.next = column[i+1:]
			b.read(m)
		}
		b.end()
		out = append(out, b.out...)
	}
	slices.SortStableFunc(out, func(a, b Block) int { return a.Start - b.Start })
	return out
}

// columnsIn divides the marks of a region into columns. There are several columns if lines
// have the same label twice: a new column begins where the second label begins.
func columnsIn(text string, region []mark) [][]mark {
	region = joined(region)
	edges, turned := edgesOf(text, region), turnsOf(text, region)
	parts := partsOf(region)
	if parts == 0 || len(edges) == 0 {
		parts = max(len(edges), turned) + 1
	} else {
		edges = edges[:min(len(edges), parts-1)]
	}
	ordered := parts == partsOf(region)
	// Labels collapsed onto one line may belong to more columns than other lines have.
	out := make([][]mark, max(parts, turned+1, ruledIn(region)))
	var names []string
	for len(region) > 0 {
		row := rowOf(region)
		region = region[len(row):]
		if n := ruled(row); n > 0 && n <= len(out) {
			for i := range row {
				deal(out[i%n:], row[i:i+1])
			}
			continue
		}
		if turns, ok := interleaved(text, row); ok {
			spread(row, turns)
			if signed := signedNames(text, row, turns, turned+1); names == nil || strings.Join(signed, "") != "" {
				names = signed
			}
			for i, m := range row {
				if printed := printedNames(text, m, names); (m.role == named || m.role == other && i > 0 && row[0].role != other) && printed != nil {
					deal(out, printed)
					continue
				}
				out[turns[i]] = append(out[turns[i]], m)
			}
			continue
		}
		if printed := printedNames(text, row[0], names); len(row) == 1 && printed != nil {
			deal(out, printed)
			continue
		}
		if len(row) == 1 && len(out) <= maxSigning && headsAll(text, row[0], edges) {
			for i := range out {
				out[i] = append(out[i], row[0])
			}
			continue
		}
		if len(row) == 1 && turned > 0 && row[0].role == other {
			row = leadMarks(text, Segment{Span: row[0].Span, Row: row[0].row, X: row[0].x}, true)
		}
		placeRow(out, row, edges, ordered)
	}
	return out
}

// placeRow appends the marks of a row to their columns: by their positions or, if the positions of the
// columns are not known and each gets as many marks, in turn.
func placeRow(out [][]mark, row []mark, edges []float64, ordered bool) {
	for i, m := range row {
		n := 0
		if len(edges) == 0 && (len(row) == len(out) || len(row)%len(out) == 0 && row[len(row)-1].part == len(row)-1) {
			n = i % len(out)
		}
		for n < len(edges) && m.x >= edges[n] {
			n++
		}
		if ordered && row[len(row)-1].part > 0 {
			n = m.part
		}
		out[n] = append(out[n], m)
	}
}

// headsAll reports whether a line is a heading of the witnesses in all columns: it is about
// several, or is between the columns.
func headsAll(text string, m mark, edges []float64) bool {
	t := text[m.value.Start:m.value.End]
	if m.role != other {
		return false
	}
	if witnessesHead.MatchString(t) {
		return true
	}
	const indent = 8
	return len(edges) > 0 && m.x > indent && m.x+indent < edges[0] && witnessing.MatchString(t)
}

// witnessesHead matches the heading of the witnesses in all columns.
var witnessesHead = regexp.MustCompile(`^(?i:witnesses|testigos|t[eé]moins|zeugen|getuigen|testemunhas)(?:/\w+)?:?$`)

// deal appends one mark to each column, from the first on.
func deal(columns [][]mark, row []mark) {
	for i, m := range row {
		columns[i] = append(columns[i], m)
	}
}

// joined joins each label at the end of a segment with the next segment if that is its
// value: "Name:" and, after a wide gap, "John Doe".
func joined(region []mark) []mark {
	var out []mark
	for i := 0; i < len(region); i++ {
		m := region[i]
		if i+1 < len(region) && m.takes(region[i+1]) {
			i++
			m.value, m.End = region[i].value, region[i].End
			if m.role == signs {
				m.word = region[i].word
			}
		}
		out = append(out, m)
	}
	return out
}

// takes reports whether the next mark is the value of this one.
func (m mark) takes(next mark) bool {
	if m.value.Len() > 0 || !m.bare || next.row != m.row || next.part != m.part+1 {
		return false
	}
	switch m.role {
	case named, titled, dated, mailed, partied:
		return next.role == other
	case signs:
		return (m.word == "by" || m.word == "per") && next.role == signs && next.word == conformedWord
	}
	return false
}

// partsOf returns the number of segments in each row with several, 0 if rows differ in
// that, or a row has different labels.
func partsOf(region []mark) int {
	n := 0
	for len(region) > 0 {
		row := rowOf(region)
		region = region[len(row):]
		parts := row[len(row)-1].part + 1
		if parts == 1 {
			continue
		}
		if n > 0 && parts != n || parts != len(row) || parts > maxSigning {
			return 0
		}
		for _, m := range row[1:] {
			if m.role != row[0].role {
				return 0
			}
		}
		n = parts
	}
	return n
}

// spread assigns the parties before the labels of several columns to these columns.
func spread(row []mark, turns []int) {
	lead := 0
	for lead < len(row) && row[lead].role == other {
		lead++
	}
	columns := slices.Max(turns) + 1
	for i := range min(lead, columns) {
		turns[lead-1-i] = columns - 1 - i
	}
	if lead == 1 {
		turns[0] = 0
	}
	for i := lead; i < len(row); {
		n := 0
		for i+n < len(row) && row[i+n].role == other {
			n++
		}
		for k := 0; n%columns == 0 && k < n; k++ {
			turns[i+k] = k % columns // texts without labels, in turn
		}
		i += max(n, 1)
	}
}

// partiesBelow reports whether the parties of a column are below their signers: none is
// above the first signature, and one is below the last.
func partiesBelow(text string, column []mark) bool {
	signed, below := false, false
	for _, m := range column {
		firm := m.role == other && wording.EndsCompany(text[m.value.Start:m.value.End]) && partial(text[m.value.Start:m.value.End])
		switch {
		case m.role == signs || m.role == closing:
			signed, below = true, false
		case m.role == forWhom || m.role == partied || firm && !signed:
			return false
		case firm:
			below = true
		}
	}
	return below
}

// turnsOf returns the largest number of columns collapsed onto one line, not counting the
// first.
func turnsOf(text string, region []mark) int {
	most := 0
	for len(region) > 0 {
		row := rowOf(region)
		region = region[len(row):]
		if turns, ok := interleaved(text, row); ok {
			most = max(most, slices.Max(turns))
		}
	}
	return most
}

// rowOf returns the marks of the first row.
func rowOf(region []mark) []mark {
	n := 0
	for n < len(region) && region[n].row == region[0].row {
		n++
	}
	return region[:n]
}

// edgesOf returns the positions where the columns after the first begin.
func edgesOf(text string, region []mark) []float64 {
	var edges []float64
	for rest := region; len(rest) > 0; {
		row := rowOf(rest)
		rest = rest[len(row):]
		if _, ok := interleaved(text, row); ok {
			continue
		}
		first := map[role]float64{}
		for _, m := range row {
			r := m.role
			if r == other && ownCaption.MatchString(text[m.value.Start:m.value.End]) {
				r = signs
			}
			x, again := first[r]
			if !again {
				first[r] = m.x
			} else if m.word == conformedWord && row[0].word == deedWord {
				continue // the signature beside the execution of a deed
			} else if r != other && r != ignored && m.x > x {
				edges = append(edges, m.x)
			}
		}
	}
	slices.Sort(edges)
	return apart(edges, region)
}

// maxSigning is the maximum number of blocks side by side.
const maxSigning = 6

// apart keeps only the first of edges that are close to each other, and moves each a little
// to the left.
func apart(edges []float64, region []mark) []float64 {
	slack := columnSlack(region)
	var out []float64
	for _, e := range edges {
		if len(out) < maxSigning-1 && (len(out) == 0 || e-slack > out[len(out)-1]+2*slack) {
			out = append(out, e-slack)
		}
	}
	return out
}

// maxIndent is the maximum position of a segment of plain text, in columns. Larger values
// are positions on a page.
const maxIndent = 280

// columnSlack returns how far before its labels the text of a column may begin.
func columnSlack(region []mark) float64 {
	widest := 0.0
	for _, m := range region {
		widest = max(widest, m.x)
	}
	switch {
	case widest <= 20:
		return 0.5 // columns of a table
	case widest <= maxIndent:
		return 4
	}
	return PageUnits / 20
}
