package picture

import (
	"context"
	"sync"

	"golang.org/x/sync/semaphore"
)

// memory bounds the total memory for images that are checked concurrently, in bytes.
const memory = 64 << 20

// Checker checks images and bounds the total memory that this takes. It is safe for
// concurrent use. The zero Checker is ready to use.
type Checker struct {
	once sync.Once
	free *semaphore.Weighted
}

// take waits until size bytes are available and returns a function that releases them.
// The error is the cause of ctx.
func (c *Checker) take(ctx context.Context, size int64) (func(), error) {
	c.once.Do(func() { c.free = semaphore.NewWeighted(memory) })
	size = min(size, memory)
	if err := c.free.Acquire(ctx, size); err != nil {
		return nil, context.Cause(ctx)
	}
	return func() { c.free.Release(size) }, nil
}
