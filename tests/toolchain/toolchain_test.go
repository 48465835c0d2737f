// Package toolchain tests deploy/go-toolchain, which provides the Go that make uses, with
// fake programs and without a network.
package toolchain

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// fakes holds the shell scripts that replace programs of this machine, by name. They log
// what they change to $DIR/log.
var fakes = map[string]string{
	"dpkg-query": "exit 1",
	"id":         "echo $ID",
	"sudo":       "exit 1",
	"apt-get":    `echo "apt-get $*" >>$DIR/log; [ "$1" != install ] || mv $DIR/packaged $DIR/bin/go`,
}

// fakeGo is a go of version $VERSION. Like the real one, it fetches modules whose files
// are not executable and, if it is old, cannot read go.work.
const fakeGo = `
case $VERSION in go1.19*) [ ! -e go.work ] || { echo "invalid go version" >&2; exit 1; } ;; esac
case $* in
version) echo "go version $VERSION linux/amd64" ;;
"list -m") [ -z "${LOCAL-}" ] || { echo "go.work requires a newer go" >&2; exit 1; } ;;
"env GOROOT") [ -e go.work ] && echo /fetched ;;
"env GOHOSTOS") echo linux ;;
"env GOHOSTARCH") echo arm64 ;;
"env GOMODCACHE") echo $DIR/mod ;;
"mod download "*)
	echo "go $*" >>$DIR/log
	[ -z "${OFFLINE-}" ] || { echo "connection refused" >&2; exit 1; }
	mkdir -p $DIR/mod/$3/bin $DIR/mod/$3/pkg/tool/linux_arm64
	for file in bin/go bin/gofmt pkg/tool/linux_arm64/compile; do
		echo >$DIR/mod/$3/$file
		chmod 444 $DIR/mod/$3/$file
	done ;;
*) echo "unexpected: go $*" >&2; exit 1 ;;
esac`

// machine is a folder with all programs that the script finds, and with their files.
type machine struct {
	t   *testing.T
	dir string
}

