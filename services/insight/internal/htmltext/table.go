package htmltext

import (
	"strings"
	"unicode/utf8"
)

// maxCell is the maximum length of a cell with line ends in a table of data, in
// characters. A longer cell means that the table is used for page layout.
const maxCell = 1000

// maxTables is the maximum nesting of tables. The text of each table is copied into the
// cell around it. Tables nested more deeply are read as blocks.
const maxTables = 16

// writeRow writes the cells of a row: as one line, or as separate paragraphs if the table
// is used for layout.
func writeRow(out *lines, cells []string) {
	out.separate(1)
	if isLayout(cells) {
		for _, cell := range cells {
			out.keep(cell)
			out.separate(paragraph)
		}
		return
	}
	for i, cell := range cells {
		cells[i] = inLine.Replace(cell)
	}
	out.keep(strings.TrimRight(strings.Join(cells, "\t"), "\t"))
	out.separate(1)
}

// inLine joins the lines of a cell.
var inLine = strings.NewReplacer("\n\n", " ", "\n", " ", "\t", " ")

// isLayout reports whether a row belongs to a table used for layout: a cell with several
// lines is the only filled one, or is too long.
func isLayout(cells []string) bool {
	filled, split, characters := 0, 0, 0
	for _, cell := range cells {
		if cell != "" {
			filled++
		}
		if strings.Contains(cell, "\n") {
			split++
			characters = max(characters, utf8.RuneCountInString(cell))
		}
	}
	return split > 0 && (filled == 1 || characters > maxCell)
}
