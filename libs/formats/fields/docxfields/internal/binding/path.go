package binding

import (
	"slices"
	"strconv"
	"strings"

	"github.com/beevik/etree"

	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/wml"
)

// resolve returns the node at the path from the document, or nil if there is none. It
// supports the paths that Word writes: steps of a name and an index, and an attribute or
// text() at the end.
func resolve(e *etree.Element, path string, spaces map[string]string) *Node {
	steps := strings.Split(strings.TrimSpace(path), "/")
	if len(steps) < 2 || steps[0] != "" {
		return nil
	}
	for i, step := range steps[1:] {
		last := i == len(steps)-2
		switch key, isAttribute := strings.CutPrefix(step, "@"); {
		case last && isAttribute && e.Tag != "":
			return attributeNode(e, key, spaces)
		case last && (step == "text()" || step == "text()[1]") && e.Tag != "":
			continue
		}
		if e = follow(e, step, spaces); e == nil {
			return nil
		}
	}
	if len(e.ChildElements()) > 0 || strings.HasPrefix(strings.TrimSpace(e.Text()), "<") {
		return nil // not text, or the flat OPC document in which rich text is stored
	}
	return &Node{element: e}
}

// follow returns the child of e for a step.
func follow(e *etree.Element, step string, spaces map[string]string) *etree.Element {
	name, index, ok := parseStep(step)
	if !ok {
		return nil
	}
	space, local, ok := expand(name, spaces)
	if !ok {
		return nil
	}
	for _, c := range e.ChildElements() {
		if c.Tag == local && c.NamespaceURI() == space {
			if index--; index == 0 {
				return c
			}
		}
	}
	return nil
}

// parseStep parses "ns0:name[2]".
func parseStep(step string) (name string, index int, ok bool) {
	name, rest, indexed := strings.Cut(step, "[")
	if !indexed {
		return name, 1, name != ""
	}
	index, err := strconv.Atoi(strings.TrimSuffix(rest, "]"))
	return name, index, err == nil && index > 0 && name != ""
}

// expand returns the namespace and the local part of a name.
func expand(name string, spaces map[string]string) (space, local string, ok bool) {
	prefix, local, prefixed := strings.Cut(name, ":")
	if !prefixed {
		return "", name, true
	}
	space, ok = spaces[prefix]
	return space, local, ok
}

// attributeNode returns the attribute of e with the name.
func attributeNode(e *etree.Element, name string, spaces map[string]string) *Node {
	space, local, ok := expand(name, spaces)
	at := slices.IndexFunc(e.Attr, func(a etree.Attr) bool {
		return a.Key == local && (space == "") == (a.Space == "") && (space == "" || wml.Namespace(e, a.Space) == space)
	})
	if !ok || at < 0 {
		return nil
	}
	return &Node{element: e, key: e.Attr[at].FullKey()}
}

// parseMappings parses namespace prefix mappings: xmlns:ns0='http://…'.
func parseMappings(s string) map[string]string {
	spaces := map[string]string{}
	for {
		_, rest, ok := strings.Cut(s, "xmlns:")
		prefix, rest, ok2 := strings.Cut(rest, "=")
		rest = strings.TrimSpace(rest)
		if !ok || !ok2 || rest == "" {
			return spaces
		}
		uri, after, ok := strings.Cut(rest[1:], rest[:1])
		if !ok {
			return spaces
		}
		spaces[strings.TrimSpace(prefix)] = uri
		s = after
	}
}
