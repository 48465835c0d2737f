// Package suite tests the scripts that run the tests of all modules and list the
// failures.
package suite

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// sample holds the files of a module, by path. Its packages pass, and fail in every
// possible way.
var sample = map[string]string{
	"go.mod":         "module github.com/rectohq/recto/sample\n\ngo 1.26\n",
	"good/a_test.go": "package good\n\nimport \"testing\"\n\nfunc TestGood(t *testing.T) { t.Log(\"--- FAIL: TestOfAnother (0.00s)\") }\n",
	"bad/a_test.go": `package bad

import "testing"

func TestGood(t *testing.T) {}
func TestBad(t *testing.T) { t.Run("part", func(t *testing.T) { t.Error("wrong") }) }
func TestWorse(t *testing.T) { println("  progress"); t.Error("wrong\nat all") }
func TestSkipped(t *testing.T) { t.Skip("not now") }
`,
	"broken/a_test.go": "package broken\n\nimport \"testing\"\n\nfunc TestBroken(t *testing.T) { undefined() }\n",
	"panics/a_test.go": "package panics\n\nimport \"testing\"\n\nfunc TestPanics(t *testing.T) { panic(\"poison\") }\n",
	"crashes/a_test.go": `package crashes

import "testing"

func TestCrashes(t *testing.T) {
	go func() { panic("poison") }()
	select {}
}
`,
	"hangs/a_test.go": `package hangs

import "testing"

func TestHangs(t *testing.T) { select {} }
func TestMain(m *testing.M)  { go func() { for { } }(); m.Run() }
`,
	"exits/a_test.go": `package exits

import (
	"os"
	"testing"
)

func TestGood(t *testing.T) {}
func TestMain(m *testing.M) { m.Run(); os.Exit(1) }
`,
}

// run runs listed over packages of the sample. It returns the output, without colours,
// and whether the command succeeded.
func run(t *testing.T, environ []string, packages ...string) (string, bool) {
	t.Helper()
	dir := t.TempDir()
	for name, content := range sample {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("./listed", append([]string{"./go-test", dir, "-timeout", "3s"}, packages...)...)
	cmd.Env = append(os.Environ(), "GOWORK=off", "RECTO_TEST_FAILED=", "RECTO_TEST_MODE=")
	cmd.Env = append(cmd.Env, environ...)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return regexp.MustCompile("\x1b\\[[0-9;]*m").ReplaceAllString(string(out), ""), err == nil
}

// TestList checks that all packages run even though others fail, and that the list
// names each failure once, with its first messages.
func TestList(t *testing.T) {
	out, ok := run(t, nil, "./bad", "./broken", "./crashes", "./exits", "./good", "./hangs", "./panics")
	_, list, found := strings.Cut(out, "\n== These tests failed\n")
	want := `            at all
        a_test.go:6: wrong
        a_test.go:7: wrong
  sample/bad  TestBad
  sample/bad  TestWorse
  sample/broken  (build failed)
  sample/crashes  (panic: poison)
  sample/exits  (failed outside its tests)
  sample/hangs  TestHangs (timed out)
  sample/panics  TestPanics
`
	if ok || !found || sorted(list) != want {
		t.Errorf("succeeded: %v\n%s\nwant the list\n%s", ok, out, want)
	}
	for _, line := range []string{"\nok  \tgithub.com/rectohq/recto/sample/good\t", "\nFAIL\tgithub.com/rectohq/recto/sample/bad\t", "wrong\n", "not now\n", "undefined: undefined", "    --- FAIL: TestBad/part"} {
		if !strings.Contains(out, line) {
			t.Errorf("the output does not contain %q", line)
		}
	}
}

// sorted returns the lines sorted.
func sorted(lines string) string {
	return strings.Join(slices.Sorted(strings.Lines(lines)), "")
}

// TestListWithoutFailures checks the output when no test fails, and the reasons listed when
// go test fails without running any.
func TestListWithoutFailures(t *testing.T) {
	if out, ok := run(t, nil, "./good"); !ok || !strings.HasSuffix(out, "\n== All tests: ok\n") {
		t.Errorf("succeeded: %v\n%s", ok, out)
	}
	if out, ok := run(t, nil, "./good", "-no-such-flag"); ok || !strings.Contains(out, "(failed outside its tests)") {
		t.Errorf("succeeded: %v\n%s", ok, out)
	}
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "go"), []byte("#!/bin/sh\nexit 127\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if out, ok := run(t, []string{"PATH=" + bin + ":" + os.Getenv("PATH")}, "./good"); ok || !strings.Contains(out, "(go test ended with status 127)") {
		t.Errorf("succeeded: %v\n%s", ok, out)
	}
	if out, ok := run(t, []string{"RECTO_TEST_MODE=containers"}, "./bad"); ok || !strings.Contains(out, "  sample/bad  TestWorse (in containers)\n") {
		t.Errorf("succeeded: %v\n%s", ok, out)
	}
}

// TestEngines checks that every end-to-end test that make test does not run in containers
// exists.
func TestEngines(t *testing.T) {
	makefile, err := os.ReadFile("../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	_, list, found := strings.Cut(strings.ReplaceAll(string(makefile), "\\\n", ""), "\nENGINES := ")
	if !found {
		t.Fatal("the Makefile does not list them")
	}
	list, _, _ = strings.Cut(list, "\n")
	files, err := filepath.Glob("../e2e/*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	var code strings.Builder
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		code.Write(content)
	}
	for _, name := range strings.Fields(list) {
		if !strings.Contains(code.String(), "\nfunc "+name+"(") {
			t.Errorf("tests/e2e has no test %s", name)
		}
	}
}
