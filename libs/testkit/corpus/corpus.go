// Package corpus finds real documents for tests and benches. They are no part of the
// project: RECTO_TEST_DATA names their folder, or they are in shared/data beside the
// repository. It also finds the programs that documents are held against.
package corpus

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

// Asked reports whether somebody asks for the documents, by RECTO_TEST_DATA, and not
// only has them.
func Asked() bool { return os.Getenv("RECTO_TEST_DATA") != "" }

// Path returns the path of a folder or file of the documents, and whether it is there.
func Path(elem ...string) (string, bool) {
	base := os.Getenv("RECTO_TEST_DATA")
	if base == "" {
		_, file, _, _ := runtime.Caller(0) // <repository>/libs/testkit/corpus/corpus.go
		base = filepath.Join(filepath.Dir(file), "..", "..", "..", "..", "shared", "data")
	}
	path := filepath.Join(append([]string{base}, elem...)...)
	_, err := os.Stat(path)
	return path, err == nil
}

// Folder returns the path of a folder of the documents, of all for no elem. Where it
// is not there the test is skipped.
func Folder(t testing.TB, elem ...string) string {
	t.Helper()
	path, ok := Path(elem...)
	if !ok {
		t.Skipf("SKIPPED: the documents to try are not in %s, so that nothing was measured; RECTO_TEST_DATA names their folder", path)
	}
	return path
}

// Program returns the path of a program. Where it is not installed the test is
// skipped, but for CI=true, where it fails: there it is never left out.
func Program(t testing.TB, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	switch {
	case err == nil:
	case os.Getenv("CI") == "true":
		t.Fatalf("%s is not installed: run make install-test-packages", name)
	default:
		t.Skipf("SKIPPED: %s is not installed; make install-test-packages does", name)
	}
	return path
}
