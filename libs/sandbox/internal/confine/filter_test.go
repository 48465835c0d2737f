package confine

import (
	"encoding/binary"
	"errors"
	"fmt"
	"testing"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

const testPID = 4242

var testPass = secret{0x1111111122222222, 0x3333333344444444, 0x5555555566666666}

// Results of the filter in these tests.
const (
	allows  = unix.SECCOMP_RET_ALLOW
	refuses = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
	missing = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)
	kills   = unix.SECCOMP_RET_KILL_PROCESS
)

// machine returns a function that runs the filter of the calls on a call.
func machine(t *testing.T, calls []call) func(arch, number uint32, arguments ...uint64) uint32 {
	t.Helper()
	filter, err := assemble(refuses, calls)
	if err != nil {
		t.Fatal(err)
	}
	if len(filter) > 4096 {
		t.Fatalf("the filter has %d instructions; the kernel accepts at most 4096", len(filter))
	}
	program := make([]bpf.Instruction, len(filter))
	for i, f := range filter {
		program[i] = bpf.RawInstruction{Op: f.Code, Jt: f.Jt, Jf: f.Jf, K: f.K}.Disassemble()
	}
	vm, err := bpf.NewVM(program)
	if err != nil {
		t.Fatal(err)
	}
	return func(arch, number uint32, arguments ...uint64) uint32 {
		data := make([]byte, 64)
		// The virtual machine is made for packets, whose words are big-endian.
		word := func(at int, v uint32) { binary.BigEndian.PutUint32(data[at:], v) }
		word(offsetNumber, number)
		word(offsetArch, arch)
		for i, a := range arguments {
			word(offsetArguments+8*i, uint32(a))
			word(offsetArguments+8*i+4, uint32(a>>32))
		}
		answer, err := vm.Run(data)
		if err != nil {
			t.Fatal(err)
		}
		return uint32(answer)
	}
}

