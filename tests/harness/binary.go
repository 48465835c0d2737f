package harness

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/rectohq/recto/libs/testkit/corpus"
)

// Root returns the root of the repository.
func Root() string {
	_, file, _, _ := runtime.Caller(0) // it knows where it is
	return filepath.Dir(filepath.Dir(filepath.Dir(file)))
}

// Binary returns the path of the standalone program: that of RECTO_TEST_BINARY,
// or one that is built when it is first asked for.
var Binary = sync.OnceValues(func() (string, error) {
	if path := os.Getenv("RECTO_TEST_BINARY"); path != "" {
		return filepath.Abs(path)
	}
	return Build("recto-test", "deploy/standalone/cmd/recto")
})

// Build builds the program of a package, as a path below the root of the
// repository, into bin/ and returns its path.
func Build(name, pkg string) (string, error) {
	path := filepath.Join(Root(), "bin", name)
	cmd := exec.Command("go", "build", "-o", path, "./"+pkg)
	cmd.Dir = Root()
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build %s: %w\n%s", name, err, out)
	}
	return path, nil
}

// sampled is how many documents there are for each one that is in a sample.
const sampled = 6

// Sample returns some of the documents for benches, as many as a run of all tests
// has time for, and all of them if RECTO_TEST_DATA asks for them.
func Sample(t testing.TB, files []string) []string {
	t.Helper()
	if corpus.Asked() {
		return files
	}
	var some []string
	for i := 0; i < len(files); i += sampled {
		some = append(some, files[i])
	}
	t.Logf("a sample of %d of %d documents; with RECTO_TEST_DATA all of them are tried", len(some), len(files))
	return some
}
