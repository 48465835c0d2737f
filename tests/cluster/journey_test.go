package cluster

import (
	"bufio"
	"bytes"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/rectohq/recto/tests/harness"
)

// journey are the end-to-end tests of what clients do with a document, from its creation
// to its deletion.
var journey = []string{
	"TestMe", "TestCreate", "TestGet", "TestUploads", "TestUploadInOneCall", "TestUpdate", "TestListPaging",
	"TestConvertStored", "TestConvertInline", "TestConvertPDFIsItself", "TestJobs", "TestListJobs",
	"TestFieldsOfTheContract", "TestAnnotate", "TestAnnotateLater", "TestInsightsInEveryForm", "TestInsightSources",
	"TestVersions", "TestSealing", "TestIdempotentConvert", "TestTwoOrganizations", "TestDelete",
}

// TestJourney runs end-to-end tests through the Service of the gateway.
func TestJourney(t *testing.T) {
	inCluster(t)
	endToEnd(t, journey...)
}

// buildEndToEnd builds the end-to-end tests once and returns the path of the program.
var buildEndToEnd = sync.OnceValues(func() (string, error) {
	path := filepath.Join(harness.Root(), "bin", "e2e.test")
	cmd := exec.Command("go", "test", "-c", "-o", path, "./e2e")
	cmd.Dir = filepath.Join(harness.Root(), "tests")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", &exec.Error{Name: string(out), Err: err}
	}
	return path, nil
})

// endToEnd runs end-to-end tests on the cluster. It prints each when it ends, and fails t
// unless every one of them passes.
func endToEnd(t *testing.T, tests ...string) {
	t.Helper()
	program, err := buildEndToEnd()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program, "-test.v", "-test.run", "^("+strings.Join(tests, "|")+")$")
	cmd.Dir = filepath.Join(harness.Root(), "tests", "e2e")
	var problems bytes.Buffer
	cmd.Stderr = &problems
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	passed := 0
	for lines := bufio.NewScanner(out); lines.Scan(); {
		all.WriteString(lines.Text() + "\n")
		if ended.MatchString(lines.Text()) {
			say("%s", strings.TrimPrefix(lines.Text(), "--- "))
		}
		if strings.HasPrefix(lines.Text(), "--- PASS") {
			passed++
		}
	}
	if err := cmd.Wait(); err != nil || passed != len(tests) {
		t.Errorf("%d of %d end-to-end tests have passed, %v:\n%s%s", passed, len(tests), err, &all, &problems)
	}
}

// ended matches the line that go test prints at the end of a test.
var ended = regexp.MustCompile(`^--- (PASS|FAIL|SKIP)`)
