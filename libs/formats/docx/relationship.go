package docx

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
)

// relationshipsSpace is the namespace of relationship parts. Strict and transitional
// documents share it.
const relationshipsSpace = "http://schemas.openxmlformats.org/package/2006/relationships"

// Relationship connects a part, or the package, to a target.
type Relationship struct {
	// ID identifies it within its source, for example "rId7". It should be unique there,
	// but that is not checked.
	ID string
	// Type is the URI of its type. Strict and transitional documents use different ones.
	Type string
	// Target is a part name if the relationship is internal, in which case the part need
	// not exist. Otherwise it is the URI as written.
	Target string
	// External reports whether the target is outside the package. It is never followed.
	External bool
}

// Prefixes of Office's relationship types in transitional and in strict documents.
const (
	officeRelationships = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
	strictRelationships = "http://purl.oclc.org/ooxml/officeDocument/relationships/"
)

// IsOf reports whether r has the type that Office calls name, in its transitional or its
// strict form.
func (r Relationship) IsOf(name string) bool {
	return r.Type == officeRelationships+name || r.Type == strictRelationships+name
}

// Relationships returns the relationships of the part in file order, or those of the
// package if part is nil. A part may have none. The error is as for Part.Open.
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

// relationshipOf returns the relationship that the element describes, with the part
// called base as its source.
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

// attribute returns the value of the attribute without a namespace, with surrounding
// white space trimmed.
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
	d.CharsetReader = func(_ string, input io.Reader) (io.Reader, error) { return input, nil } // it is already UTF-8
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
