package sandbox_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"

	"github.com/rectohq/recto/libs/sandbox/sandboxtest"
)

// outside describes the targets that a child tries to reach. The child receives it as
// arguments.
type outside struct {
	file, folder     string // outside the child's folders
	own              string // the child's folder
	self             string // a program that the policy lets it execute
	socket, abstract string // sockets that another process listens on
	tcp              string // an address that another process listens on
	parent           int    // another process
}

func (o outside) args() []string {
	return []string{"escape", o.file, o.folder, o.own, o.self, o.socket, o.abstract, o.tcp, strconv.Itoa(o.parent)}
}

func parseOutside(args []string) outside {
	parent, _ := strconv.Atoi(args[7])
	return outside{args[0], args[1], args[2], args[3], args[4], args[5], args[6], parent}
}

// attempt is something that a child tries, and the errno it must get: 0 is success. No
// attempt does harm if the sandbox does not hold, even if root runs the test: where valid
// arguments would do harm, they are invalid.
type attempt struct {
	name string
	want unix.Errno
	try  func() error
}

// call makes the system call with that number.
func call(number uintptr, arguments ...uintptr) error {
	var a [6]uintptr
	copy(a[:], arguments)
	if _, _, errno := unix.Syscall6(number, a[0], a[1], a[2], a[3], a[4], a[5]); errno != 0 {
		return errno
	}
	return nil
}

// process tries to create a process, which exits at once if it starts.
func process(number uintptr, flags uintptr) error {
	pid, _, errno := unix.RawSyscall6(number, flags, 0, 0, 0, 0, 0)
	if errno != 0 {
		return errno
	}
	if pid == 0 {
		unix.RawSyscall(unix.SYS_EXIT_GROUP, 0, 0, 0)
	}
	return nil
}

// withSocket calls f with a Unix socket.
func withSocket(kind int, f func(fd int) error) error {
	fd, err := unix.Socket(unix.AF_UNIX, kind|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("create a socket: %w", errors.Join(unix.EIO, err))
	}
	defer unix.Close(fd)
	return f(fd)
}

