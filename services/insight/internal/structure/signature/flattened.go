package signature

import (
	"slices"
	"strings"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/structure/wording"
)

// maxBetween is the maximum number of words of a printed name up to its surname.
const maxBetween = 5

// interleaved returns the column of each mark of a row, and whether the lines of several
// columns were collapsed onto that row: "By: By: Name: Name:", or, without a wide gap
// between them, "By: /s/ John Doe By: /s/ Jane Roe".
func interleaved(text string, row []mark) ([]int, bool) {
	turns := make([]int, len(row))
	pairs, near := 0, 0
	for i, m := range row {
		if i == 0 || m.role != row[i-1].role || m.word != row[i-1].word || m.role == other || m.role == ignored {
			continue
		}
		turns[i] = turns[i-1] + 1
		if turns[i] == 1 {
			pairs++
			if m.part == row[i-1].part {
				near++
			}
		}
	}
	if len(turns) > 0 && slices.Max(turns) > maxLabels {
		return turns, false // no page has so many columns
	}
	return turns, pairs > 1 || pairs == 1 && taken(row, turns) || near == 1 && !slices.ContainsFunc(row, func(m mark) bool { return standing(text, m) })
}

// taken reports whether the texts behind the labels of a row belong to its columns in turn: "By: By: John
// Doe Jane Roe Director Manager", with wide gaps.
func taken(row []mark, turns []int) bool {
	n, columns := 0, 1
	for i, m := range row {
		columns = max(columns, turns[i]+1)
		switch {
		case m.role == ignored:
		case m.role == signs:
			if n > 0 {
				return false
			}
		case m.role != other || columns > 1 && m.part == row[i-1].part:
			return false
		case columns > 1:
			n++
		}
	}
	return n > 0 && n%columns == 0
}

// minLine is the minimum length of one of several lines to sign on.
const minLine = 8

// lineMarks returns the marks of a segment without a label: one for each line to sign on if
// it has nothing else, or else one for all of it.
func lineMarks(text string, s Segment) []mark {
	runs := fieldsAt(text[s.Start:s.End])
	if len(runs) < 2 || len(runs) > maxSigning {
		return []mark{quietMark(text, s)}
	}
	var out []mark
	for _, r := range runs {
		line := layout.Span{Start: s.Start + r[0], End: s.Start + r[1]}
		if line.Len() < minLine || strings.Trim(text[line.Start:line.End], "_") != "" {
			return []mark{quietMark(text, s)}
		}
		out = append(out, quietMark(text, Segment{Span: line, Row: s.Row, X: s.X + float64(r[0])}))
	}
	return out
}

// ruled returns the number of columns of a row in which the lines of several blocks without
// labels are joined: first the lines to sign on, then the names below them, and then their
// titles. It returns 0 for any other row.
func ruled(row []mark) int {
	n := 0
	for n < len(row) && (row[n].word == lineWord || row[n].word == ruleWord) {
		n++
	}
	if n < 2 || n > maxSigning || len(row) == n || len(row)%n != 0 {
		return 0
	}
	for _, m := range row[n:] {
		if m.role != other {
			return 0
		}
	}
	return n
}

// ruledIn returns the largest number of columns of the ruled rows of a region.
func ruledIn(region []mark) int {
	most := 0
	for len(region) > 0 {
		row := rowOf(region)
		most = max(most, ruled(row))
		region = region[len(row):]
	}
	return most
}

// signOn makes the rules of a ruled row at the end of a region the lines to sign on. It
// reports false if the row is not ruled, or has no names below the rules.
func signOn(text string, region []mark) bool {
	first := len(region)
	for first > 0 && region[first-1].row == region[len(region)-1].row {
		first--
	}
	row := region[first:]
	n := ruled(row)
	if n == 0 {
		return false
	}
	for _, m := range row[n : 2*n] {
		if !Personal(text[m.value.Start:m.value.End]) {
			return false
		}
	}
	for i := range row[:n] {
		row[i].role, row[i].word = signs, lineWord
	}
	return true
}