func TestFilter(t *testing.T) {
	run := machine(t, allowed(testPID, testPass))
	const (
		garbage = 0xdeadbeef << 32 // what programs leave in the high half of an int
		thread  = unix.CLONE_VM | unix.CLONE_FS | unix.CLONE_FILES | unix.CLONE_SIGHAND | unix.CLONE_THREAD | unix.CLONE_SYSVSEM
	)
	for _, tc := range []struct {
		name      string
		number    uint32
		arguments []uint64
		want      uint32
	}{
		{"read", unix.SYS_READ, []uint64{1, 2, 3, 4, 5, 6}, allows},
		{"an unknown call", 9999, nil, refuses},
		{"an invalid number", ^uint32(0), nil, refuses},
		{"an x32 call", unix.SYS_READ | 0x40000000, nil, refuses},
		{"clone3", unix.SYS_CLONE3, nil, missing},
		{"a thread", unix.SYS_CLONE, []uint64{thread}, allows},
		{"a process", unix.SYS_CLONE, []uint64{uint64(unix.SIGCHLD)}, refuses},
		{"a process that shares memory", unix.SYS_CLONE, []uint64{unix.CLONE_VM | unix.CLONE_VFORK | uint64(unix.SIGCHLD)}, refuses},
		{"a thread in a user namespace", unix.SYS_CLONE, []uint64{thread | unix.CLONE_NEWUSER}, refuses},
		{"a thread in a cgroup namespace", unix.SYS_CLONE, []uint64{thread | unix.CLONE_NEWCGROUP}, refuses},
		{"flags above 32 bits", unix.SYS_CLONE, []uint64{thread | 1<<33}, refuses},
		{"a Unix socket", unix.SYS_SOCKET, []uint64{unix.AF_UNIX | garbage}, allows},
		{"an internet socket", unix.SYS_SOCKET, []uint64{unix.AF_INET}, refuses},
		{"a pair of vsockets", unix.SYS_SOCKETPAIR, []uint64{unix.AF_VSOCK}, refuses},
		{"send", unix.SYS_SENDTO, []uint64{3, 4, 5, 0, 0, 9}, allows},
		{"send to a low address", unix.SYS_SENDTO, []uint64{3, 4, 5, 0, 1, 9}, refuses},
		{"send to an address with only the high half set", unix.SYS_SENDTO, []uint64{3, 4, 5, 0, 1 << 32, 9}, refuses},
		{"connect", unix.SYS_CONNECT, nil, refuses},
		{"sendmsg", unix.SYS_SENDMSG, nil, refuses},
		{"a signal to itself", unix.SYS_KILL, []uint64{testPID | garbage}, allows},
		{"a signal to another", unix.SYS_KILL, []uint64{testPID + 1}, refuses},
		{"a signal to its group", unix.SYS_KILL, []uint64{0}, refuses},
		{"a signal to all", unix.SYS_KILL, []uint64{^uint64(0)}, refuses},
		{"a signal to its thread", unix.SYS_TGKILL, []uint64{testPID, 1}, allows},
		{"a signal to another's thread", unix.SYS_TGKILL, []uint64{1, testPID}, refuses},
		{"its own limits", unix.SYS_PRLIMIT64, []uint64{0}, allows},
		{"limits of another", unix.SYS_PRLIMIT64, []uint64{1}, refuses},
		{"execve with the secret", unix.SYS_EXECVE, []uint64{1, 2, 3, testPass[0], testPass[1], testPass[2]}, allows},
		{"execve without it", unix.SYS_EXECVE, []uint64{1, 2, 3}, refuses},
		{"the owner of a file", unix.SYS_FCNTL, []uint64{3, unix.F_SETOWN, 1}, refuses},
		{"the flags of a file", unix.SYS_FCNTL, []uint64{3, unix.F_SETFL, 1}, allows},
		{"input into a terminal", unix.SYS_IOCTL, []uint64{0, unix.TIOCSTI | garbage}, refuses},
		{"query a terminal", unix.SYS_IOCTL, []uint64{0, unix.TCGETS}, allows},
		{"the name of a thread", unix.SYS_PRCTL, []uint64{unix.PR_SET_NAME}, allows},
		{"disable the signal at the parent's death", unix.SYS_PRCTL, []uint64{unix.PR_SET_PDEATHSIG}, refuses},
	} {
		if got := run(auditArch, tc.number, tc.arguments...); got != tc.want {
			t.Errorf("%s: got %#x, want %#x", tc.name, got, tc.want)
		}
	}
	if got := run(unix.AUDIT_ARCH_I386, unix.SYS_READ); got != kills {
		t.Errorf("a call of another architecture: got %#x, want %#x", got, kills)
	}
}

// TestForkingFilter checks the calls that Policy.Fork adds, and some that stay refused.
func TestForkingFilter(t *testing.T) {
	run := machine(t, allowedForking(testPID, testPass))
	for _, tc := range []struct {
		name      string
		number    uint32
		arguments []uint64
		want      uint32
	}{
		{"a process", unix.SYS_CLONE, []uint64{uint64(unix.SIGCHLD)}, allows},
		{"a thread", unix.SYS_CLONE, []uint64{unix.CLONE_VM | unix.CLONE_THREAD}, allows},
		{"a process in a user namespace", unix.SYS_CLONE, []uint64{unix.CLONE_NEWUSER | uint64(unix.SIGCHLD)}, refuses},
		{"a process in a mount namespace", unix.SYS_CLONE, []uint64{unix.CLONE_NEWNS | uint64(unix.SIGCHLD)}, refuses},
		{"flags above 32 bits", unix.SYS_CLONE, []uint64{uint64(unix.SIGCHLD) | 1<<33}, refuses},
		{"clone3", unix.SYS_CLONE3, nil, missing},
		{"wait", unix.SYS_WAIT4, nil, allows},
		{"kill a process", unix.SYS_KILL, []uint64{testPID + 1, uint64(unix.SIGKILL)}, allows},
		{"die with its parent", unix.SYS_PRCTL, []uint64{unix.PR_SET_PDEATHSIG}, allows},
		{"set no_new_privs", unix.SYS_PRCTL, []uint64{unix.PR_SET_NO_NEW_PRIVS}, refuses},
		{"a filter", unix.SYS_SECCOMP, []uint64{unix.SECCOMP_SET_MODE_FILTER, 0}, allows},
		{"a filter with a listener", unix.SYS_SECCOMP, []uint64{unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_NEW_LISTENER}, refuses},
		{"a ruleset", unix.SYS_LANDLOCK_RESTRICT_SELF, nil, allows},
		{"unshare", unix.SYS_UNSHARE, nil, refuses},
		{"execve without the secret", unix.SYS_EXECVE, []uint64{1, 2, 3}, refuses},
		{"connect", unix.SYS_CONNECT, nil, refuses},
		{"ptrace", unix.SYS_PTRACE, nil, refuses},
	} {
		if got := run(auditArch, tc.number, tc.arguments...); got != tc.want {
			t.Errorf("%s: got %#x, want %#x", tc.name, got, tc.want)
		}
	}
}

