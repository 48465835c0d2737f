package htmltext

import (
	"strings"
	"unicode/utf8"
)

// maxCell is how many characters a cell has at most that is one of several in a
// line. What is longer is a part of a page that is laid out by a table.
const maxCell = 1000

// maxTables is how deep tables are read within tables. Those within are blocks: the
// text of each is copied into the cell around it.
const maxTables = 16

// writeRow writes the texts of the cells of a row: as a line, or each by itself if
// the row is one of a layout.
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

// inLine makes one line of several.
var inLine = strings.NewReplacer("\n\n", " ", "\n", " ", "\t", " ")

// isLayout reports whether cells are none of a table of data: one has several lines
// and is alone, or says too much.
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
