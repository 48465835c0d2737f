// Package sandbox runs third-party programs on untrusted bytes in a child process that can
// read only its own installation, write to only one folder, and use only a limited amount
// of memory and time.
//
// The child is another instance of this program, started by Command under another name.
// Main restricts it and then executes the third-party program. The restrictions are
// independent layers:
//
//   - Always: no new privileges, no capabilities, resource limits, and a seccomp filter
//     that allows a fixed list of system calls and fails all others with EPERM. A child
//     can start threads but no processes, unless its policy has Fork. It cannot execute
//     programs, open network sockets, connect to anything, or signal any process but
//     itself.
//   - If the kernel has Landlock: a child can access only the files in its policy. From
//     ABI 6 on, it also cannot reach abstract sockets or processes outside the sandbox.
//   - If the machine permits them: user, PID, IPC, UTS and network namespaces. Docker's
//     default profile does not permit them.
//
// New finds out what the machine permits by starting a child. Report returns the result.
package sandbox

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/rectohq/recto/libs/sandbox/internal/confine"
)

// Policy defines what a child may do. Paths that do not exist are ignored.
type Policy = confine.Policy

// Inner is a restriction that a child whose policy has Fork puts on its own processes.
type Inner = confine.Inner

// ErrNoLandlock means that the kernel has no usable Landlock.
var ErrNoLandlock = confine.ErrNoLandlock

// NewInner returns an Inner for the files that the policy lists. It restricts a process like
// a child with that policy, and also refuses to execute programs. The policy's limits are
// not part of it. The error is ErrNoLandlock if files cannot be restricted.
func NewInner(p Policy) (*Inner, error) { return confine.NewInner(p) }

// childName is argv[0] of a child until it executes the third-party program.
const childName = "recto-sandbox"

// ExitRefused is the exit code of a child that could not be restricted.
const ExitRefused = 125

// waitDelay is how long the pipes of a killed child may stay open.
const waitDelay = 2 * time.Second

// Sandbox starts children. It is safe for concurrent use.
type Sandbox struct {
	self   string // path of this program's executable
	report Report
}

// Command returns a command that runs path with args under the policy, with the
// environment env. The child has its own process group, which is killed when ctx ends, and
// the child dies with this process.
func (s *Sandbox) Command(ctx context.Context, p Policy, env []string, path string, args ...string) (*exec.Cmd, error) {
	cmd, err := s.command(ctx, p, append([]string{path}, args...)...)
	if err != nil {
		return nil, err
	}
	cmd.Env = env
	confine.Hook(ctx)(cmd)
	return cmd, nil
}

// command returns the command that starts a child. Without args, the child only reports
// which restrictions are in force.
func (s *Sandbox) command(ctx context.Context, p Policy, args ...string) (*exec.Cmd, error) {
	policy, err := json.Marshal(p)
	if err != nil {
		return nil, fmt.Errorf("encode the policy: %w", err)
	}
	cmd := exec.CommandContext(ctx, s.self)
	cmd.Args = append([]string{childName, string(policy)}, args...)
	cmd.Env = []string{}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if s.report.Namespaces {
		enterNamespaces(cmd.SysProcAttr)
	}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = waitDelay
	return cmd, nil
}

// enterNamespaces gives the child its own namespaces. The child keeps its user and group
// ids, so that files keep their owner.
func enterNamespaces(attr *syscall.SysProcAttr) {
	attr.Cloneflags = syscall.CLONE_NEWUSER | syscall.CLONE_NEWPID | syscall.CLONE_NEWIPC | syscall.CLONE_NEWUTS | syscall.CLONE_NEWNET
	attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Geteuid(), HostID: os.Geteuid(), Size: 1}}
	attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getegid(), HostID: os.Getegid(), Size: 1}}
}

// Main restricts a child of a Sandbox and does not return. In any other process it
// returns immediately. A program that uses a Sandbox must call Main before anything else.
func Main() {
	if len(os.Args) < 2 || os.Args[0] != childName {
		return
	}
	var err error
	if len(os.Args) == 2 {
		err = try(os.Args[1])
	} else {
		err = confine.Become(os.Args[1], os.Args[2], os.Args[2:], confine.Enforce)
	}
	if err == nil {
		os.Exit(0)
	}
	fmt.Fprintln(os.Stderr, "sandbox:", err)
	os.Exit(ExitRefused)
}
