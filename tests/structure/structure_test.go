// Package structure checks rules about the shape of the source that no linter checks.
package structure

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rectohq/recto/tests/harness"
)

// source is one source file of the project that is not a test.
type source struct {
	path  string
	file  *ast.File
	lines int
	funcs map[string]int // lines by name; a method's name includes its receiver
}

func parse(t *testing.T) []source {
	t.Helper()
	var all []source
	set := token.NewFileSet()
	err := filepath.WalkDir(harness.Root(), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata") && path != harness.Root() {
			if err == nil {
				return filepath.SkipDir
			}
			return err
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(set, path, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		line := func(p token.Pos) int { return set.Position(p).Line }
		s := source{path: path, file: file, lines: line(file.FileEnd), funcs: map[string]int{}}
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok {
				s.funcs[nameOf(f)] += line(f.End()) - line(f.Pos()) + 1
			}
		}
		all = append(all, s)
		return nil
	})
	if err != nil || len(all) == 0 {
		t.Fatalf("%d files, %v", len(all), err)
	}
	return all
}

// nameOf returns the name of a function. A method's name is prefixed with its receiver
// type.
func nameOf(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return f.Name.Name
	}
	return types.ExprString(f.Recv.List[0].Type) + "." + f.Name.Name
}

// TestEveryPackageSaysWhatItOwns checks that every package has a doc comment of more
// than a few words.
func TestEveryPackageSaysWhatItOwns(t *testing.T) {
	documented := map[string]bool{}
	for _, s := range parse(t) {
		dir := filepath.Dir(s.path)
		documented[dir] = documented[dir] || s.file.Doc != nil && len(s.file.Doc.Text()) > 40
	}
	for dir, ok := range documented {
		if !ok {
			t.Errorf("%s needs a package comment that says what it owns", dir)
		}
	}
}

// TestSizes checks that functions and files stay within the limits of CONTRIBUTING.
func TestSizes(t *testing.T) {
	var funcs, files []int
	for _, s := range parse(t) {
		files = append(files, s.lines)
		for name, lines := range s.funcs {
			funcs = append(funcs, lines)
			if lines > 60 {
				t.Errorf("%s: %s has %d lines, the limit is 60", s.path, name, lines)
			}
		}
	}
	slices.Sort(funcs)
	slices.Sort(files)
	if p95 := funcs[len(funcs)*95/100]; p95 > 30 {
		t.Errorf("5%% of the functions have %d lines or more, the limit is 30", p95)
	}
	if p95 := files[len(files)*95/100]; p95 > 300 {
		t.Errorf("5%% of the files have %d lines or more, the limit is 300", p95)
	}
}

// TestNoWeakNames checks that packages are named after what they provide, and that none
// has an init function.
func TestNoWeakNames(t *testing.T) {
	for _, s := range parse(t) {
		if name := s.file.Name.Name; slices.Contains([]string{"util", "utils", "common", "helper", "helpers", "manager", "impl", "misc", "base"}, name) {
			t.Errorf("%s: the package name %s does not say what the package provides", s.path, name)
		}
		for _, decl := range s.file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "init" {
				t.Errorf("%s has an init function: run its code from main", s.path)
			}
		}
	}
}
