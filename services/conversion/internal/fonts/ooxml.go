package fonts

import (
	"io"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/rectohq/recto/libs/formats/filetype"
)

// maxThemes is the maximum number of themes that are read.
const maxThemes = 100

// theme maps "major" or "minor", and "latin", "ea" or "cs", to the name of a font.
type theme map[[2]string]string

// office collects the fonts of an Office Open XML document.
type office struct {
	found *names
	// references are the fonts of the theme that the document asks for.
	references map[[2]string]bool
	themes     map[string]theme
	// ofSlides holds the names of the themes of slide masters. Those of notes are not
	// shown.
	ofSlides map[string]bool
	// section is the part of the theme that is being read.
	section string
}

func scanOOXML(r io.ReaderAt, size int64, t filetype.Type, found *names) {
	o := &office{found: found, references: map[[2]string]bool{}, themes: map[string]theme{}, ofSlides: map[string]bool{}}
	c := openContainer(r, size)
	c.each(isTheme, o.visitTheme)
	c.each(isMasterRelations, o.visitRelation)
	visit := o.visitText
	if t == filetype.XLSX {
		visit = o.visitSheet
	}
	c.each(isContent, visit)
	o.resolve()
}

func isTheme(name string) bool {
	return inFolder(name, "theme") && path.Ext(name) == ".xml"
}

func isMasterRelations(name string) bool {
	return strings.HasSuffix(name, ".rels") && inFolder(name, "slidemasters")
}

// isContent reports whether a part may say which fonts text has. Others only list fonts, or
// are not shown.
func isContent(name string) bool {
	if path.Ext(name) != ".xml" || path.Base(name) == "fonttable.xml" || isTheme(name) {
		return false
	}
	for _, folder := range []string{"docprops", "customxml", "glossary", "notesmasters", "handoutmasters", "notesslides"} {
		if inFolder(name, folder) {
			return false
		}
	}
	return true
}

func (o *office) visitTheme(p part, tag []byte) {
	switch name := string(tagName(tag)); name {
	case "fontScheme":
		o.section = ""
	case "majorFont", "minorFont":
		o.section = strings.TrimSuffix(name, "Font")
	case "latin", "ea", "cs":
		if o.section == "" || o.themes[p.name] == nil && len(o.themes) == maxThemes {
			return
		}
		if o.themes[p.name] == nil {
			o.themes[p.name] = theme{}
		}
		if place := [2]string{o.section, name}; o.themes[p.name][place] == "" {
			o.themes[p.name][place] = attributeOf(tag, "typeface")
		}
	case "fmtScheme":
		o.section = ""
	}
}

func (o *office) visitRelation(_ part, tag []byte) {
	if target := strings.ToLower(attributeOf(tag, "Target")); strings.Contains(target, "theme/") && len(o.ofSlides) < maxThemes {
		o.ofSlides[path.Base(target)] = true
	}
}

// visitText finds fonts of Word's text and of drawings.
func (o *office) visitText(_ part, tag []byte) {
	switch string(tagName(tag)) {
	case "rFonts":
		o.visitRunFonts(tag)
	case "sym":
		eachAttribute(tag, func(_, name, value string) {
			if name == "font" || name == "typeface" {
				o.add(value)
			}
		})
	case "latin", "ea", "cs", "buFont":
		o.add(attributeOf(tag, "typeface"))
	}
}

// visitSheet finds fonts of cells, whose elements have names that mean something else in
// Word's text.
func (o *office) visitSheet(p part, tag []byte) {
	switch string(tagName(tag)) {
	case "name", "rFont":
		o.add(attributeOf(tag, "val"))
	default:
		o.visitText(p, tag)
	}
}

// visitRunFonts adds the fonts of w:rFonts. A reference to the theme takes precedence over a
// name for the same characters.
func (o *office) visitRunFonts(tag []byte) {
	fonts := map[string]string{}
	eachAttribute(tag, func(_, name, value string) {
		if name == "cstheme" {
			name = "csTheme"
		}
		fonts[name] = value
	})
	for _, characters := range []string{"ascii", "hAnsi", "eastAsia", "cs"} {
		if reference, ok := fonts[characters+"Theme"]; !ok || !o.refer(reference) {
			o.found.add(fonts[characters])
		}
	}
}

// wordReferences maps the ends of Word's references to elements of the theme.
var wordReferences = map[string]string{"Ascii": "latin", "HAnsi": "latin", "EastAsia": "ea", "Bidi": "cs"}

// refer notes a reference such as "minorHAnsi". It returns false if the theme has no such
// font.
func (o *office) refer(reference string) bool {
	if len(reference) < len("major") {
		return false
	}
	section, end := reference[:len("major")], reference[len("major"):]
	place := [2]string{section, wordReferences[end]}
	if place[1] == "" || section != "major" && section != "minor" {
		return false
	}
	o.references[place] = true
	return true
}

// drawingReferences maps the references of drawings to places in the theme.
var drawingReferences = map[string][2]string{
	"+mj-lt": {"major", "latin"}, "+mj-ea": {"major", "ea"}, "+mj-cs": {"major", "cs"},
	"+mn-lt": {"minor", "latin"}, "+mn-ea": {"minor", "ea"}, "+mn-cs": {"minor", "cs"},
}

// add adds a name, or a reference to the theme that is used as one.
func (o *office) add(name string) {
	if place, ok := drawingReferences[name]; ok {
		o.references[place] = true
		return
	}
	o.found.add(name)
}

// resolve adds the fonts that the references stand for.
func (o *office) resolve() {
	for _, name := range slices.Sorted(maps.Keys(o.themes)) {
		if len(o.ofSlides) > 0 && !o.ofSlides[path.Base(name)] {
			continue
		}
		for place := range o.references { // at most six
			o.found.add(o.themes[name][place])
		}
	}
}

// attributeOf returns the value of the attribute without a prefix, or "".
func attributeOf(tag []byte, wanted string) string {
	found := ""
	eachAttribute(tag, func(prefix, name, value string) {
		if prefix == "" && name == wanted {
			found = value
		}
	})
	return found
}
