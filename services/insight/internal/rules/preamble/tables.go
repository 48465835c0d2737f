package preamble

import (
	"slices"
	"strings"

	"github.com/rectohq/recto/libs/formats/layout"
	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
	"github.com/rectohq/recto/services/insight/internal/structure"
	"github.com/rectohq/recto/services/insight/internal/structure/wording"
)

// maxRows and maxColumns are how much of a table is searched for labels.
const maxRows, maxColumns = 50, 6

var (
	// lettered matches the head of the column of a party.
	lettered = regexp.MustCompile(`(?i)^party (?:[a-f]|[1-9]|one|two)$`)
	// addressCell and seatCell match the labels of the address of a party, and of the place under whose law it is
	// organized.
	addressCell = regexp.MustCompile(`(?i)^(?:(?:registered|principal|business|postal|full|company|head) )*(?:address|office|place of business)(?: of (?:the )?company)?$`)
	seatCell    = regexp.MustCompile(`(?i)^(?:(?:country|state|place|jurisdiction) of (?:incorporation|organi[sz]ation|formation|registration|establishment)|jurisdiction)$`)
)

// tableReader reads the parties in a table.
type tableReader struct {
	d     *structure.Document
	lower string
	rows  [][]layout.Span
}

// tableCandidates returns the parties in the tables near the beginning of a document.
func tableCandidates(d *structure.Document, lower string) (all []candidate) {
	for _, t := range d.Tables {
		if t.Start > labelReach {
			break
		}
		all = append(all, tableReader{d: d, lower: lower, rows: t.Rows[:min(len(t.Rows), maxRows)]}.candidates()...)
	}
	return all
}

// candidates returns the parties in cells beside or below a cell that calls a party.
func (t tableReader) candidates() (all []candidate) {
	for i, row := range t.rows {
		for c, cell := range row[:min(len(row), maxColumns)] {
			role := t.label(cell)
			role = role[:len(role)-len(besideRole.FindString(role))]
			if role == "" || !isParty(t.lower, role) && !lettered.MatchString(role) {
				continue
			}
			if c+1 < len(row) {
				all = append(all, t.candidate(cell, role, i, c+1)...)
			}
			if i+1 < len(t.rows) && c < len(t.rows[i+1]) {
				all = append(all, t.candidate(cell, role, i+1, c)...)
			}
		}
	}
	return all
}

// label returns the text of a cell that may be a label, "" for a longer one.
func (t tableReader) label(cell layout.Span) string {
	if cell.Len() == 0 || cell.Len() > maxLabel {
		return ""
	}
	return strings.TrimRight(t.d.Plain(cell), " :")
}

// candidate returns the parties in a cell that belongs to another one, which calls them by a role.
func (t tableReader) candidate(cell layout.Span, role string, row, column int) []candidate {
	names := wording.Trimmed(t.d.Text, t.rows[row][column])
	m := label{Span: layout.Span{Start: cell.Start, End: names.Start}, role: role, first: true, value: names.End}
	c, ok := m.candidate(t.d.Text, names.End)
	if !ok {
		return nil
	}
	if len(c.parties) == 1 && singular(role) != role {
		c.parties = append(c.parties, t.others(layout.Span{Start: c.parties[0].Name.End, End: names.End}, c.parties[0].Role)...)
	}
	if len(c.parties) == 1 {
		p := &c.parties[0]
		if lines := t.d.Text[p.Name.End:names.End]; strings.Contains(lines, "\n") && len(lines) <= maxLabelled {
			p.About = strings.Trim(wording.OneLine(strings.ReplaceAll(lines, "\n", "; ")), " ;,.")
		}
		p.About = strings.Trim(p.About+"; "+t.details(role, row, column), "; ")
	}
	return []candidate{c}
}

// others returns the further parties in a cell that calls several by a role: each line is the name of one.
func (t tableReader) others(rest layout.Span, role string) (all []Party) {
	for line := range strings.SplitAfterSeq(t.d.Text[rest.Start:rest.End], "\n") {
		s := wording.Trimmed(t.d.Text, layout.Span{Start: rest.Start, End: rest.Start + len(line)})
		rest.Start += len(line)
		if s.Len() == 0 {
			continue
		}
		name := t.d.Text[s.Start:s.End]
		if Name(name) != len(name) || !fullName(name) && !HasForm(name) || isPlace(name) {
			return nil // an address
		}
		all = append(all, Party{Name: s, Whole: s, Role: role})
	}
	return all
}

// details returns what the rows below that of a name say about the party: its address, and where it is
// organized. They are in its column, up to the next name.
func (t tableReader) details(role string, row, column int) string {
	var all []string
	for _, cells := range t.rows[row+1:] {
		if column >= len(cells) || column == 0 {
			break
		}
		called := t.label(cells[0])
		if rest, ok := withoutRole(called, role); ok {
			called = strings.TrimLeft(rest, "'’s ")
		} else if column == 1 && isParty(t.lower, called) {
			break // the next party
		}
		if cells[column].Len() > 2*maxAddress {
			continue
		}
		value := t.d.Plain(cells[column])
		switch {
		case value == "" || len(value) > maxAddress:
		case addressCell.MatchString(called):
			all = append(all, "address: "+value)
		case seatCell.MatchString(called):
			all = append(all, "organized in "+value)
		}
	}
	slices.Reverse(all) // the address is the last
	return strings.Join(all, "; ")
}

// withoutRole returns a label without the role of a party at its beginning, or without the last word of the
// role: "Organiser's address" of the "Event Organiser".
func withoutRole(label, role string) (rest string, ok bool) {
	if rest, ok = cutFold(label, role); ok {
		return rest, true
	}
	return cutFold(label, lastWord(role))
}

// cutFold returns a text without a prefix, which may be in another case.
func cutFold(t, prefix string) (rest string, ok bool) {
	if len(t) < len(prefix) || !strings.EqualFold(t[:len(prefix)], prefix) {
		return t, false
	}
	return t[len(prefix):], true
}
