// Package sandbox runs foreign programs on foreign bytes in a child process
// that can do little besides: read its own installation, write to one folder,
// and use so much memory and time.
//
// The child is this program again, called by Command under another name; Main
// takes the restrictions upon itself and then becomes the foreign program.
// What is always there: no new privileges, resource limits, and a seccomp
// filter without networks, tracing, mounts and kernel modules. Where the
// kernel has Landlock, the child sees no files but those of its policy and
// executes none but those named.
package sandbox

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/go-json-experiment/json"
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

// childName is argv[0] of a child until it becomes the foreign program.
const childName = "recto-sandbox"

// ExitRefused is the exit code of a child that could not be restricted.
const ExitRefused = 125

// waitDelay is how long the pipes of a killed child may stay open.
const waitDelay = 2 * time.Second

// Command returns the command that runs path with args under the policy. It
// has the environment env and a process group of its own, which is killed as a
// whole when ctx ends, and dies with this process. The program that calls
// Command must call Main first of all.
func Command(ctx context.Context, p Policy, env []string, path string, args ...string) (*exec.Cmd, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	policy, err := json.Marshal(p)
	if err != nil {
		return nil, fmt.Errorf("encode the policy: %w", err)
	}
	cmd := exec.CommandContext(ctx, self)
	cmd.Args = append([]string{childName, string(policy), path}, args...)
	cmd.Env = env
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = waitDelay
	return cmd, nil
}

// Main returns at once in a process that is no child of Command. In one that
// is, it does not return.
func Main() {
	if len(os.Args) < 3 || os.Args[0] != childName {
		return
	}
	err := become(os.Args[1], os.Args[2], os.Args[2:])
	fmt.Fprintln(os.Stderr, "sandbox:", err)
	os.Exit(ExitRefused)
}
