package picture

import (
	"context"
	"sync"

	"golang.org/x/sync/semaphore"
)

// memory bounds what images take that are checked at the same time, in bytes.
const memory = 64 << 20

// Checker checks images, with a bound on the memory that it takes for all of
// them together. Several goroutines may use it at once. The zero Checker is ready
// to use.
type Checker struct {
	once sync.Once
	free *semaphore.Weighted
}

// take waits until size bytes may be used, and returns what gives them back. The
// error is the cause of ctx.
func (c *Checker) take(ctx context.Context, size int64) (func(), error) {
	c.once.Do(func() { c.free = semaphore.NewWeighted(memory) })
	size = min(size, memory)
	if err := c.free.Acquire(ctx, size); err != nil {
		return nil, context.Cause(ctx)
	}
	return func() { c.free.Release(size) }, nil
}
