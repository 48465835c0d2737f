package signature

import (
	"strings"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/space"
	"github.com/rectohq/recto/services/insight/internal/structure/wording"
)

// gridLabel matches the first cell of a row in a signature table.
var gridLabel = space.Compile(`^(?i:(by|signature|signed(?:\s+by)?)|((?:(?:print(?:ed)?|full)\s+)?name)|(title|position|role|capacity|designation)|(date|date\s+signed)|(e-?mail)|(company|entity|legal\s+name|party|organi[sz]ation))$`)

// InTable returns the blocks in a table with labels in its first column and one column per
// signer. table is its span, rows its cells.
func InTable(text string, table layout.Span, rows [][]layout.Span) []Block {
	first, last, width, signed := -1, -1, 0, false
	for i, row := range rows {
		m := labelOfRow(text, row)
		if m == nil {
			continue
		}
		if first < 0 {
			first = i
		}
		last = i
		signed = signed || m[1] != ""
		width = max(width, len(row))
	}
	if !signed {
		return nil
	}
	var out []Block
	for column := 1; column < min(width, maxSigning+1); column++ {
		s := inColumn(text, table, rows, first, column)
		s.Parts = partsOfColumn(rows, first, last, column)
		if s.Party.Len()+s.Name.Len()+s.Title.Len() > 0 || width == 2 {
			out = append(out, s)
		}
	}
	return out
}

// labelOfRow returns the submatches of gridLabel in the first cell of a row, nil if it is
// not a label.
func labelOfRow(text string, row []layout.Span) []string {
	if len(row) == 0 {
		return nil
	}
	return gridLabel.FindStringSubmatch(strings.TrimSpace(text[row[0].Start:row[0].End]))
}

// partsOfColumn returns the cells of a signer's column: those next to labels, those of the
// rows between, such as "Notice Address", and the one above, which names the party.
func partsOfColumn(rows [][]layout.Span, first, last, column int) []layout.Span {
	var parts []layout.Span
	for _, row := range rows[max(first-1, 0) : last+1] {
		if column < len(row) {
			parts = append(parts, row[column])
		}
	}
	return parts
}

// inColumn returns the block of a column. The party is in a row with its own label, or in
// the row above the labels: in the column, or in a single cell.
func inColumn(text string, table layout.Span, rows [][]layout.Span, first, column int) Block {
	s := Block{Span: wording.Trimmed(text, table)}
	if first > 0 {
		above := rows[first-1]
		if column < len(above) && above[column].Len() > 0 && !placeholder.MatchString(text[above[column].Start:above[column].End]) {
			s.Party = above[column]
		} else if len(above) == 1 && above[0].Len() <= maxMark {
			s.Party = above[0]
		}
	}
	for _, row := range rows[first:] {
		m := labelOfRow(text, row)
		if m == nil || column >= len(row) || row[column].Len() == 0 || placeholder.MatchString(text[row[column].Start:row[column].End]) {
			continue
		}
		cell := row[column]
		switch {
		case m[2] != "":
			s.Name = cell
			if name, title, ok := personIn(text, cell); ok {
				s.Name, s.Title = name, title
			}
		case m[3] != "":
			s.Title = cell
		case m[4] != "":
			s.Date = cell
		case m[5] != "":
			s.Email = cell
		case m[6] != "":
			s.Party = cell
		}
	}
	return s
}
