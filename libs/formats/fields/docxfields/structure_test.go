package docxfields

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/beevik/etree"

	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/wml"
)

// The children of property elements in schema order, as far as this package or its test
// files use them.
const (
	runOrder = `rStyle rFonts b bCs i iCs caps smallCaps strike dstrike outline shadow emboss imprint noProof snapToGrid vanish webHidden
		color spacing w kern position sz szCs highlight u effect bdr shd fitText vertAlign rtl cs em lang eastAsianLayout specVanish oMath rPrChange`
	paragraphOrder = `pStyle keepNext keepLines pageBreakBefore framePr widowControl numPr suppressLineNumbers pBdr shd tabs suppressAutoHyphens kinsoku
		wordWrap overflowPunct topLinePunct autoSpaceDE autoSpaceDN bidi adjustRightInd snapToGrid spacing ind contextualSpacing mirrorIndents
		suppressOverlap jc textDirection textAlignment textboxTightWrap outlineLvl divId cnfStyle rPr sectPr pPrChange`
	cellOrder = `cnfStyle tcW gridSpan hMerge vMerge tcBorders shd noWrap tcMar textDirection tcFitText vAlign hideMark`
)

// structureFaults records the rules of Word that the elements at and below e break.
func structureFaults(e *etree.Element, faults map[string]bool) {
	check := func(ok bool, format string, args ...any) {
		if !ok {
			faults[fmt.Sprintf(format, args...)] = true
		}
	}
	if wml.IsElement(e) {
		switch e.Tag {
		case "rPr":
			inOrderOf(e, runOrder, check)
		case "pPr":
			inOrderOf(e, paragraphOrder, check)
			check(e.Index() == 0 || len(e.Parent().ChildElements()) > 0 && e.Parent().ChildElements()[0] == e, "pPr is not the first child")
		case "tcPr":
			inOrderOf(e, cellOrder, check)
		case "tc":
			check(endsWithParagraph(e), "a cell does not end with a paragraph")
		case "p":
			check(wml.Above(e, "p") == nil && wml.Above(e, "r") == nil, "a paragraph in a paragraph or run")
		case "r":
			check(wml.Above(e, "r") == nil, "a run in a run")
		case "sdtPr":
			check(wml.Child(e, "rPr") == nil || e.ChildElements()[0].Tag == "rPr", "rPr is not the first child of sdtPr")
		case "sdtContent":
			check(len(e.ChildElements()) > 0 || isInline(e), "the content of a block-level control is empty")
			checkLevels(e, check)
		case "t", "tab", "br", "drawing", "sym":
			check(wml.Is(e.Parent(), "r") || wml.Is(e.Parent(), "tabs") || e.Parent().Space == "mc", "%s is in %s", e.Tag, e.Parent().Tag)
		}
	}
	for _, below := range e.ChildElements() {
		structureFaults(below, faults)
	}
}

// inOrderOf checks that the children are in the given order.
func inOrderOf(e *etree.Element, order string, check func(bool, string, ...any)) {
	all, last := strings.Fields(order), -1
	for _, c := range e.ChildElements() {
		at := slices.Index(all, c.Tag)
		if at < 0 {
			continue
		}
		check(at > last, "%s: %s comes after %s", e.Tag, c.Tag, all[max(0, last)])
		last = at
	}
}

// endsWithParagraph reports whether the last block of e is a paragraph.
func endsWithParagraph(e *etree.Element) bool {
	for _, c := range slices.Backward(e.ChildElements()) {
		switch {
		case wml.IsMarker(c) || wml.IsProperties(c):
			continue
		case wml.Is(c, "p"):
			return true
		case wml.Is(c, "sdt"):
			content := wml.Child(c, "sdtContent")
			return content != nil && endsWithParagraph(content)
		}
		return !wml.IsElement(c)
	}
	return false
}

// isInline reports whether a control is in a paragraph. Its content may be empty then.
func isInline(e *etree.Element) bool { return wml.Above(e, "p") != nil }

// checkLevels checks that the content of a control has a single level: runs and
// paragraphs are not mixed, and cells and rows are in the right place.
func checkLevels(e *etree.Element, check func(bool, string, ...any)) {
	levels := map[string]bool{}
	for _, c := range e.ChildElements() {
		switch c.Tag {
		case "r", "hyperlink":
			levels["runs"] = true
			check(isInline(e), "runs in a block-level control")
		case "p", "tbl":
			levels["blocks"] = true
			check(!isInline(e), "blocks in an inline control")
		case "tr":
			levels["rows"] = true
		case "tc":
			levels["cells"] = true
		}
	}
	check(len(levels) < 2, "a control holds %v", slices.Sorted(maps.Keys(levels)))
}

// checkStructure checks that filling broke no rule of Word's in any part. Test files may
// break some themselves.
func checkStructure(t testing.TB, before, after []byte) {
	t.Helper()
	old := parts(t, before)
	for name, text := range parts(t, after) {
		if !strings.HasPrefix(name, "word/") || !strings.HasSuffix(name, ".xml") || text == old[name] {
			continue
		}
		was, is := map[string]bool{}, map[string]bool{}
		for text, faults := range map[string]map[string]bool{old[name]: was, text: is} {
			tree := etree.NewDocument()
			if err := tree.ReadFromString(text); err == nil && tree.Root() != nil {
				structureFaults(tree.Root(), faults)
			}
		}
		for fault := range is {
			if !was[fault] {
				t.Errorf("%s: %s", name, fault)
			}
		}
	}
}
