package docx

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
)

// relationshipsSpace is the namespace of the lists of relationships. Strict and
// transitional documents share it.
const relationshipsSpace = "http://schemas.openxmlformats.org/package/2006/relationships"

// Relationship leads from a part, or from the package, to something else.
type Relationship struct {
	// ID is what the source calls it, for example "rId7". It should be unique
	// in its source, which is not checked.
	ID string
	// Type is the URI of its type. Strict and transitional documents have
	// different ones.
	Type string
	// Target is the name of a part if it is internal, which need not exist, and
	// otherwise the URI as it is written.
	Target string
	// External tells that the target is outside of the package. It is never
	// followed.
	External bool
}

// The beginnings of the types that Office has, in transitional and in strict
// documents.
const (
	officeRelationships = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
	strictRelationships = "http://purl.oclc.org/ooxml/officeDocument/relationships/"
)

// IsOf reports whether r is of the type that Office calls name, be it the
// transitional or the strict one.
func (r Relationship) IsOf(name string) bool {
	return r.Type == officeRelationships+name || r.Type == strictRelationships+name
}

// Relationships returns the relationships of the part in the order in which
// they are written, those of the package if part is nil. A part can have none.
// The error is as that of Part.Open.
func (p *Package) Relationships(part *Part) ([]Relationship, error) {
	base, key := "", relationshipsKey("")
	if part != nil {
		base, key = part.Name, relationshipsKey(part.entry.key)
	}
	list, ok := p.byKey[key]
	if !ok {
		return nil, nil
	}
	var all []Relationship
	err := list.eachElement(func(e xml.StartElement) error {
		if e.Name.Space == relationshipsSpace && e.Name.Local == "Relationship" {
			all = append(all, relationshipOf(e, base))
		}
		return nil
	})
	return all, err
}

// relationshipOf returns what the element says of the part called base.
func relationshipOf(e xml.StartElement, base string) Relationship {
	rel := Relationship{ID: attribute(e, "Id"), Type: attribute(e, "Type"), Target: attribute(e, "Target")}
	rel.External = strings.EqualFold(attribute(e, "TargetMode"), "External")
	if rel.External {
		return rel
	}
	name, inside := resolve(base, rel.Target)
	if rel.External = !inside; inside {
		rel.Target = name
	}
	return rel
}

// attribute returns the value of the attribute in no namespace, without the
// white space around it.
func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Space == "" && a.Name.Local == name {
			return strings.TrimSpace(a.Value)
		}
	}
	return ""
}

// eachElement calls visit for every start tag of the part.
func (p *Part) eachElement(visit func(xml.StartElement) error) error {
	body := p.OpenXML()
	defer body.Close()
	d := xml.NewDecoder(body)
	d.CharsetReader = func(_ string, input io.Reader) (io.Reader, error) { return input, nil } // it is UTF-8 already
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return refuse(p.Name, "has an XML part (%s) that is not well-formed", shown(p.Name)).because(err)
		}
		if e, ok := token.(xml.StartElement); ok {
			if err := visit(e); err != nil {
				return err
			}
		}
	}
}
