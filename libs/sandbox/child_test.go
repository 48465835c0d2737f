package sandbox_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/rectohq/recto/libs/sandbox"
	"github.com/rectohq/recto/libs/sandbox/sandboxtest"
)

// patience is how long these tests wait for a condition.
const patience = time.Minute

// parent starts a child that sleeps, prints the child's process id, and waits to be killed.
func parent(scratch string) string {
	cmd, err := sleeper(scratch)
	if err != nil {
		return err.Error()
	}
	fmt.Println(cmd.Process.Pid)
	select {}
}

func sleeper(scratch string) (*exec.Cmd, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	box, err := sandbox.New(context.Background())
	if err != nil {
		return nil, err
	}
	p := sandbox.Policy{Execute: []string{filepath.Dir(self), "/lib64", "/lib", "/usr/lib"}, Write: []string{scratch}, Memory: math.MaxUint64, FileSize: 1 << 15, CPUSeconds: 100, OpenFiles: 64}
	cmd, err := box.Command(context.Background(), p, nil, self, "probe", "sleep")
	if err != nil {
		return nil, err
	}
	return cmd, cmd.Start()
}

// TestChildDiesWithItsParent shows that a child dies when its parent is killed, as the
// kernel may do.
func TestChildDiesWithItsParent(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, "probe", "parent", t.TempDir())
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	var child int
	if _, err := fmt.Sscan(line, &child); err != nil {
		t.Fatalf("the parent printed %q, want a process id", line)
	}
	if err := unix.Kill(child, 0); err != nil {
		t.Fatalf("the child is not running: %v", err)
	}
	if err := errors.Join(cmd.Process.Kill(), ignoreKilled(cmd.Wait())); err != nil {
		t.Fatal(err)
	}
	deadline := time.Now().Add(patience)
	for state(child) != "" && state(child) != "Z" {
		if time.Now().After(deadline) {
			t.Fatal("the child outlived its parent")
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func ignoreKilled(err error) error {
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.Sys().(syscall.WaitStatus).Signal() == unix.SIGKILL {
		return nil
	}
	return err
}

// state returns the kernel's state of a process, or "" if the process does not exist.
func state(pid int) string {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return ""
	}
	_, after, _ := strings.Cut(string(stat), ") ")
	return after[:1]
}

// nobody is the id of an unprivileged user.
const nobody = 65534

// TestOrdinaryUser runs the escape and limit tests again as an unprivileged user if this
// process runs as root.
func TestOrdinaryUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("the other tests already run as an unprivileged user")
	}
	dir, err := os.MkdirTemp("", "recto-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	binary, tmp := filepath.Join(dir, "bin", "sandbox.test"), filepath.Join(dir, "tmp")
	err = errors.Join(os.Mkdir(filepath.Dir(binary), 0o755), os.Mkdir(tmp, 0o700), os.Chown(tmp, nobody, nobody), os.Chmod(dir, 0o755), copyFile(binary, self))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), binary, "-test.run", "^(TestEscapes|TestRestrictions|TestChildDiesWithItsParent)$", "-test.v")
	cmd.Dir, cmd.Env = dir, []string{"TMPDIR=" + tmp, "PATH=" + os.Getenv("PATH")}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS: TestEscapes") {
		t.Errorf("%v\n%s", err, out)
	}
}

func copyFile(to, from string) error {
	r, err := os.Open(from)
	if err != nil {
		return err
	}
	defer r.Close()
	w, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o755)
	if err != nil {
		return err
	}
	_, err = io.Copy(w, r)
	return errors.Join(err, w.Close())
}

// TestLimitsAboveThoseOfTheParent shows that a child starts even if the machine's limit is
// lower than the policy's.
func TestLimitsAboveThoseOfTheParent(t *testing.T) {
	p := policy(t, t.TempDir())
	p.OpenFiles = 1 << 40 // more than any process may have
	if got, err := run(t, t.Context(), p, "write", filepath.Join(p.Write[0], "x")); err != nil || !strings.Contains(got, "file too large") {
		t.Errorf("got %q, %v", got, err)
	}
}

// TestTrace shows that a trace contains the calls that the filter refuses, and only those.
func TestTrace(t *testing.T) {
	ctx, trace := sandboxtest.Traced(t.Context(), t)
	o := newOutside(t)
	p := policy(t, o.own)
	p.Memory = math.MaxUint64 / 2
	if got, err := run(t, ctx, p, o.args()...); err != nil || got != "tried everything" {
		t.Errorf("%v\n%s", err, got)
	}
	refused, children := trace.Refused(t)
	if children != 1 {
		t.Errorf("%d children were traced, want 1", children)
	}
	for name, times := range map[string]int{"unshare": 1, "fsopen": 1, "execve": 2, "connect": 2, "kill": 3, "fcntl(0x8)": 1, "socket(0x10)": 1, "clone3": 0, "read": 0} {
		if refused[name] != times {
			t.Errorf("%s was refused %d times, want %d; all refused calls: %v", name, refused[name], times, refused)
		}
	}
}

// TestReport shows that the text of a report agrees with its fields.
func TestReport(t *testing.T) {
	r := open(t).Report()
	if text := r.String(); r.Calls < 100 || !strings.Contains(text, fmt.Sprintf("%d system calls are allowed", r.Calls)) ||
		strings.Contains(text, "no namespaces") == r.Namespaces || strings.Contains(text, "no Landlock") != (r.Landlock == 0) {
		t.Errorf("the text of %+v is %q", r, text)
	}
}
