// Package sandboxtest lets tests observe which system calls the sandbox refuses, and
// measure what the sandbox costs. The product does not import it.
//
// A test passes a context from this package to the code that starts children. The child is
// the test binary, whose TestMain must call Main after sandbox.Main.
package sandboxtest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/rectohq/recto/libs/sandbox"
	"github.com/rectohq/recto/libs/sandbox/internal/confine"
)

// argv[0] of the children that this package starts.
const (
	tracedName = "recto-sandbox-traced"
	openName   = "recto-sandbox-open"
)

// Main restricts a child of this package and does not return. In any other process it
// returns immediately.
func Main() {
	if len(os.Args) < 3 {
		return
	}
	var mode confine.Mode
	switch os.Args[0] {
	case tracedName:
		mode = confine.Mode{Refusal: unix.SECCOMP_RET_USER_NOTIF, Install: installTraced}
	case openName:
		mode = confine.Mode{Install: func([]unix.SockFilter) error { return nil }}
	default:
		return
	}
	err := confine.Become(os.Args[1], os.Args[2], os.Args[2:], mode)
	fmt.Fprintln(os.Stderr, "sandbox:", err)
	os.Exit(sandbox.ExitRefused)
}

// WithoutFilter returns a context whose children may make every system call. The other
// restrictions stay.
func WithoutFilter(ctx context.Context, _ testing.TB) context.Context {
	return confine.WithHook(ctx, func(cmd *exec.Cmd) { cmd.Args[0] = openName })
}

// WithoutNamespaces returns a context whose children share the namespaces of this
// process, as on a machine that does not permit namespaces.
func WithoutNamespaces(ctx context.Context, _ testing.TB) context.Context {
	before := confine.Hook(ctx)
	return confine.WithHook(ctx, func(cmd *exec.Cmd) {
		before(cmd)
		attr := cmd.SysProcAttr
		attr.Cloneflags, attr.UidMappings, attr.GidMappings = 0, nil, nil
	})
}
