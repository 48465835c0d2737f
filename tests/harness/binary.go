package harness

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/rectohq/recto/libs/testkit/corpus"
)

// Root returns the root of the repository.
func Root() string { return corpus.Root() }

// Binary returns the path of the standalone program: the value of RECTO_TEST_BINARY
// if set, otherwise a program built on the first call.
var Binary = sync.OnceValues(func() (string, error) {
	if path := os.Getenv("RECTO_TEST_BINARY"); path != "" {
		return filepath.Abs(path)
	}
	return Build("recto-test", "deploy/standalone/cmd/recto")
})

// Build builds a main package into bin/name and returns the path of the program. pkg
// is a path relative to the root of the repository.
func Build(name, pkg string) (string, error) {
	path := filepath.Join(Root(), "bin", name)
	cmd := exec.Command("go", "build", "-o", path, "./"+pkg)
	cmd.Dir = Root()
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build %s: %w\n%s", name, err, out)
	}
	return path, nil
}

// sampled is the sampling interval: a sample contains one of sampled documents.
const sampled = 6

// Sample returns the benchmark documents to test: as many as a run of all tests has
// time for, or all of them if RECTO_TEST_DATA asks for them.
func Sample(t testing.TB, files []string) []string {
	t.Helper()
	if corpus.Asked() {
		return files
	}
	var some []string
	for i := 0; i < len(files); i += sampled {
		some = append(some, files[i])
	}
	t.Logf("testing a sample of %d of %d documents; set RECTO_TEST_DATA to test all", len(some), len(files))
	return some
}
