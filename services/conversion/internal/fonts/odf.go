package fonts

import (
	"io"
	"maps"
	"path"
	"slices"
	"strings"
)

// maxFaces is the maximum number of declarations and of references that are remembered.
const maxFaces = 1000

// scanODF finds the fonts of an OpenDocument file and of the documents in it. A style names
// either a font, or a declaration that names one.
func scanODF(r io.ReaderAt, size int64, found *names) {
	declared, references := map[string]string{}, map[string]bool{}
	wanted := func(name string) bool {
		base := path.Base(name)
		return base == "content.xml" || base == "styles.xml"
	}
	openContainer(r, size).each(wanted, func(_ part, tag []byte) {
		if string(tagName(tag)) == "font-face" {
			declare(tag, declared)
			return
		}
		eachAttribute(tag, func(prefix, name, value string) {
			switch name {
			case "font-name", "font-name-asian", "font-name-complex":
				if prefix == "style" && len(references) < maxFaces {
					references[value] = true
				}
			case "font-family", "font-family-asian", "font-family-complex":
				found.add(firstFamily(value))
			}
		})
	})
	for _, name := range slices.Sorted(maps.Keys(references)) {
		if family, ok := declared[name]; ok {
			found.add(family)
		} else {
			found.add(name) // LibreOffice takes it for the name of a font
		}
	}
}

// declare notes a style:font-face.
func declare(tag []byte, declared map[string]string) {
	var name, family string
	eachAttribute(tag, func(_, attribute, value string) {
		switch attribute {
		case "name":
			name = value
		case "font-family":
			family = firstFamily(value)
		}
	})
	if name != "" && family != "" && len(declared) < maxFaces {
		declared[name] = family
	}
}

// firstFamily returns the first font of a list as in CSS.
func firstFamily(list string) string {
	list = strings.TrimSpace(list)
	if list != "" && (list[0] == '"' || list[0] == '\'') {
		if end := strings.IndexByte(list[1:], list[0]); end >= 0 {
			return list[1 : 1+end]
		}
	}
	first, _, _ := strings.Cut(list, ",")
	return first
}