// TestInnerFilter shows that the filter of an Inner, with a process id in the place of the
// placeholder, is that of a child without the right to fork.
func TestInnerFilter(t *testing.T) {
	in, err := NewInner(Policy{})
	if errors.Is(err, ErrNoLandlock) {
		t.Skip("NOT TESTED: " + err.Error())
	}
	if err != nil {
		t.Fatal(err)
	}
	defer in.Ruleset.Close()
	filter := make([]unix.SockFilter, len(in.Filter)/8)
	if _, err := binary.Decode(in.Filter, binary.NativeEndian, filter); err != nil {
		t.Fatal(err)
	}
	const jump = 0x05 // BPF_JMP
	replaced := 0
	for i, f := range filter {
		if f.Code&0x07 == jump && f.K == in.Placeholder {
			filter[i].K, replaced = testPID, replaced+1
		}
	}
	want, err := assemble(Enforce.Refusal, allowed(testPID, testPass))
	if err != nil {
		t.Fatal(err)
	}
	// Only the secret of execve differs: two words for each of its three parts.
	differ := 0
	for i, f := range want {
		if f != filter[i] {
			differ++
		}
	}
	if len(filter) != len(want) || differ > 6 || replaced != 3 {
		t.Errorf("%d of %d instructions differ, and %d were replaced, want at most 6 of %d, and kill, tgkill and prlimit64", differ, len(filter), replaced, len(want))
	}
}

// TestSecret shows that the filter compares both halves of each part of the secret.
func TestSecret(t *testing.T) {
	run := machine(t, allowed(testPID, testPass))
	for i := range testPass {
		for _, bit := range []uint{0, 31, 32, 63} {
			wrong := testPass
			wrong[i] ^= 1 << bit
			if got := run(auditArch, unix.SYS_EXECVE, 1, 2, 3, wrong[0], wrong[1], wrong[2]); got != refuses {
				t.Errorf("bit %d of part %d is ignored: got %#x", bit, i, got)
			}
		}
	}
}

// TestCallsAreListedOnce shows that no call is listed twice, since the filter would
// ignore the second entry, and that the filter allows exactly the listed calls.
func TestCallsAreListedOnce(t *testing.T) {
	seen := map[uint32]bool{}
	for _, c := range allowed(testPID, testPass) {
		if seen[c.number] {
			t.Errorf("call %d is on the list twice", c.number)
		}
		seen[c.number] = true
	}
	run := machine(t, allowed(testPID, testPass))
	for number := range uint32(600) {
		want := fmt.Sprintf("on the list: %v", seen[number])
		switch got := run(auditArch, number, 0, 0, 0, 0, 0, 0); {
		case got == allows && !seen[number]:
			t.Errorf("call %d is allowed, %s", number, want)
		case got != allows && seen[number] && !conditional(number):
			t.Errorf("call %d: got %#x, %s", number, got, want)
		}
	}
}

func conditional(number uint32) bool {
	for _, c := range allowed(testPID, testPass) {
		if c.number == number {
			return len(c.checks) > 0
		}
	}
	return false
}
