package confine

import (
	"context"
	"os/exec"
)

type hookKey struct{}

// WithHook returns a context with a hook that changes the commands of a Sandbox before
// they start. It is for package sandboxtest.
func WithHook(ctx context.Context, hook func(*exec.Cmd)) context.Context {
	return context.WithValue(ctx, hookKey{}, hook)
}

// Hook returns the hook of ctx, or one that does nothing.
func Hook(ctx context.Context) func(*exec.Cmd) {
	if hook, ok := ctx.Value(hookKey{}).(func(*exec.Cmd)); ok {
		return hook
	}
	return func(*exec.Cmd) {}
}