// processes returns attempts to execute a program, create a process, or affect another one.
func processes(o outside) []attempt {
	const eperm = unix.EPERM
	vm := func(number uintptr) error { return call(number, uintptr(o.parent), 0, 0, 0, 0, 0) }
	path, first, second := append([]byte(o.self), 0), []byte("probe\x00"), []byte("nothing\x00")
	argv := []*byte{&path[0], &first[0], &second[0], nil}
	execve := func(rest ...uintptr) error {
		return call(unix.SYS_EXECVE, append([]uintptr{uintptr(unsafe.Pointer(&path[0])), uintptr(unsafe.Pointer(&argv[0])), 0}, rest...)...)
	}
	return []attempt{
		{"fork", eperm, func() error { return process(unix.SYS_CLONE, uintptr(unix.SIGCHLD)) }},
		{"clone into a user namespace", eperm, func() error { return process(unix.SYS_CLONE, unix.CLONE_NEWUSER|uintptr(unix.SIGCHLD)) }},
		{"clone into a network namespace", eperm, func() error { return process(unix.SYS_CLONE, unix.CLONE_NEWNET|uintptr(unix.SIGCHLD)) }},
		{"clone3", unix.ENOSYS, func() error { var a [88]byte; return call(unix.SYS_CLONE3, uintptr(unsafe.Pointer(&a[0])), 88) }},
		{"unshare", eperm, func() error { return unix.Unshare(unix.CLONE_NEWUSER) }},
		{"setns", eperm, func() error { return unix.Setns(0, 0) }},
		{"execve of a program in its policy", eperm, func() error { return execve() }},
		{"execve with a guess", eperm, func() error { return execve(1, 2, 3) }},
		{"execveat", eperm, func() error {
			return call(unix.SYS_EXECVEAT, 0, uintptr(unsafe.Pointer(&path[0])), uintptr(unsafe.Pointer(&argv[0])), 0, 0)
		}},
		{"a file in memory", eperm, func() error { _, err := unix.MemfdCreate("x", 0); return err }},
		{"kill the parent", eperm, func() error { return unix.Kill(o.parent, 0) }},
		{"kill its group", eperm, func() error { return unix.Kill(0, 0) }},
		{"kill all", eperm, func() error { return unix.Kill(-1, 0) }},
		{"tgkill the parent", eperm, func() error { return unix.Tgkill(o.parent, o.parent, 0) }},
		{"tkill the parent", eperm, func() error { return call(unix.SYS_TKILL, uintptr(o.parent), 0) }},
		{"queue a signal", eperm, func() error {
			var a [128]byte
			return call(unix.SYS_RT_SIGQUEUEINFO, uintptr(o.parent), 0, uintptr(unsafe.Pointer(&a[0])))
		}},
		{"pidfd_open", eperm, func() error { _, err := unix.PidfdOpen(o.parent, 0); return err }},
		{"pidfd_send_signal", eperm, func() error { return unix.PidfdSendSignal(0, 0, nil, 0) }},
		{"have the kernel signal the parent", eperm, func() error { _, err := unix.FcntlInt(0, unix.F_SETOWN, o.parent); return err }},
		{"ptrace", eperm, func() error { return unix.PtraceAttach(1 << 30) }},
		{"ptrace by its parent", eperm, func() error { return call(unix.SYS_PTRACE, unix.PTRACE_TRACEME) }},
		{"read the parent's memory", eperm, func() error { return vm(unix.SYS_PROCESS_VM_READV) }},
		{"write the parent's memory", eperm, func() error { return vm(unix.SYS_PROCESS_VM_WRITEV) }},
		{"kcmp", eperm, func() error { return call(unix.SYS_KCMP, uintptr(o.parent), uintptr(o.parent), 0, 0, 0) }},
		{"the parent's limits", eperm, func() error { return unix.Prlimit(o.parent, unix.RLIMIT_CORE, &unix.Rlimit{}, nil) }},
		{"outlive the parent", eperm, func() error { return unix.Prctl(unix.PR_SET_PDEATHSIG, 0, 0, 0, 0) }},
		{"leave its group", eperm, func() error { _, err := unix.Setsid(); return err }},
		{"priority of the parent", eperm, func() error { return unix.Setpriority(unix.PRIO_PROCESS, o.parent, 0) }},
	}
}

