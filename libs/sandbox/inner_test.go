package sandbox_test

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
	"unsafe"

	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"

	"github.com/rectohq/recto/libs/sandbox"
)

// within restricts this thread with an Inner, as a process of a forking child does, and
// then does what the remaining arguments say.
func within(args []string) string {
	runtime.LockOSThread()
	ruleset, _ := strconv.Atoi(args[0])
	placeholder, _ := strconv.ParseUint(args[2], 10, 32)
	if pid, _, errno := unix.RawSyscall(unix.SYS_CLONE, uintptr(unix.SIGCHLD), 0, 0); errno != 0 {
		return "cannot fork: " + errno.Error()
	} else if pid == 0 {
		unix.RawSyscall(unix.SYS_EXIT_GROUP, 0, 0, 0)
	} else if _, err := unix.Wait4(int(pid), nil, 0, nil); err != nil {
		return "cannot wait: " + err.Error()
	}
	raw, err := os.ReadFile(args[1])
	if err != nil {
		return err.Error()
	}
	filter := unsafe.Slice((*unix.SockFilter)(unsafe.Pointer(&raw[0])), len(raw)/int(unsafe.Sizeof(unix.SockFilter{})))
	for i, f := range filter {
		if f.Code&0x07 == unix.BPF_JMP && f.K == uint32(placeholder) {
			filter[i].K = uint32(os.Getpid())
		}
	}
	if err := ll.LandlockRestrictSelf(ruleset, 0); err != nil {
		return err.Error()
	}
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	if err := call(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&program))); err != nil {
		return err.Error()
	}
	return probe(args[3:])
}

// TestInner shows that a child with the right to fork can fork, and that an Inner takes
// this right and all that other children lack from its processes.
func TestInner(t *testing.T) {
	o := newOutside(t)
	p := policy(t, o.own)
	inner, err := sandbox.NewInner(p)
	if errors.Is(err, sandbox.ErrNoLandlock) {
		t.Skip("NOT TESTED: " + err.Error())
	}
	if err != nil {
		t.Fatal(err)
	}
	defer inner.Ruleset.Close()
	filter := filepath.Join(o.own, "filter")
	if err := os.WriteFile(filter, inner.Filter, 0o600); err != nil {
		t.Fatal(err)
	}
	p.Fork, p.Memory = true, math.MaxUint64/2
	// The child itself may use the folder that its processes must not.
	p.Write = append(p.Write, o.folder)
	const fd = 3
	args := append([]string{"probe", "within", strconv.Itoa(fd), filter, strconv.FormatUint(uint64(inner.Placeholder), 10)}, o.args()...)
	cmd, err := open(t).Command(t.Context(), p, []string{"HOME=/none"}, o.self, args...)
	if err != nil {
		t.Fatal(err)
	}
	cmd.ExtraFiles = []*os.File{inner.Ruleset}
	if out, err := cmd.CombinedOutput(); err != nil || string(out) != "tried everything" {
		t.Errorf("%v\n%s", err, out)
	}
}
