package docx

import (
	"encoding/xml"
	"strings"
)

// contentTypesSpace is the namespace of [Content_Types].xml.
const contentTypesSpace = "http://schemas.openxmlformats.org/package/2006/content-types"

// contentTypes holds the declarations of [Content_Types].xml that apply to this package.
// Declarations for parts and extensions that the package does not contain are dropped, so
// the maps are no larger than the package.
type contentTypes struct {
	// parts and extensions map part keys and extensions to content types; "" means that
	// none is declared.
	parts, extensions map[string]string
}

// readContentTypes reads [Content_Types].xml and gives each part its type.
func (p *Package) readContentTypes() error {
	list, ok := p.byKey[contentTypesKey]
	if !ok {
		return refuse("", "is not a Word document: it lists no content types")
	}
	if list.Size > p.limits.IndexBytes {
		return refuse(list.Name, "has a list of content types of more than %s", amount(p.limits.IndexBytes))
	}
	types := contentTypes{parts: map[string]string{}, extensions: map[string]string{}}
	for _, part := range p.parts {
		types.parts[part.entry.key] = ""
		types.extensions[extensionOf(part.entry.key)] = ""
	}
	if err := list.eachElement(types.add); err != nil {
		return err
	}
	for _, part := range p.parts {
		part.setContentType(types)
	}
	return nil
}

// add records the declaration in an element.
func (t contentTypes) add(e xml.StartElement) error {
	if e.Name.Space != contentTypesSpace {
		return nil
	}
	declared := attribute(e, "ContentType")
	switch e.Name.Local {
	case "Default":
		return declare(t.extensions, strings.ToLower(attribute(e, "Extension")), declared)
	case "Override":
		return declare(t.parts, keyOf(strings.TrimPrefix(attribute(e, "PartName"), "/")), declared)
	}
	return nil
}

// declare records the type of name. It refuses two different types, because programs
// would disagree on what the part is.
func declare(types map[string]string, name, declared string) error {
	before, ok := types[name]
	if !ok {
		return nil
	}
	if before != "" && mediaType(before) != mediaType(declared) {
		return refuse("[Content_Types].xml", "declares two content types of %s", shown(name))
	}
	types[name] = declared
	return nil
}

// setContentType sets the part's type: its own override, or else the default of its
// extension.
func (p *Part) setContentType(types contentTypes) {
	extension := extensionOf(p.entry.key)
	p.ContentType = types.parts[p.entry.key]
	if p.ContentType == "" {
		p.ContentType = types.extensions[extension]
	}
	media := mediaType(p.ContentType)
	p.XML = strings.HasSuffix(media, "+xml") || media == "application/xml" || media == "text/xml" ||
		extension == "xml" || extension == "rels"
}

// mediaType returns a content type in lower case, without its parameters.
func mediaType(contentType string) string {
	media, _, _ := strings.Cut(contentType, ";")
	return strings.ToLower(strings.TrimSpace(media))
}
