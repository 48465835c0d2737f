// Package corpus finds real documents for tests and benchmarks. They are not part of the
// project: RECTO_TEST_DATA names their folder, and the default is shared/data next to the
// repository. The package also finds the external programs that tests compare with.
package corpus

import (
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// Asked reports whether RECTO_TEST_DATA explicitly asks for the documents.
func Asked() bool { return os.Getenv("RECTO_TEST_DATA") != "" }

// start is the working directory at the start of the program: the folder of the package
// under test. Tests may change it later.
var start, startError = os.Getwd()

// Root returns the root of the repository: the folder with go.work, above the folder of
// the package under test. Paths of source files do not tell it, because -trimpath cuts them.
var Root = sync.OnceValue(func() string {
	if startError != nil {
		panic(startError)
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.work")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			panic("no folder above " + start + " has go.work: run tests in the repository")
		}
	}
})

// Path returns the path of a folder or file of the documents, and whether it exists.
func Path(elem ...string) (string, bool) {
	base := os.Getenv("RECTO_TEST_DATA")
	if base == "" {
		base = filepath.Join(Root(), "..", "shared", "data")
	}
	path := filepath.Join(append([]string{base}, elem...)...)
	_, err := os.Stat(path)
	return path, err == nil
}

// Folder returns the path of a folder of the documents. Without elem, it is the folder of
// all documents. If the folder does not exist, Folder skips the test.
func Folder(t testing.TB, elem ...string) string {
	t.Helper()
	path, ok := Path(elem...)
	if !ok {
		t.Skipf("SKIPPED: there are no test documents in %s; set RECTO_TEST_DATA to their folder", path)
	}
	return path
}

// Program returns the path of a program. If the program is not installed, Program skips
// the test, or fails it if CI=true, because no test may be skipped there.
func Program(t testing.TB, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	switch {
	case err == nil:
	case os.Getenv("CI") == "true":
		t.Fatalf("%s is not installed; run make install-test-packages", name)
	default:
		t.Skipf("SKIPPED: %s is not installed; run make install-test-packages", name)
	}
	return path
}
