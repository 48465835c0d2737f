package confine

import (
	"context"
	"os/exec"
)

type hookKey struct{}

// WithHook returns a context for tests, by which sandbox.Command lets hook change the
// command.
func WithHook(ctx context.Context, hook func(*exec.Cmd)) context.Context {
	return context.WithValue(ctx, hookKey{}, hook)
}

// Hook returns the hooks of ctx as one.
func Hook(ctx context.Context) func(*exec.Cmd) {
	if hook, ok := ctx.Value(hookKey{}).(func(*exec.Cmd)); ok {
		return hook
	}
	return func(*exec.Cmd) {}
}
