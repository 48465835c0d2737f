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
// text() at the end. Other programs also write steps that select by an attribute:
// "/answers/answer[@id='client']".
func resolve(e *etree.Element, path string, spaces map[string]string) *Node {
	steps := splitSteps(strings.TrimSpace(path))
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

// splitSteps splits a path at its slashes, except for those in quotes.
func splitSteps(path string) []string {
	var steps []string
	quote, start := byte(0), 0
	for i := range len(path) {
		switch c := path[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
		case c == '/':
			steps = append(steps, path[start:i])
			start = i + 1
		}
	}
	return append(steps, path[start:])
}

// follow returns the child of e for a step.
func follow(e *etree.Element, step string, spaces map[string]string) *etree.Element {
	s, ok := parseStep(step)
	if !ok {
		return nil
	}
	space, local, ok := expand(s.name, spaces)
	if !ok {
		return nil
	}
	for _, c := range e.ChildElements() {
		if c.Tag != local || c.NamespaceURI() != space {
			continue
		}
		if s.attribute != "" {
			if n := attributeNode(c, s.attribute, spaces); n == nil || n.Text() != s.value {
				continue
			}
		}
		if s.index--; s.index == 0 {
			return c
		}
	}
	return nil
}

// pathStep is a step of a path: the n-th element with a name and, unless attribute is "", with
// the value of the attribute.
type pathStep struct {
	name             string
	index            int
	attribute, value string
}

// parseStep parses "ns0:name[2]" or "ns0:name[@id='client']".
func parseStep(text string) (pathStep, bool) {
	name, rest, selective := strings.Cut(text, "[")
	s := pathStep{name: strings.TrimSpace(name), index: 1}
	if !selective {
		return s, s.name != ""
	}
	condition, ok := strings.CutSuffix(strings.TrimSpace(rest), "]")
	if !ok || s.name == "" {
		return pathStep{}, false
	}
	condition = strings.TrimSpace(condition)
	if named, ok := strings.CutPrefix(condition, "@"); ok {
		key, value, _ := strings.Cut(named, "=")
		s.attribute = strings.TrimSpace(key)
		s.value, ok = unquote(strings.TrimSpace(value))
		return s, ok && s.attribute != ""
	}
	index, err := strconv.Atoi(condition)
	s.index = index
	return s, err == nil && index > 0
}

// unquote returns the text between quotes. It reports false for anything else.
func unquote(s string) (string, bool) {
	if len(s) < 2 || s[0] != '\'' && s[0] != '"' || s[len(s)-1] != s[0] {
		return "", false
	}
	inner := s[1 : len(s)-1]
	return inner, strings.IndexByte(inner, s[0]) < 0
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
