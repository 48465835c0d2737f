package sandbox_test

import (
	"context"
	"math"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"

	"github.com/rectohq/recto/libs/sandbox"
	"github.com/rectohq/recto/libs/sandbox/sandboxtest"
)

// probe does what its arguments say. It runs in the child, which is this test binary.
func probe(args []string) string {
	switch args[0] {
	case "read":
		_, err := os.ReadFile(args[1])
		return text(err)
	case "write":
		return text(os.WriteFile(args[1], make([]byte, 1<<16), 0o600))
	case "execute":
		_, err := os.StartProcess(args[1], args[1:], &os.ProcAttr{})
		return text(err)
	case "dial":
		_, err := net.DialTimeout("tcp", args[1], time.Second)
		return text(err)
	case "allocate":
		b := make([]byte, 1<<30)
		for i := 0; i < len(b); i += 4096 {
			b[i] = 1
		}
		return "ok"
	case "escape":
		return escape(parseOutside(args[1:]))
	case "parent":
		return parent(args[1])
	case "within":
		return within(args[1:])
	case "int80":
		return int80()
	case "sleep":
		time.Sleep(time.Hour)
	}
	return "unknown"
}

func text(err error) string {
	if err == nil {
		return "ok"
	}
	return err.Error()
}

func TestMain(m *testing.M) {
	sandbox.Main()
	sandboxtest.Main()
	if len(os.Args) > 2 && os.Args[1] == "probe" {
		os.Stdout.WriteString(probe(os.Args[2:]))
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func policy(t *testing.T, scratch string) sandbox.Policy {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return sandbox.Policy{
		Execute: []string{filepath.Dir(self), "/lib64", "/lib", "/usr/lib"}, Write: []string{scratch},
		Memory: 4 << 30, FileSize: 1 << 15, CPUSeconds: 100, OpenFiles: 64,
	}
}

// open returns a Sandbox with every restriction that this machine permits.
func open(t *testing.T) *sandbox.Sandbox {
	t.Helper()
	s, err := sandbox.New(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func run(t *testing.T, ctx context.Context, p sandbox.Policy, args ...string) (string, error) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd, err := open(t).Command(ctx, p, []string{"HOME=/none"}, self, append([]string{"probe"}, args...)...)
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func TestRestrictions(t *testing.T) {
	scratch, outside := t.TempDir(), t.TempDir()
	secret := filepath.Join(outside, "secret")
	if err := os.WriteFile(secret, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	type row struct {
		name string
		args []string
		want string
	}
	rows := []row{
		{"dial", []string{"dial", ln.Addr().String()}, "operation not permitted"},
		{"write a large file", []string{"write", filepath.Join(scratch, "x")}, "file too large"},
	}
	if version, err := ll.LandlockGetABIVersion(); err != nil || version < 1 {
		t.Logf("NOT TESTED: this kernel has no Landlock (%v), so files are not hidden", err)
	} else {
		rows = append(rows,
			row{"read a file outside", []string{"read", secret}, "permission denied"},
			row{"write a file outside", []string{"write", filepath.Join(outside, "x")}, "permission denied"},
			row{"execute another program", []string{"execute", "/usr/bin/env"}, "operation not permitted"},
		)
	}
	for _, tc := range rows {
		t.Run(tc.name, func(t *testing.T) {
			got, err := run(t, t.Context(), policy(t, scratch), tc.args...)
			if err != nil || !strings.Contains(got, tc.want) {
				t.Errorf("got %q, %v; want %q", got, err, tc.want)
			}
		})
	}
	if got, err := run(t, t.Context(), policy(t, scratch), "read", scratch+"/x"); err != nil || got != "ok" {
		t.Errorf("read from its own folder: got %q, %v; want \"ok\"", got, err)
	}
	p := policy(t, scratch)
	p.Memory = 512 << 20
	if got, err := run(t, t.Context(), p, "allocate"); err == nil {
		t.Errorf("1 GiB within 512 MiB: got %q, want it killed", got)
	}
}

// TestData shows that Data bounds the memory that a program uses, not what it reserves.
func TestData(t *testing.T) {
	p := policy(t, t.TempDir())
	p.Data = 512 << 20
	if got, err := run(t, t.Context(), p, "allocate"); err == nil {
		t.Errorf("1 GiB within 512 MiB: got %q, want it killed", got)
	}
	p.Data, p.Memory = 16<<30, math.MaxUint64 // the race detector reserves a lot of address space
	if got, err := run(t, t.Context(), p, "allocate"); err != nil || got != "ok" {
		t.Errorf("1 GiB within 16 GiB: got %q, %v", got, err)
	}
}

// TestExecuteFile shows that a policy may name a program's file rather than its folder.
func TestExecuteFile(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := policy(t, t.TempDir())
	p.Execute[0] = self
	if got, err := run(t, t.Context(), p, "write", filepath.Join(p.Write[0], "x")); err != nil || !strings.Contains(got, "file too large") {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestChildEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if got, err := run(t, ctx, policy(t, t.TempDir()), "sleep"); err == nil {
		t.Errorf("got %q, want it killed", got)
	}
}

func TestChildThatCannotBeRestrictedDoesNotRun(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd, err := open(t).Command(t.Context(), policy(t, t.TempDir()), nil, self, "probe", "read", "/etc/passwd")
	if err != nil {
		t.Fatal(err)
	}
	cmd.Args[1] = "no policy"
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "decode the policy") {
		t.Errorf("got %q, %v", out, err)
	}
}