// kernel returns attempts on the kernel, on privileges, and on the sandbox itself.
func kernel(o outside) []attempt {
	const eperm = unix.EPERM
	ring := make([]byte, 120)
	return []attempt{
		{"mount", eperm, func() error { return unix.Mount("x", o.own, "no file system", 0, "") }},
		{"umount", eperm, func() error { return unix.Unmount("/nowhere", 0) }},
		{"fsopen", eperm, func() error { _, err := unix.Fsopen("tmpfs", 0); return err }},
		{"open_tree", eperm, func() error { _, err := unix.OpenTree(unix.AT_FDCWD, "/", 1); return err }},
		{"move_mount", eperm, func() error { return unix.MoveMount(0, "", 0, "", 0) }},
		{"pivot_root", eperm, func() error { return unix.PivotRoot(o.own, o.own) }},
		{"chroot", eperm, func() error { return unix.Chroot(o.own) }},
		{"io_uring", eperm, func() error { return call(unix.SYS_IO_URING_SETUP, 1, uintptr(unsafe.Pointer(&ring[0]))) }},
		{"bpf", eperm, func() error { return call(unix.SYS_BPF, 0, uintptr(unsafe.Pointer(&ring[0])), 120) }},
		{"userfaultfd", eperm, func() error { return call(unix.SYS_USERFAULTFD, 1) }},
		{"perf_event_open", eperm, func() error { return call(unix.SYS_PERF_EVENT_OPEN, uintptr(unsafe.Pointer(&ring[0])), 0, 0, 0, 0) }},
		{"a keyring", eperm, func() error { _, err := unix.KeyctlGetKeyringID(unix.KEY_SPEC_SESSION_KEYRING, true); return err }},
		{"add_key", eperm, func() error {
			_, err := unix.AddKey("user", "x", []byte("x"), unix.KEY_SPEC_PROCESS_KEYRING)
			return err
		}},
		{"personality", eperm, func() error { return call(unix.SYS_PERSONALITY, 0x0040000) }},
		{"shared memory", eperm, func() error { return call(unix.SYS_SHMGET, 0, 4096, 0o1600) }},
		{"splice", eperm, func() error { return call(unix.SYS_SPLICE, 0, 0, 0, 0, 0, 0) }},
		{"a filter by prctl", eperm, func() error { return unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_STRICT, 0, 0, 0) }},
		{"a filter by seccomp", eperm, func() error { return call(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_STRICT, 0, 0) }},
		{"capabilities", eperm, func() error {
			header, sets := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}, [2]unix.CapUserData{{Effective: 1 << unix.CAP_SYS_ADMIN, Permitted: 1 << unix.CAP_SYS_ADMIN}}
			return unix.Capset(&header, &sets[0])
		}},
		{"another user", eperm, func() error { return call(unix.SYS_SETUID, 1) }},
		{"more open files", eperm, func() error { return unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 4096, Max: 4096}) }},
		{"more memory", eperm, func() error {
			return unix.Prlimit(0, unix.RLIMIT_AS, &unix.Rlimit{Cur: unix.RLIM_INFINITY, Max: unix.RLIM_INFINITY}, nil)
		}},
		{"input into a terminal", eperm, func() error { return unix.IoctlSetPointerInt(0, unix.TIOCSTI, 'x') }},
		{"an x32 call", eperm, func() error { return call(0x40000000 | unix.SYS_GETPID) }},
		{"the clock", eperm, func() error { return call(unix.SYS_CLOCK_SETTIME, 99, uintptr(unsafe.Pointer(&ring[0]))) }},
		{"the name of the machine", eperm, func() error { return call(unix.SYS_SETHOSTNAME, 0, ^uintptr(0)) }},
	}
}

// networks returns attempts to reach other processes and machines.
func networks(o outside) []attempt {
	const eperm = unix.EPERM
	to := func(name string, kind int, send func(int, unix.Sockaddr) error) func() error {
		return func() error {
			return withSocket(kind, func(fd int) error { return send(fd, &unix.SockaddrUnix{Name: name}) })
		}
	}
	connect := unix.Connect
	sendto := func(fd int, at unix.Sockaddr) error { return unix.Sendto(fd, []byte("x"), 0, at) }
	sendmsg := func(fd int, at unix.Sockaddr) error { return unix.Sendmsg(fd, []byte("x"), nil, at, 0) }
	attempts := []attempt{
		{"connect to a socket", eperm, to(o.socket, unix.SOCK_STREAM, connect)},
		{"connect to an abstract socket", eperm, to(o.abstract, unix.SOCK_STREAM, connect)},
		{"sendto a socket", eperm, to(o.socket, unix.SOCK_DGRAM, sendto)},
		{"sendto an abstract socket", eperm, to(o.abstract, unix.SOCK_DGRAM, sendto)},
		{"sendmsg to a socket", eperm, to(o.socket, unix.SOCK_DGRAM, sendmsg)},
		{"sendmmsg", eperm, to(o.socket, unix.SOCK_DGRAM, func(fd int, _ unix.Sockaddr) error { return call(unix.SYS_SENDMMSG, uintptr(fd), 0, 0, 0) })},
		{"dial TCP", eperm, func() error { _, err := net.Dial("tcp", o.tcp); return err }},
	}
	for name, family := range map[string]int{
		"IPv4": unix.AF_INET, "IPv6": unix.AF_INET6, "netlink": unix.AF_NETLINK, "packet": unix.AF_PACKET, "vsock": unix.AF_VSOCK, "alg": unix.AF_ALG,
	} {
		attempts = append(attempts, attempt{"a socket for " + name, eperm, func() error { _, err := unix.Socket(family, unix.SOCK_RAW, 0); return err }})
	}
	return attempts
}

