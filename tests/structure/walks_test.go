package structure

import (
	"go/ast"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rectohq/recto/tests/harness"
)

// stop matches a stop of a walk: a file and a name that it declares.
var stop = regexp.MustCompile("^[0-9]+\\. `([^`]+\\.go)`: `([^`]+)`$")

// maxStops is the maximum number of stops of a walk.
const maxStops = 7

// TestWalks checks the four walks of docs/architecture.md: each has at most seven stops,
// and everything that a stop names is declared in its file.
func TestWalks(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(harness.Root(), "docs", "architecture.md"))
	if err != nil {
		t.Fatal(err)
	}
	declared := map[string]map[string]bool{}
	for _, s := range parse(t) {
		names := map[string]bool{}
		for _, decl := range s.file.Decls {
			addNames(names, decl)
		}
		declared[strings.TrimPrefix(s.path, harness.Root()+"/")] = names
	}
	walks := strings.Split(string(text), "\n### ")[1:]
	if len(walks) != 4 {
		t.Errorf("there are %d walks, want 4", len(walks))
	}
	for _, walk := range walks {
		title, list, _ := strings.Cut(walk, "\n")
		stops := 0
		for line := range strings.Lines(list) {
			if line = strings.TrimSpace(line); line == "" {
				continue
			}
			m := stop.FindStringSubmatch(line)
			if m == nil {
				t.Errorf("%s: %q is not a stop", title, line)
				continue
			}
			stops++
			if !declared[m[1]][m[2]] {
				t.Errorf("%s: %s does not declare %s", title, m[1], m[2])
			}
		}
		if stops < 3 || stops > maxStops {
			t.Errorf("%s has %d stops, want 3 to %d", title, stops, maxStops)
		}
	}
}

// addNames adds the names that a declaration declares: functions, methods with their
// receiver type, types, variables and constants.
func addNames(names map[string]bool, decl ast.Decl) {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		names[strings.TrimPrefix(nameOf(d), "*")] = true
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				names[s.Name.Name] = true
			case *ast.ValueSpec:
				for _, name := range s.Names {
					names[name.Name] = true
				}
			}
		}
	}
}

// TestPackageSizes checks that no package has more than 20 files, not counting tests.
func TestPackageSizes(t *testing.T) {
	files := map[string]int{}
	for _, s := range parse(t) {
		files[filepath.Dir(s.path)]++
	}
	for dir, n := range files {
		if n > 20 {
			t.Errorf("%s has %d files without counting tests, the limit is 20", dir, n)
		}
	}
}
