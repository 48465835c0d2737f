package pdf

import (
	"context"
	"slices"
	"sync"
	"time"
)

const (
	// maxFiles is how many files a process reads. Its start then costs little for each.
	maxFiles = 16
	// maxReused bounds the size of files for which a process is used again, in bytes. For a
	// larger file the start of a process hardly counts, and a used one has less memory left.
	maxReused = 4 << 20
	// maxIdle is how long a used process waits for the next file. A person who turns pages
	// does so faster.
	maxIdle = 15 * time.Second
	// maxAgain bounds the wait for a process that is starting a new PDFium, which takes some
	// milliseconds. After it, another process is faster.
	maxAgain = 250 * time.Millisecond
)

// used keeps idle processes that have read a file, each for further files of the same owner.
type used struct {
	wait  time.Duration // before an idle process ends
	again time.Duration // within which it must be ready for the next file
	mu    sync.Mutex
	idle  []*idleProcess // the one that has waited longest comes first
}

type idleProcess struct {
	*process
	owner string
	timer *time.Timer // ends the process
}

// ownerKey is the key of the owner in a context.
type ownerKey struct{}

// WithOwner returns a copy of ctx that says who owns the files that are read under it, such as
// an organization. A process that has read a file of an owner may then read more files of the
// same owner, each with a new PDFium, which takes a fraction of the time that a new process
// takes. A process reads a single file if the context has no owner.
func WithOwner(ctx context.Context, owner string) context.Context {
	return context.WithValue(ctx, ownerKey{}, owner)
}

// OwnerOf returns the owner of the files that are read under ctx, "" if there is none.
func OwnerOf(ctx context.Context) string {
	owner, _ := ctx.Value(ownerKey{}).(string)
	return owner
}

// keep makes a process available for the next file of the owner. The caller still holds its turn.
func (u *used) keep(p *process, owner string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	i := &idleProcess{process: p, owner: owner}
	i.timer = time.AfterFunc(u.wait, func() { u.expire(i) })
	u.idle = append(u.idle, i)
}

// expire ends the process unless it is no longer idle. It holds the lock meanwhile, so that
// shrink waits for the end.
func (u *used) expire(i *idleProcess) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if at := slices.Index(u.idle, i); at >= 0 {
		u.idle = slices.Delete(u.idle, at, at+1)
		i.end()
	}
}

// take returns a process of the owner that is ready, or nil if there is none.
func (u *used) take(ctx context.Context, owner string) *process {
	for ctx.Err() == nil {
		i := u.last(owner)
		if i == nil {
			return nil
		}
		if i.awaitReady(ctx, u.again) == nil {
			return i.process
		}
		i.end()
	}
	return nil
}

// last removes the process of the owner that has waited least, and returns it.
func (u *used) last(owner string) *idleProcess {
	u.mu.Lock()
	defer u.mu.Unlock()
	for at, i := range slices.Backward(u.idle) {
		if i.owner == owner {
			i.timer.Stop()
			u.idle = slices.Delete(u.idle, at, at+1)
			return i
		}
	}
	return nil
}

// shrink ends those that have waited longest, until at most so many are left.
func (u *used) shrink(most int) {
	u.mu.Lock()
	surplus := max(0, len(u.idle)-most)
	ended := slices.Clone(u.idle[:surplus])
	u.idle = slices.Delete(u.idle, 0, surplus)
	u.mu.Unlock()
	for _, i := range ended {
		i.timer.Stop()
		i.end()
	}
}
