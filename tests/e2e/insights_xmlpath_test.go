package e2e

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
)

// textAt returns the text of the element at an XML path. A path is the name of a part,
// "#", and the elements from the root, each with its index among the siblings of the same
// name. Names include the prefixes that the file uses.
func textAt(parts map[string]string, path string) (string, error) {
	part, steps, ok := strings.Cut(path, "#/")
	content, there := parts[part]
	if !ok || !there {
		return "", fmt.Errorf("%s: no part %q", path, part)
	}
	want := strings.Split(steps, "/")
	d := xml.NewDecoder(strings.NewReader(strings.TrimPrefix(content, "\ufeff")))
	d.Strict = false
	counts := []map[string]int{{}}
	matched, depth, inside := 0, 0, -1
	var text strings.Builder
	for {
		token, err := d.RawToken()
		if errors.Is(err, io.EOF) {
			return "", fmt.Errorf("%s: only the first %d steps match", path, matched)
		}
		if err != nil {
			return "", fmt.Errorf("%s: %w", path, err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			name := qualified(token.Name)
			counts[depth][name]++
			if inside < 0 && matched == depth && matched < len(want) && want[matched] == fmt.Sprintf("%s[%d]", name, counts[depth][name]) {
				if matched++; matched == len(want) {
					inside = depth
				}
			}
			depth++
			counts = append(counts[:depth], map[string]int{})
			if inside >= 0 && depth > inside+1 {
				text.WriteString(standsFor(token))
			}
		case xml.EndElement:
			depth--
			if depth == inside {
				return text.String(), nil
			}
			if matched > depth {
				return "", fmt.Errorf("%s: only the first %d steps match", path, matched)
			}
		case xml.CharData:
			if inside >= 0 {
				text.Write(token)
			}
		}
	}
}

func qualified(n xml.Name) string {
	if n.Space == "" {
		return n.Local
	}
	return n.Space + ":" + n.Local
}

// standsFor returns the text that an empty element represents.
func standsFor(e xml.StartElement) string {
	switch e.Name.Local {
	case "tab", "br", "cr", "p":
		return " "
	case "noBreakHyphen":
		return "-"
	}
	return ""
}