// newMachine returns a machine whose go is installed, or which its apt-get can install.
func newMachine(t *testing.T, installed bool) machine {
	m := machine{t, t.TempDir()}
	bin := filepath.Join(m.dir, "bin")
	if err := os.Mkdir(bin, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"chmod", "dirname", "env", "grep", "mkdir", "mv", "sed", "sh"} {
		path, err := exec.LookPath(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(path, filepath.Join(bin, name)); err != nil {
			t.Fatal(err)
		}
	}
	for name, script := range fakes {
		m.write("bin/"+name, script)
	}
	if installed {
		m.write("bin/go", fakeGo)
	} else {
		m.write("packaged", fakeGo)
	}
	return m
}

func (m machine) write(name, script string) {
	if err := os.WriteFile(filepath.Join(m.dir, name), []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
		m.t.Fatal(err)
	}
}

// run runs the script. It returns its standard output and error, and whether it succeeded.
func (m machine) run(environ ...string) (string, string, bool) {
	m.t.Helper()
	script, err := filepath.Abs("../../deploy/go-toolchain")
	if err != nil {
		m.t.Fatal(err)
	}
	cmd := exec.Command(script)
	cmd.Dir = m.dir
	cmd.Env = append([]string{"PATH=" + filepath.Join(m.dir, "bin"), "DIR=" + m.dir}, environ...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	return string(out), stderr.String(), err == nil
}

// log returns what the fake programs did.
func (m machine) log() string {
	b, err := os.ReadFile(filepath.Join(m.dir, "log"))
	if err != nil && !os.IsNotExist(err) {
		m.t.Fatal(err)
	}
	return string(b)
}

// wanted returns the toolchain that go.work names.
func wanted(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile("../../go.work")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`(?m)^toolchain (go1\.\d+\.\d+)$`).FindSubmatch(b)
	if found == nil {
		t.Fatal("go.work names no toolchain")
	}
	return string(found[1])
}

// TestNewGo checks that the script leaves the choice to a Go that fetches toolchains
// itself.
func TestNewGo(t *testing.T) {
	for _, version := range []string{"go1.21.0", "go1.24.4", wanted(t), "devel go1.99-0123abc"} {
		m := newMachine(t, true)
		if out, stderr, ok := m.run("VERSION=" + version); !ok || out != "/fetched/bin\n" || stderr != "" || m.log() != "" {
			t.Errorf("%s: %v, %q, %q, log %q", version, ok, out, stderr, m.log())
		}
	}
}

// TestForbidden checks the message if GOTOOLCHAIN does not let Go fetch the toolchain.
func TestForbidden(t *testing.T) {
	out, stderr, ok := newMachine(t, true).run("VERSION=go1.24.4", "LOCAL=1")
	if ok || out != "" || !strings.Contains(stderr, "requires a newer go\n") || !strings.Contains(stderr, "Unset GOTOOLCHAIN") {
		t.Errorf("%v, %q, %q", ok, out, stderr)
	}
}

// TestOldGo checks that an old Go fetches the toolchain once, and that its programs can be
// run.
func TestOldGo(t *testing.T) {
	m := newMachine(t, true)
	checkFetched(t, m, "VERSION=go1.19.8")
	before := m.log()
	if out, stderr, ok := m.run("VERSION=go1.19.8"); !ok || out == "" || stderr != "" || m.log() != before {
		t.Errorf("second run: %v, %q, %q, log %q", ok, out, stderr, m.log())
	}
}

// checkFetched checks that the script fetches the toolchain and prints its folder.
func checkFetched(t *testing.T, m machine, environ ...string) {
	t.Helper()
	module := "golang.org/toolchain@v0.0.1-" + wanted(t) + ".linux-arm64"
	root := filepath.Join(m.dir, "mod", module)
	if out, stderr, ok := m.run(environ...); !ok || out != root+"/bin\n" || !strings.HasSuffix(m.log(), "go mod download "+module+"\n") {
		t.Fatalf("%v, %q, %q, log %q", ok, out, stderr, m.log())
	}
	for _, name := range []string{"bin/go", "bin/gofmt", "pkg/tool/linux_arm64/compile"} {
		if info, err := os.Stat(filepath.Join(root, name)); err != nil || info.Mode()&0o111 == 0 {
			t.Errorf("%s cannot be run: %v, %v", name, info.Mode(), err)
		}
	}
}

// TestOffline checks the message if an old Go cannot fetch the toolchain.
func TestOffline(t *testing.T) {
	out, stderr, ok := newMachine(t, true).run("VERSION=go1.19.8", "OFFLINE=1")
	for _, part := range []string{"connection refused\n", "Go 1.19 is too old", "GOPROXY", "install " + wanted(t)} {
		if !strings.Contains(stderr, part) {
			t.Errorf("the message lacks %q: %s", part, stderr)
		}
	}
	if ok || out != "" {
		t.Errorf("%v, %q", ok, out)
	}
}

// TestMissingGo checks that root installs Debian's Go, which fetches the toolchain if it
// is old.
func TestMissingGo(t *testing.T) {
	m := newMachine(t, false)
	checkFetched(t, m, "VERSION=go1.19.8", "ID=0")
	if !strings.Contains(m.log(), "apt-get install -y --no-install-recommends golang-go ca-certificates\n") {
		t.Errorf("log %q", m.log())
	}
	if out, _, ok := newMachine(t, false).run("VERSION=go1.24.4", "ID=0"); !ok || out != "/fetched/bin\n" {
		t.Errorf("%v, %q", ok, out)
	}
}

// TestMissingGoWithoutPermission checks that a user without sudo learns what to install.
func TestMissingGoWithoutPermission(t *testing.T) {
	m := newMachine(t, false)
	out, stderr, ok := m.run("ID=1000")
	if ok || out != "" || !strings.Contains(stderr, "  sudo apt-get install -y --no-install-recommends golang-go ca-certificates\n") || m.log() != "" {
		t.Errorf("%v, %q, %q, log %q", ok, out, stderr, m.log())
	}
}

// TestOtherSystems checks that a user of another system than Debian learns what to install.
func TestOtherSystems(t *testing.T) {
	m := newMachine(t, false)
	if err := os.Remove(filepath.Join(m.dir, "bin/dpkg-query")); err != nil {
		t.Fatal(err)
	}
	out, stderr, ok := m.run()
	if ok || out != "" || !strings.Contains(stderr, "Go is not installed.") || !strings.Contains(stderr, "https://go.dev/dl") {
		t.Errorf("%v, %q, %q", ok, out, stderr)
	}
}
