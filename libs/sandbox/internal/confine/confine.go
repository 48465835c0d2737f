// Package confine restricts a child of package sandbox before it executes the third-party
// program: first its files, then its privileges, its system calls and its resources.
//
// It is separate from package sandbox so that tests can start a child whose filter reports
// the calls it refuses, or a child without a filter. The product has neither code nor
// configuration for that.
package confine

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"os"
	"runtime"
	"syscall"
	"unsafe"

	"github.com/go-json-experiment/json"
	"golang.org/x/sys/unix"
)

// Policy defines what a child may do. Paths that do not exist are ignored.
type Policy struct {
	// Execute lists files, and folders of files, that may be read and executed.
	Execute []string `json:"execute"`
	// Read lists files and folders that may be read.
	Read []string `json:"read"`
	// Write lists folders that may be read and written.
	Write []string `json:"write"`
	// Sockets lists folders in which Unix sockets, and nothing else, may be created.
	Sockets []string `json:"sockets"`
	// Memory bounds the address space, in bytes.
	Memory uint64 `json:"memory"`
	// Data bounds the private writable memory, in bytes. It excludes address space that
	// is only reserved. 0 means no bound.
	Data uint64 `json:"data"`
	// FileSize bounds each file that the child writes, in bytes.
	FileSize uint64 `json:"file_size"`
	// CPUSeconds bounds the CPU time.
	CPUSeconds uint64 `json:"cpu_seconds"`
	// OpenFiles bounds the number of open file descriptors.
	OpenFiles uint64 `json:"open_files"`
	// Fork lets the child create processes, which it must restrict further with an Inner
	// before they touch foreign bytes. It is for programs of this project.
	Fork bool `json:"fork"`
}

// allowed returns the calls that the process pid may make under the policy.
func (p Policy) allowed(pid int, pass secret) []call {
	if p.Fork {
		return allowedForking(pid, pass)
	}
	return allowed(pid, pass)
}

// newSecret returns a random secret.
func newSecret() (pass secret) {
	for i := range pass {
		var b [8]byte
		_, _ = rand.Read(b[:]) // it never fails
		pass[i] = binary.NativeEndian.Uint64(b[:])
	}
	return pass
}

// Mode defines how the filter refuses a call, and how the filter is installed.
type Mode struct {
	// Refusal is what the filter returns for a call that is not allowed: a seccomp
	// action with its data.
	Refusal uint32
	// Install installs the filter for this thread and every program it executes.
	Install func([]unix.SockFilter) error
}

// Enforce refuses calls with EPERM, as the kernel does when a privilege is
// missing. It is the only mode that the product uses.
var Enforce = Mode{
	Refusal: unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM),
	Install: func(filter []unix.SockFilter) error { _, err := Install(filter, 0); return err },
}

// Report describes the restrictions in force for a child.
type Report struct {
	// Calls is the number of allowed system calls, including those allowed only with
	// certain arguments.
	Calls int `json:"calls"`
	// Landlock is the ABI version of Landlock, or 0 if it is not used.
	Landlock int `json:"landlock"`
	// Scopes reports whether Landlock also confines signals and abstract Unix sockets to
	// the child.
	Scopes bool `json:"scopes"`
}

// secret is what arguments 4 to 6 of execve must hold: see allowed.
type secret [3]uint64

// Become restricts this process and executes path in its place. It returns only if that
// fails.
func Become(policy, path string, argv []string, m Mode) error {
	// Seccomp, Landlock and capabilities apply to the calling thread, which is the only
	// one that survives execve.
	runtime.LockOSThread()
	pass, _, err := restrict(policy, m)
	if err != nil {
		return err
	}
	return fmt.Errorf("execute %s: %w", path, execute(path, argv, os.Environ(), pass))
}

// Try restricts this process as Become does, and reports the restrictions in force.
func Try(policy string, m Mode) (Report, error) {
	runtime.LockOSThread()
	_, report, err := restrict(policy, m)
	return report, err
}

func restrict(policy string, m Mode) (pass secret, r Report, err error) {
	var p Policy
	if err := json.Unmarshal([]byte(policy), &p); err != nil {
		return pass, r, fmt.Errorf("decode the policy: %w", err)
	}
	pass = newSecret()
	calls := p.allowed(os.Getpid(), pass)
	filter, err := assemble(m.Refusal, calls)
	if err != nil {
		return pass, r, fmt.Errorf("assemble the filter: %w", err)
	}
	// Without no_new_privs, the kernel accepts a filter only from root.
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return pass, r, fmt.Errorf("set no_new_privs: %w", err)
	}
	r.Calls = len(calls)
	if r.Landlock, err = restrictFiles(p); err != nil {
		return pass, r, fmt.Errorf("restrict files: %w", err)
	}
	r.Scopes = r.Landlock >= scopesABI
	if err := dropCapabilities(); err != nil {
		return pass, r, fmt.Errorf("restrict privileges: %w", err)
	}
	if err := m.Install(filter); err != nil {
		return pass, r, fmt.Errorf("restrict system calls: %w", err)
	}
	if err := limit(p); err != nil {
		return pass, r, fmt.Errorf("set limits: %w", err)
	}
	return pass, r, nil
}

// execute calls execve with the secret that the filter requires.
//
// Unlike syscall.Exec, it does not stop the runtime from starting threads. syscall.Exec
// does so because clone may fail with EAGAIN during an execve. The runtime retries clone
// for far longer than an execve takes, so this does not matter here.
func execute(path string, argv, env []string, pass secret) error {
	p, err := unix.BytePtrFromString(path)
	if err != nil {
		return err
	}
	args, err := syscall.SlicePtrFromStrings(argv)
	if err != nil {
		return err
	}
	vars, err := syscall.SlicePtrFromStrings(env)
	if err != nil {
		return err
	}
	_, _, errno := unix.RawSyscall6(unix.SYS_EXECVE,
		uintptr(unsafe.Pointer(p)), uintptr(unsafe.Pointer(&args[0])), uintptr(unsafe.Pointer(&vars[0])),
		uintptr(pass[0]), uintptr(pass[1]), uintptr(pass[2]))
	return errno
}
