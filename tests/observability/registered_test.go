package observability

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rectohq/recto/tests/harness"
)

// metric is what is known about a metric that programs export.
type metric struct {
	kind   string // Counter, Gauge or Histogram
	labels map[string]bool
}

// sources is what the Go sources of the programs say.
type sources struct {
	// metrics are the registrations that the test understands, by name: see scope.call.
	metrics map[string]metric
	// literals are all strings and integers in the sources. The values of labels are among
	// them.
	literals map[string]bool
}

// readSources reads the Go sources of the programs, without their tests.
func readSources(t *testing.T) sources {
	t.Helper()
	found := sources{map[string]metric{}, map[string]bool{}}
	for _, part := range []string{"libs", "gateway", "services", "deploy"} {
		err := filepath.WalkDir(filepath.Join(harness.Root(), part), func(path string, d fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			found.read(file)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return found
}

// read adds what a file has.
func (s sources) read(file *ast.File) {
	ast.Inspect(file, func(n ast.Node) bool {
		if l, ok := n.(*ast.BasicLit); ok {
			s.literals[text(l)] = true
		}
		return true
	})
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil {
			scope{s, map[string]ast.Expr{}}.walk(f.Body)
		}
	}
}

// scope resolves the names in a function to the expressions that they were defined as.
type scope struct {
	sources
	names map[string]ast.Expr
}

// walk visits the calls in a part of a function. Functions that have a name are visited
// where they are called.
func (s scope) walk(n ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i, name := range n.Lhs {
				if id, ok := name.(*ast.Ident); ok && len(n.Lhs) == len(n.Rhs) {
					s.names[id.Name] = n.Rhs[i]
					if _, ok := n.Rhs[i].(*ast.FuncLit); ok {
						return false
					}
				}
			}
		case *ast.CallExpr:
			s.call(n)
		}
		return true
	})
}

// call records a metric if the call is one of prometheus.NewCounter, NewGauge or
// NewHistogram, with the suffix Vec, Func or none. If it calls a named function of the same
// function instead, it visits that one with its parameters set.
func (s scope) call(c *ast.CallExpr) {
	switch f := c.Fun.(type) {
	case *ast.Ident:
		own, ok := s.names[f.Name].(*ast.FuncLit)
		if !ok {
			return
		}
		inner := scope{s.sources, maps.Clone(s.names)}
		i := 0
		for _, field := range own.Type.Params.List {
			for _, name := range field.Names {
				if i < len(c.Args) {
					inner.names[name.Name] = s.resolve(c.Args[i])
				}
				i++
			}
		}
		inner.walk(own.Body)
	case *ast.SelectorExpr:
		kind, isNew := strings.CutPrefix(f.Sel.Name, "New")
		kind = strings.TrimSuffix(strings.TrimSuffix(kind, "Vec"), "Func")
		if from, ok := f.X.(*ast.Ident); ok && from.Name == "prometheus" && isNew && slices.Contains([]string{"Counter", "Gauge", "Histogram"}, kind) {
			s.register(kind, c)
		}
	}
}

// register records the metric that a call of the package prometheus creates, if its name
// and its labels are known here.
func (s scope) register(kind string, c *ast.CallExpr) {
	options, ok := c.Args[0].(*ast.CompositeLit)
	if !ok {
		return
	}
	m, name := metric{kind, map[string]bool{}}, ""
	for _, e := range options.Elts {
		pair, ok := e.(*ast.KeyValueExpr)
		if !ok {
			return
		}
		switch value := s.resolve(pair.Value); pair.Key.(*ast.Ident).Name {
		case "Name":
			if l, ok := value.(*ast.BasicLit); ok {
				name = text(l)
			}
		case "ConstLabels":
			s.add(m.labels, value)
		}
	}
	if len(c.Args) > 1 {
		s.add(m.labels, c.Args[1])
	}
	if name == "" {
		return
	}
	for label := range s.metrics[name].labels {
		m.labels[label] = true
	}
	s.metrics[name] = m
}

// add adds the strings of a slice, or the keys of a map.
func (s scope) add(labels map[string]bool, e ast.Expr) {
	all, ok := e.(*ast.CompositeLit)
	if !ok {
		return
	}
	for _, e := range all.Elts {
		if pair, ok := e.(*ast.KeyValueExpr); ok {
			e = pair.Key
		}
		if l, ok := s.resolve(e).(*ast.BasicLit); ok {
			labels[text(l)] = true
		}
	}
}

// resolve returns what a name was defined as, and other expressions as they are.
func (s scope) resolve(e ast.Expr) ast.Expr {
	for range 10 { // a name may be that of a parameter which shadows it
		id, ok := e.(*ast.Ident)
		if !ok || s.names[id.Name] == nil {
			break
		}
		e = s.names[id.Name]
	}
	return e
}

// text returns the value of a literal.
func text(l *ast.BasicLit) string {
	if s, err := strconv.Unquote(l.Value); err == nil && l.Kind == token.STRING {
		return s
	}
	return l.Value
}
