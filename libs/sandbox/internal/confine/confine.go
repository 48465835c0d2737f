// Package confine restricts a child of package sandbox before it becomes the foreign
// program: first its files, then its privileges, its system calls and its resources.
//
// It is separate from package sandbox so that tests can start a child whose filter
// reports what it refuses, or one without a filter. The product has neither code nor
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

// Policy is what a child may do. Paths that do not exist are left out.
type Policy struct {
	// Execute are files, and folders of files, that may be read and executed.
	Execute []string `json:"execute"`
	// Read are files and folders that may be read.
	Read []string `json:"read"`
	// Write are folders that may be read and written.
	Write []string `json:"write"`
	// Sockets are folders in which Unix sockets may be made, and nothing else.
	Sockets []string `json:"sockets"`
	// Memory bounds the address space, in bytes.
	Memory uint64 `json:"memory"`
	// Data bounds the memory that can be written and is nobody else's, in bytes: what
	// a program takes, without what it only reserves. 0 is no bound.
	Data uint64 `json:"data"`
	// FileSize bounds each file that is written, in bytes.
	FileSize uint64 `json:"file_size"`
	// CPUSeconds bounds the processor time.
	CPUSeconds uint64 `json:"cpu_seconds"`
	// OpenFiles bounds the file descriptors.
	OpenFiles uint64 `json:"open_files"`
}

// Mode is how the filter answers, and how it gets into the kernel.
type Mode struct {
	// Refusal is the filter's answer to a call that is not allowed: a seccomp
	// action with its data.
	Refusal uint32
	// Install gives the filter to the kernel, for this thread and all that it
	// becomes.
	Install func([]unix.SockFilter) error
}

// Enforce refuses calls with EPERM, as the kernel does when a privilege is
// missing. It is the only mode of the product.
var Enforce = Mode{
	Refusal: unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM),
	Install: func(filter []unix.SockFilter) error { _, err := Install(filter, 0); return err },
}

// Report says what is in force for a child.
type Report struct {
	// Calls is how many system calls are allowed, some of them only with certain
	// arguments.
	Calls int `json:"calls"`
	// Landlock is the ABI version of Landlock, 0 if the kernel has none.
	Landlock int `json:"landlock"`
	// Scopes tells whether Landlock also keeps signals and abstract Unix sockets
	// within the child.
	Scopes bool `json:"scopes"`
}

// secret is what the arguments 4 to 6 of execve must hold: see allowed.
type secret [3]uint64

// Become restricts this process and executes path in its place. It returns only an
// error.
func Become(policy, path string, argv []string, m Mode) error {
	// Seccomp, Landlock and capabilities bind the calling thread, the only one that
	// survives execve.
	runtime.LockOSThread()
	pass, _, err := restrict(policy, m)
	if err != nil {
		return err
	}
	return fmt.Errorf("execute %s: %w", path, execute(path, argv, os.Environ(), pass))
}

// Try restricts this process as Become does, and reports what is in force.
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
	for i := range pass {
		var b [8]byte
		_, _ = rand.Read(b[:]) // it never fails
		pass[i] = binary.NativeEndian.Uint64(b[:])
	}
	filter, err := assemble(m.Refusal, os.Getpid(), pass)
	if err != nil {
		return pass, r, fmt.Errorf("assemble the filter: %w", err)
	}
	// Without it the kernel takes no filter from anybody but root.
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return pass, r, fmt.Errorf("give up new privileges: %w", err)
	}
	r.Calls = len(allowed(os.Getpid(), pass))
	if r.Landlock, err = restrictFiles(p); err != nil {
		return pass, r, fmt.Errorf("restrict files: %w", err)
	}
	r.Scopes = r.Landlock >= scopesABI
	if err := dropCapabilities(); err != nil {
		return pass, r, fmt.Errorf("give up privileges: %w", err)
	}
	if err := m.Install(filter); err != nil {
		return pass, r, fmt.Errorf("restrict system calls: %w", err)
	}
	if err := limit(p); err != nil {
		return pass, r, fmt.Errorf("set limits: %w", err)
	}
	return pass, r, nil
}

// execute calls execve with the secret that the filter asks for.
//
// syscall.Exec also stops the runtime from starting threads, because clone may fail with
// EAGAIN during an execve. The runtime retries clone for far longer than execve takes, so
// this does not matter here.
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
