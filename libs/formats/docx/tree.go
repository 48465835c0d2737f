package docx

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strings"

	"github.com/beevik/etree"
)

// xmlDeclaration is the declaration written for text that was read as UTF-16.
const xmlDeclaration = `version="1.0" encoding="UTF-8" standalone="yes"`

// ReadTree parses an XML part and returns its number of tags. It accepts at most maxTags,
// because trees are far larger than their text. The tree keeps everything that WriteTree
// needs to write the part back unchanged: white space, CDATA, comments, the order of
// attributes, and every namespace prefix. The error is as for Part.Open.
func ReadTree(part *Part, maxTags int) (*etree.Document, int, error) {
	body := part.OpenXML()
	defer body.Close()
	text := bytes.NewBuffer(make([]byte, 0, part.Size+bytes.MinRead))
	if _, err := text.ReadFrom(body); err != nil {
		return nil, 0, err
	}
	tags := bytes.Count(text.Bytes(), []byte("<"))
	if tags > maxTags {
		return nil, 0, refuse(part.Name, "has an XML part (%s) with more than %s tags", shown(part.Name), grouped(int64(maxTags)))
	}
	tree, err := parseTree(part, text.Bytes())
	if err == nil && !fewAttributes(&tree.Element, maxScope) {
		return nil, 0, refuse(part.Name, "has an XML part (%s) in which an element and its ancestors have more than %d attributes", shown(part.Name), maxScope)
	}
	return tree, tags, err
}

// maxScope is the maximum number of attributes of an element and its ancestors together.
// Real documents have up to 200. Any attribute can declare a namespace, and resolving a
// prefix looks at all of them.
const maxScope = 2000

// fewAttributes reports whether e and each of its descendants, together with their
// ancestors up to e, have at most the given number of attributes.
func fewAttributes(e *etree.Element, most int) bool {
	if most -= len(e.Attr); most < 0 {
		return false
	}
	for _, token := range e.Child {
		if below, ok := token.(*etree.Element); ok && !fewAttributes(below, most) {
			return false
		}
	}
	return true
}

// readList parses a list of relationships or content types, which Open has already
// size-checked and read.
func readList(part *Part) (*etree.Document, error) {
	tree, _, err := ReadTree(part, math.MaxInt)
	return tree, err
}

// parseTree parses the text of the part.
func parseTree(part *Part, text []byte) (*etree.Document, error) {
	tree := etree.NewDocument()
	tree.ReadSettings = etree.ReadSettings{
		PreserveDuplicateAttrs: true,
		MaxDepth:               part.pkg.limits.Depth,
		// The text is UTF-8 by now, whatever it declares.
		CharsetReader: func(_ string, input io.Reader) (io.Reader, error) { return input, nil },
		// Preserving CDATA slows the parser down, and hardly any part has it.
		PreserveCData: bytes.Contains(text, []byte("<![CDATA[")),
	}
	plainAttributes(text)
	err := tree.ReadFromBytes(text)
	if err == nil && tree.Root() == nil {
		err = errors.New("no element")
	}
	if err != nil {
		return nil, refuse(part.Name, "has an XML part (%s) that is not well-formed", shown(part.Name)).because(err)
	}
	declareUTF8(tree)
	return tree, nil
}

// declareUTF8 corrects the XML declaration of a tree whose text was in another encoding.
func declareUTF8(tree *etree.Document) {
	for _, token := range tree.Child {
		declaration, ok := token.(*etree.ProcInst)
		if !ok || declaration.Target != "xml" {
			continue
		}
		encoding, err := declaredEncoding([]byte("<?xml " + declaration.Inst + "?>"))
		if err != nil || encoding != "" && !strings.EqualFold(encoding, "utf-8") {
			declaration.Inst = xmlDeclaration
		}
	}
}

// WriteTree returns the text of a part parsed by ReadTree.
func WriteTree(tree *etree.Document) ([]byte, error) {
	tree.WriteSettings = etree.WriteSettings{CanonicalText: true, CanonicalAttrVal: true}
	return tree.WriteToBytes()
}

// newTree returns a tree with a root element in the namespace.
func newTree(root, space string) *etree.Document {
	tree := etree.NewDocument()
	tree.CreateProcInst("xml", xmlDeclaration)
	tree.CreateElement(root).CreateAttr("xmlns", space)
	return tree
}

// createChild adds an element in the root's namespace to the tree. attributes holds pairs
// of a name and a value.
func createChild(tree *etree.Document, tag string, attributes ...string) {
	root := tree.Root()
	e := root.CreateElement(tag)
	e.Space = root.Space
	for i := 0; i < len(attributes); i += 2 {
		e.CreateAttr(attributes[i], attributes[i+1])
	}
}

// startOf returns e as the parser of the lists sees it.
func startOf(e *etree.Element) xml.StartElement {
	start := xml.StartElement{Name: xml.Name{Space: e.NamespaceURI(), Local: e.Tag}}
	for _, a := range e.Attr {
		start.Attr = append(start.Attr, xml.Attr{Name: xml.Name{Space: a.Space, Local: a.Key}, Value: a.Value})
	}
	return start
}
