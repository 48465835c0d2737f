package compat

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/tests/harness"
)

// shapes describe what one version of the contract reads and writes.
type shapes struct {
	// Endpoints are those of all services, by subject, and Events the types of the data
	// of events, by event type.
	Endpoints map[string]endpointShape `json:"endpoints"`
	Events    map[string]string        `json:"events"`
	Types     map[string]typeShape     `json:"types"`
	// Enums are the values of the named string types.
	Enums map[string][]string `json:"enums"`
}

// endpointShape names the types of an endpoint.
type endpointShape struct {
	Request    string `json:"request"`
	Reply      string `json:"reply"`
	Idempotent bool   `json:"idempotent,omitzero"`
}

// typeShape describes a JSON object. Strict is set if its reader rejects unknown members.
type typeShape struct {
	Strict  bool                   `json:"strict,omitzero"`
	Members map[string]memberShape `json:"members"`
}

// memberShape describes a member. Its type is string, boolean, integer, number, any or the
// name of an object; [T] is an array, {T} an object with any names, T? a T or null, and
// "string of E" a value of the enumeration E. A required member is always written.
type memberShape struct {
	Type     string `json:"type"`
	Required bool   `json:"required,omitzero"`
}

// endpoint is a contract.Endpoint without type parameters.
type endpoint struct {
	subject        string
	request, reply reflect.Type
	idempotent     bool
}

func of[Req, Res any](e contract.Endpoint[Req, Res]) endpoint {
	return endpoint{e.Subject(), reflect.TypeFor[Req](), reflect.TypeFor[Res](), e.Idempotent}
}

// newShapes describes endpoints, the types of the data of events by event type, further
// types, and the enumerations among them.
func newShapes(endpoints []endpoint, events map[string]reflect.Type, others []reflect.Type, enums map[string][]string) shapes {
	s := shapes{map[string]endpointShape{}, map[string]string{}, map[string]typeShape{}, map[string][]string{}}
	b := shaper{&s, enums}
	for _, e := range endpoints {
		s.Endpoints[e.subject] = endpointShape{b.name(e.request), b.name(e.reply), e.idempotent}
	}
	for kind, data := range events {
		s.Events[kind] = ""
		if data != nil {
			s.Events[kind] = b.name(data)
		}
	}
	for _, t := range others {
		b.name(t)
	}
	return s
}

// shaper adds types to shapes.
type shaper struct {
	*shapes
	enums map[string][]string
}

// name returns the description of a type, and adds the objects in it.
func (b shaper) name(t reflect.Type) string {
	switch t {
	case reflect.TypeFor[jsontext.Value]():
		return "any"
	case reflect.TypeFor[contract.Stream]():
		return "bytes"
	}
	switch t.Kind() {
	case reflect.Pointer:
		return b.name(t.Elem()) + "?"
	case reflect.Slice:
		return "[" + b.name(t.Elem()) + "]"
	case reflect.Map:
		return "{" + b.name(t.Elem()) + "}"
	case reflect.Struct:
		if _, known := b.Types[t.String()]; !known {
			shape := typeShape{Members: map[string]memberShape{}, Strict: rejectsUnknown(t)}
			b.Types[t.String()] = shape
			b.members(t, true, shape.Members)
		}
		return t.String()
	case reflect.String:
		if values, ok := b.enums[t.String()]; ok {
			b.Enums[t.String()] = values
			return "string of " + t.String()
		}
		return "string"
	case reflect.Bool:
		return "boolean"
	case reflect.Float32, reflect.Float64:
		return "number"
	case reflect.Interface:
		return "any"
	}
	return "integer"
}

// members adds the members of a struct, including those of the structs that it embeds.
func (b shaper) members(t reflect.Type, required bool, to map[string]memberShape) {
	for f := range t.Fields() {
		tag := f.Tag.Get("json")
		name, options, _ := strings.Cut(tag, ",")
		inline := f.Anonymous && name == "" || strings.Contains(options, "inline")
		switch {
		case inline && f.Type.Kind() == reflect.Pointer:
			b.members(f.Type.Elem(), false, to)
		case inline:
			b.members(f.Type, required, to)
		case f.IsExported() && tag != "-":
			if name == "" {
				name = f.Name
			}
			to[name] = memberShape{b.name(f.Type), required && !strings.Contains(options, "omit")}
		}
	}
}

// rejectsUnknown reports whether the decoder of the bus refuses an object of the type that
// has a member that the type does not know.
func rejectsUnknown(t reflect.Type) bool {
	return json.Unmarshal([]byte(`{"a member of a later version":1}`), reflect.New(t).Interface()) != nil
}

// declared returns what the sources below a folder declare: the values of the named string
// types, and the subjects of the endpoints.
func declared(t *testing.T, folders ...string) (enums map[string][]string, subjects []string) {
	t.Helper()
	enums = map[string][]string{}
	for _, folder := range folders {
		err := filepath.WalkDir(filepath.Join(harness.Root(), filepath.FromSlash(folder)), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.ValueSpec:
					addValues(file.Name.Name, n, enums)
				case *ast.CompositeLit:
					if name := endpointName(n); name != "" {
						subjects = append(subjects, strings.TrimSuffix(file.Name.Name, "api")+"."+name)
					}
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return enums, subjects
}

// addValues adds the values of a declaration such as: const Draft State = "draft".
func addValues(pkg string, n *ast.ValueSpec, enums map[string][]string) {
	kind, ok := n.Type.(*ast.Ident)
	if !ok {
		return
	}
	for _, value := range n.Values {
		if text, ok := literal(value); ok && kind.Name != "string" {
			enums[pkg+"."+kind.Name] = append(enums[pkg+"."+kind.Name], text)
		}
	}
}

// endpointName returns the name of a contract.Endpoint{Service: Service, Name: "x"}, or "".
func endpointName(n *ast.CompositeLit) string {
	list, ok := n.Type.(*ast.IndexListExpr)
	if !ok {
		return ""
	}
	if selector, ok := list.X.(*ast.SelectorExpr); !ok || selector.Sel.Name != "Endpoint" {
		return ""
	}
	for _, element := range n.Elts {
		pair, ok := element.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		if key, ok := pair.Key.(*ast.Ident); ok && key.Name == "Name" {
			name, _ := literal(pair.Value)
			return name
		}
	}
	return ""
}

func literal(e ast.Expr) (string, bool) {
	basic, ok := e.(*ast.BasicLit)
	if !ok || basic.Kind != token.STRING {
		return "", false
	}
	text, err := strconv.Unquote(basic.Value)
	return text, err == nil
}
