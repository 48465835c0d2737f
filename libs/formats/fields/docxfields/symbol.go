package docxfields

import (
	"fmt"
	"strings"

	"github.com/beevik/etree"

	"github.com/rectohq/recto/libs/formats/docx/docxtext"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/runs"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/wml"
)

// setSymbol changes a dingbat to the box of its font that is ticked or empty.
func setSymbol(e *etree.Element, ticked bool) {
	font, _, _ := runs.SymbolCode(e)
	for _, s := range docxtext.SymbolBoxes() {
		if strings.EqualFold(s.Font, font) && s.Text == boxText("☐", ticked) {
			wml.SetAttr(e, "char", fmt.Sprintf("%04X", docxtext.SymbolArea|s.Code))
			return
		}
	}
}