// hidden returns attempts on files outside the policy, which Landlock refuses.
func hidden(o outside) []attempt {
	const eacces = unix.EACCES
	return []attempt{
		{"read a file outside", eacces, func() error { _, err := os.ReadFile(o.file); return err }},
		{"write a file outside", eacces, func() error { return os.WriteFile(filepath.Join(o.folder, "x"), nil, 0o600) }},
		{"remove a file outside", eacces, func() error { return os.Remove(o.file) }},
		{"truncate a file outside", eacces, func() error { return os.Truncate(o.file, 0) }},
		{"list a folder outside", eacces, func() error { _, err := os.ReadDir(o.folder); return err }},
		{"the parent in /proc", eacces, func() error { _, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", o.parent)); return err }},
		{"the processes in /proc", eacces, func() error { _, err := os.ReadDir("/proc"); return err }},
		{"link a file outside", eacces, func() error { return os.Link(o.file, filepath.Join(o.own, "link")) }},
		{"the program itself", eacces, func() error { return os.WriteFile(o.self, nil, 0o600) }},
		{"make a device", unix.EPERM, func() error { return unix.Mknod(filepath.Join(o.own, "null"), unix.S_IFCHR|0o600, 1<<8|3) }},
	}
}

// ordinary returns attempts that must succeed.
func ordinary(o outside) []attempt {
	return []attempt{
		{"a thread", 0, func() error {
			done := make(chan int)
			go func() { runtime.LockOSThread(); done <- unix.Gettid() }() // the thread ends with the goroutine
			if <-done == unix.Gettid() {
				return unix.EIO
			}
			return nil
		}},
		{"a signal to itself", 0, func() error { return unix.Kill(unix.Getpid(), 0) }},
		{"a signal to its thread", 0, func() error { return unix.Tgkill(unix.Getpid(), unix.Gettid(), 0) }},
		{"a pair of sockets", 0, func() error {
			pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
			if err != nil {
				return err
			}
			return errors.Join(unix.Sendto(pair[0], []byte("x"), 0, nil), unix.Close(pair[0]), unix.Close(pair[1]))
		}},
		{"bind, listen and accept", 0, func() error {
			return withSocket(unix.SOCK_STREAM|unix.SOCK_NONBLOCK, func(fd int) error {
				if err := unix.Bind(fd, &unix.SockaddrUnix{Name: filepath.Join(o.own, "s")}); err != nil {
					return err
				}
				if err := unix.Listen(fd, 1); err != nil {
					return err
				}
				if _, _, err := unix.Accept(fd); err != unix.EAGAIN { // nobody connects
					return err
				}
				return unix.Shutdown(fd, unix.SHUT_RDWR)
			})
		}},
		{"files of its own", 0, func() error {
			path := filepath.Join(o.own, "file")
			return errors.Join(os.WriteFile(path, []byte("x"), 0o600), os.Rename(path, path+"2"), os.Mkdir(path, 0o700), os.RemoveAll(path))
		}},
		{"fewer open files", 0, func() error { return unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 60, Max: 60}) }},
		{"executable memory", 0, func() error {
			b, err := unix.Mmap(-1, 0, 4096, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
			if err != nil {
				return err
			}
			return unix.Mprotect(b, unix.PROT_READ|unix.PROT_EXEC)
		}},
	}
}

// attempts returns all attempts. Those that Landlock refuses are included only if the kernel
// has Landlock.
func attempts(o outside) []attempt {
	all := slices.Concat(processes(o), kernel(o), networks(o), ordinary(o))
	if version, err := ll.LandlockGetABIVersion(); err == nil && version >= 2 {
		all = append(all, hidden(o)...)
	}
	return all
}

// escape makes all attempts, and reports those with an unexpected result.
func escape(o outside) string {
	var said []string
	for _, a := range attempts(o) {
		err := a.try()
		var errno unix.Errno
		if err != nil && !errors.As(err, &errno) {
			errno = unix.EIO
		}
		if errno != a.want {
			said = append(said, fmt.Sprintf("%s: got %v, want %d (%v)", a.name, err, a.want, a.want))
		}
	}
	return strings.Join(append(said, "tried everything"), "\n")
}

// newOutside creates targets that a child must not reach, and a folder that it may write to.
func newOutside(t *testing.T) outside {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	o := outside{
		file: filepath.Join(folder, "secret"), folder: folder, own: t.TempDir(), self: self,
		socket: filepath.Join(folder, "s"), abstract: fmt.Sprintf("@recto-test-%d", os.Getpid()), parent: os.Getpid(),
	}
	if err := os.WriteFile(o.file, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	for network, address := range map[string]*string{"unix": &o.socket, "unixpacket": &o.abstract, "tcp": &o.tcp} {
		if network == "tcp" {
			o.tcp = "127.0.0.1:0"
		}
		ln, err := net.Listen(network, *address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { ln.Close() })
		if network == "tcp" {
			o.tcp = ln.Addr().String()
		}
	}
	return o
}

// TestEscapes shows that every attempt of a child has the expected result, with the
// namespaces that this machine permits and without.
func TestEscapes(t *testing.T) {
	for name, in := range map[string]func(context.Context, testing.TB) context.Context{
		"in namespaces":      func(ctx context.Context, _ testing.TB) context.Context { return ctx },
		"without namespaces": sandboxtest.WithoutNamespaces,
	} {
		t.Run(name, func(t *testing.T) {
			if r := open(t).Report(); name == "in namespaces" && !r.Namespaces {
				t.Skip("NOT TESTED: this machine does not permit namespaces: " + r.NoNamespaces)
			}
			o := newOutside(t)
			p := policy(t, o.own)
			p.Memory = math.MaxUint64 / 2 // so that raising it fails for lack of privilege
			if got, err := run(t, in(t.Context(), t), p, o.args()...); err != nil || got != "tried everything" {
				t.Errorf("%v\n%s", err, got)
			}
		})
	}
}

// TestOtherArchitecture shows that a 32-bit x86 call, whose numbers mean other calls, kills
// the child, unless the kernel does not support such calls.
func TestOtherArchitecture(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("this architecture cannot make calls of another architecture")
	}
	got, err := run(t, t.Context(), policy(t, t.TempDir()), "int80")
	if err == nil && got == noInt80 {
		t.Log("this kernel does not support 32-bit x86 calls")
		return
	}
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		t.Fatalf("got %q, %v, want it killed", got, err)
	}
	if status := exit.Sys().(syscall.WaitStatus); status.Signal() != unix.SIGSYS {
		t.Errorf("got %q, %v, want it killed by SIGSYS", got, err)
	}
}

// noInt80 is the result of int80 on a kernel that does not support 32-bit calls.
const noInt80 = "the instruction faults"

// int80 asks for the process id with a 32-bit system call.
func int80() (result string) {
	debug.SetPanicOnFault(true)
	defer func() {
		if recover() != nil {
			result = noInt80
		}
	}()
	code, err := unix.Mmap(-1, 0, 4096, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err == nil {
		copy(code, []byte{0xb8, 20, 0, 0, 0, 0xcd, 0x80, 0xc3}) // mov eax, 20; int 0x80; ret
		err = unix.Mprotect(code, unix.PROT_READ|unix.PROT_EXEC)
	}
	if err != nil {
		return err.Error()
	}
	entry := &code[0]
	f := &entry
	(*(*func())(unsafe.Pointer(&f)))()
	return "it returned"
}