// signedNames returns the names on the signatures of a row of several columns, one for each
// column. It cuts a signature where the name of an earlier column is printed behind it.
func signedNames(text string, row []mark, turns []int, columns int) []string {
	names := make([]string, columns)
	for i := range row {
		m := &row[i]
		if m.role != signs || m.value.Len() == 0 {
			continue
		}
		for _, name := range names[:turns[i]] {
			if at := wordsAt(text[m.value.Start:m.value.End], name); at > 0 {
				m.value = written(text, m.value.Start, m.value.Start+at)
				m.End = m.value.End
			}
		}
		names[turns[i]] = nameOnly(text[m.value.Start:m.value.End])
	}
	return names
}

// nameOnly returns a name without what a comma separates from it.
func nameOnly(t string) string {
	name, _, _ := strings.Cut(t, ",")
	return strings.TrimSpace(name)
}

// wordsAt returns the offset of the words of a name in a text, in any case, or -1 if the
// text does not have them one after the other.
func wordsAt(t, name string) int {
	want := strings.Fields(name)
	words := fieldsAt(wording.Head(t))
	for i := 0; len(want) > 1 && i+len(want) <= len(words); i++ {
		k := 0
		for k < len(want) && strings.EqualFold(strings.TrimRight(t[words[i+k][0]:words[i+k][1]], ","), want[k]) {
			k++
		}
		if k == len(want) {
			return words[i][0]
		}
	}
	return -1
}

// printedNames divides a line with the printed names of several columns, by the names that
// are signed above or, on blank lines, by their form. It returns one mark for each column, or
// nil if the line is none such.
func printedNames(text string, m mark, names []string) []mark {
	if m.role != other && m.role != named || m.value.Len() == 0 || m.value.Len() > maxMark {
		return nil
	}
	if strings.Join(names, "") == "" {
		return plainNames(text, m, len(names))
	}
	var out []mark
	rest := m.value
	for _, name := range names[:max(len(names)-1, 0)] {
		n := surnameEnd(text[rest.Start:rest.End], surname(name))
		if n <= 0 || n >= rest.Len() {
			return nil
		}
		c := m
		c.value = written(text, rest.Start, rest.Start+n)
		c.Span = c.value
		out = append(out, c)
		rest = wording.Trimmed(text, layout.Span{Start: rest.Start + n, End: rest.End})
	}
	if _, _, ok := personIn(text, rest); len(out) == 0 || !ok {
		return nil
	}
	out[0].Start = m.Start
	m.value, m.Span = rest, rest
	return append(out, m)
}

// plainNames divides a line of n names that consist of a first name, initials and a surname.
func plainNames(text string, m mark, n int) []mark {
	words := fieldsAt(text[m.value.Start:m.value.End])
	word := func(i int) string {
		if i >= len(words) {
			return ""
		}
		return strings.Trim(text[m.value.Start+words[i][0]:m.value.Start+words[i][1]], "().,")
	}
	var out []mark
	at := 0
	for range n {
		from := at
		for at++; len(word(at)) == 1; at++ {
		}
		if len(word(from)) < 2 || len(word(at)) < 2 {
			return nil
		}
		if at++; suffix.MatchString(word(at)) {
			at++
		}
		c := m
		c.value = layout.Span{Start: m.value.Start + words[from][0], End: m.value.Start + words[at-1][1]}
		if !Personal(text[c.value.Start:c.value.End]) {
			return nil
		}
		c.Span = c.value
		out = append(out, c)
	}
	if at < len(words) || len(out) < 2 {
		return nil
	}
	out[0].Start = m.Start
	return out
}

// surnameEnd returns the end of a surname among the first words of a text, -1 for none.
func surnameEnd(t, surname string) int {
	words := fieldsAt(t)
	for _, w := range words[:min(len(words), maxBetween)] {
		if word := t[w[0]:w[1]]; surname != "" && strings.EqualFold(strings.Trim(word, ".,"), surname) {
			return w[1]
		}
	}
	return -1
}
