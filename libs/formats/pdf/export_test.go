package pdf

import "context"

// StartIn lets the processes that stand ready be started in ctx.
func (r *Reader) StartIn(ctx context.Context) {
	r.close()
	r.ctx, r.close = context.WithCancel(ctx)
}

// Bounded reports whether the memory of processes is bounded, which it is not while
// the race detector is in them.
func Bounded() bool {
	data, _ := bounds(1)
	return data == 1
}
