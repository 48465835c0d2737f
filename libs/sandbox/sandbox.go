// Package sandbox runs foreign programs on foreign bytes in a child process that can
// only read its own installation, write to one folder, and use so much memory and time.
//
// The child is this program again, started by Command under another name. Main restricts
// it and then executes the foreign program. The restrictions are layers, each of which
// holds without the others:
//
//   - Always: no new privileges, no capabilities, resource limits, and a seccomp filter
//     that allows the system calls on a list and refuses all others with EPERM. A child
//     starts threads but no processes, executes nothing, opens no network socket,
//     connects to nothing, and signals only itself.
//   - If the kernel has Landlock: a child sees only the files of its policy. From ABI 6 on
//     it reaches no abstract socket and no process outside either.
//   - If the machine grants them: user, PID, IPC, UTS and network namespaces. Docker's
//     default profile does not.
//
// A Sandbox finds out what the machine grants by starting a child, and reports it.
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

// Command returns the command that runs path with args under the policy, with the
// environment env. It has its own process group, which is killed when ctx ends, and dies
// with this process.
func (s *Sandbox) Command(ctx context.Context, p Policy, env []string, path string, args ...string) (*exec.Cmd, error) {
	cmd, err := s.command(ctx, p, append([]string{path}, args...)...)
	if err != nil {
		return nil, err
	}
	cmd.Env = env
	confine.Hook(ctx)(cmd)
	return cmd, nil
}

// command returns the command of a child. Without args the child only reports what is in
// force.
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

// enterNamespaces gives the child its own namespaces. It keeps its user and group ids, so
// that files keep their owner.
func enterNamespaces(attr *syscall.SysProcAttr) {
	attr.Cloneflags = syscall.CLONE_NEWUSER | syscall.CLONE_NEWPID | syscall.CLONE_NEWIPC | syscall.CLONE_NEWUTS | syscall.CLONE_NEWNET
	attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Geteuid(), HostID: os.Geteuid(), Size: 1}}
	attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getegid(), HostID: os.Getegid(), Size: 1}}
}

// Main restricts a child of a Sandbox and does not return. In any other process it
// returns at once. A program that uses a Sandbox calls Main before anything else.
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
