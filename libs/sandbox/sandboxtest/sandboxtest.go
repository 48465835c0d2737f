// Package sandboxtest lets tests look into the sandbox: at the system calls that it
// refuses, and at what it costs. Nothing of it is in the product.
//
// A test passes the context that it gets from here to what starts children. The child
// is the test binary, whose TestMain calls Main beside sandbox.Main.
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

// argv[0] of the children that this package knows.
const (
	tracedName = "recto-sandbox-traced"
	openName   = "recto-sandbox-open"
)

// Main returns at once in a process that is no child of this package. In one that is,
// it does not return. TestMain calls it first of all.
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

// WithoutFilter returns a context whose children may make all system calls. All else
// is restricted as ever.
func WithoutFilter(ctx context.Context, _ testing.TB) context.Context {
	return confine.WithHook(ctx, func(cmd *exec.Cmd) { cmd.Args[0] = openName })
}

// WithoutNamespaces returns a context whose children are in the namespaces of this
// process, as they are where the machine grants no others.
func WithoutNamespaces(ctx context.Context, _ testing.TB) context.Context {
	before := confine.Hook(ctx)
	return confine.WithHook(ctx, func(cmd *exec.Cmd) {
		before(cmd)
		attr := cmd.SysProcAttr
		attr.Cloneflags, attr.UidMappings, attr.GidMappings = 0, nil, nil
	})
}
