// Package sandbox runs foreign programs on foreign bytes in a child process that can
// do little else: read its own installation, write to one folder, and use so much
// memory and time.
//
// The child is this program again, called by Command under another name; Main takes
// the restrictions upon itself and then becomes the foreign program. They are layers,
// each of which holds without the others:
//
//   - Always: no new privileges, no capabilities, resource limits, and a seccomp filter
//     that allows the system calls on a list and refuses all others with EPERM. The child
//     starts threads but no process, executes nothing, opens no network, connects to no
//     socket, and signals nobody but itself.
//   - Where the kernel has Landlock: the child sees no files but those of its policy, and
//     on newer kernels reaches no abstract socket and no process outside.
//   - Where the machine grants them: user, PID, IPC, UTS and network namespaces. Docker's
//     default profile does not.
//
// A Sandbox finds out what this machine grants by starting a child, and reports it.
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

// Policy is what a child may do. Paths that do not exist are left out.
type Policy = confine.Policy

// childName is argv[0] of a child until it becomes the foreign program.
const childName = "recto-sandbox"

// ExitRefused is the exit code of a child that could not be restricted.
const ExitRefused = 125

// waitDelay is how long the pipes of a killed child may stay open.
const waitDelay = 2 * time.Second

// Sandbox starts children. Several goroutines may use it at once.
type Sandbox struct {
	self   string // the path of this program
	report Report
}

// Command returns the command that runs path with args under the policy. It has the
// environment env and a process group of its own, which is killed as a whole when ctx
// ends, and dies with this process.
func (s *Sandbox) Command(ctx context.Context, p Policy, env []string, path string, args ...string) (*exec.Cmd, error) {
	cmd, err := s.command(ctx, p, append([]string{path}, args...)...)
	if err != nil {
		return nil, err
	}
	cmd.Env = env
	confine.Hook(ctx)(cmd)
	return cmd, nil
}

// command returns the command of a child. With no args it reports what is in force.
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

// enterNamespaces gives the child namespaces of its own. In its user namespace it is
// the user that it is outside, so that files keep their owner.
func enterNamespaces(attr *syscall.SysProcAttr) {
	attr.Cloneflags = syscall.CLONE_NEWUSER | syscall.CLONE_NEWPID | syscall.CLONE_NEWIPC | syscall.CLONE_NEWUTS | syscall.CLONE_NEWNET
	attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Geteuid(), HostID: os.Geteuid(), Size: 1}}
	attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getegid(), HostID: os.Getegid(), Size: 1}}
}

// Main returns at once in a process that is no child of a Sandbox. In one that is, it
// does not return. The program that makes a Sandbox calls Main first of all.
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
