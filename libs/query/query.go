// Package query reads the query string of a request strictly and reports all problems at
// once, above all parameters that a route does not take. They are rejected, because
// ignoring a mistyped parameter changes what a request does: without its filter a list
// shows everything, and without dry_run a request writes.
package query

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/rectohq/recto/libs/nearest"
	"github.com/rectohq/recto/libs/problem"
)

// maxName is how many bytes of an unknown parameter's name an error repeats.
const maxName = 256

// Parameter is a query parameter with all its values.
type Parameter struct {
	// Name is the decoded name.
	Name string
	// Values are still encoded, in the order of the query.
	Values []string
}

// One returns the decoded value of a parameter that appears once. It returns false if the
// parameter is absent, repeated, or not validly encoded.
func (p Parameter) One() (string, bool) {
	if len(p.Values) != 1 {
		return "", false
	}
	text, err := url.QueryUnescape(p.Values[0])
	return text, err == nil
}

// String returns the values of p, decoded and separated by commas.
func (p Parameter) String() string {
	values := slices.Clone(p.Values)
	for i, v := range values {
		if decoded, err := url.QueryUnescape(v); err == nil {
			values[i] = decoded
		}
	}
	return strings.Join(values, ", ")
}

// Read calls read for each parameter of a raw query whose name is in known, in the order
// of first appearance. It reports every other parameter as a problem.
func Read(raw string, known []string, problems *problem.List, read func(Parameter)) {
	for _, p := range split(raw) {
		if slices.Contains(known, p.Name) {
			read(p)
		} else {
			problems.Add(unknown(p, known))
		}
	}
}

// Find returns the parameter called name, or the zero Parameter.
func Find(raw, name string) Parameter {
	for _, p := range split(raw) {
		if p.Name == name {
			return p
		}
	}
	return Parameter{}
}

// split groups the parameters of a raw query by their decoded names.
func split(raw string) []Parameter {
	var out []Parameter
	index := map[string]int{}
	for part := range strings.SplitSeq(raw, "&") {
		if part == "" {
			continue
		}
		name, value, _ := strings.Cut(part, "=")
		if decoded, err := url.QueryUnescape(name); err == nil {
			name = decoded
		}
		name = strings.ToValidUTF8(name, "\uFFFD")
		i, seen := index[name]
		if !seen {
			i = len(out)
			index[name] = i
			out = append(out, Parameter{Name: name})
		}
		out[i].Values = append(out[i].Values, value)
	}
	return out
}

// unknown returns the entry for a parameter that the route does not take.
func unknown(p Parameter, known []string) problem.Entry {
	name := p.Name
	if len(name) > maxName {
		name = strings.ToValidUTF8(name[:maxName], "") + "…"
	}
	return problem.Broken(name, problem.EchoString(p.String()), problem.Fault{
		Code: problem.CodeUnknownParameter, Message: "is not a parameter of this route", Resolution: advice(p.Name, known),
	})
}

// advice suggests the parameter that was most likely meant, or lists all.
func advice(name string, known []string) string {
	if meant := nearest.Meant(name, known); meant != "" {
		return fmt.Sprintf("Did you mean %s? Otherwise, remove the parameter.", meant)
	}
	switch last := len(known) - 1; {
	case last < 0:
		return "Remove it. This route takes no query parameters."
	case last == 0:
		return fmt.Sprintf("Remove it. This route takes only %s.", known[0])
	default:
		return fmt.Sprintf("Remove it. This route takes %s and %s.", strings.Join(known[:last], ", "), known[last])
	}
}
