package harness

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
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

// Data returns the path of a folder or file of the documents for benches, which
// are not part of the project, and whether it is there: below RECTO_TEST_DATA,
// or beside the repository.
func Data(name string) (string, bool) {
	base := os.Getenv("RECTO_TEST_DATA")
	if base == "" {
		base = filepath.Join(filepath.Dir(Root()), "shared", "data")
	}
	path := filepath.Join(base, name)
	_, err := os.Stat(path)
	return path, err == nil
}
