package docxfields

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// root is the folder of the repository, as seen from that of this package.
const root = "../../.."

// dataFolder returns the folder of documents that are no part of the project: the
// one that RECTO_TEST_DATA names, or the one beside the repository. Without one
// the test is skipped.
func dataFolder(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("RECTO_TEST_DATA")
	if dir == "" {
		dir = filepath.Join(root, "..", "shared", "data")
	}
	if _, err := os.Stat(dir); err != nil {
		t.Skip("SKIPPED: the documents to try are not here, so that nothing was measured; RECTO_TEST_DATA names their folder")
	}
	return dir
}

// program returns the path of a program. Where it is not installed the test is
// skipped, but for CI=true, where it fails: there it is never left out.
func program(t *testing.T, name string) string {
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
