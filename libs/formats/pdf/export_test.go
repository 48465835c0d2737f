package pdf

import (
	"context"
	"time"
)

// StartIn sets the context in which idle processes are started.
func (r *Reader) StartIn(ctx context.Context) {
	r.close()
	r.ctx, r.close = context.WithCancel(ctx)
}

// Idle returns the ids of the idle processes that have read a file, each with its owner.
func (r *Reader) Idle() map[int]string {
	r.used.mu.Lock()
	defer r.used.mu.Unlock()
	owners := make(map[int]string)
	for _, i := range r.used.idle {
		owners[i.cmd.Process.Pid] = i.owner
	}
	return owners
}

// WaitForUsed sets how long a process that has read a file may take to get ready for the next.
func (r *Reader) WaitForUsed(d time.Duration) { r.used.again = d }

// EndIdleAfter sets how long a process is idle before it ends.
func (r *Reader) EndIdleAfter(d time.Duration) { r.used.wait = d }

// MaxFiles and MaxReused are the limits on the reuse of processes.
const (
	MaxFiles  = maxFiles
	MaxReused = maxReused
)

// Bounded reports whether the memory of processes is bounded. It is not with the race
// detector.
func Bounded() bool {
	data, _ := bounds(1)
	return data == 1
}

// Functions of the external tests of this package. Compiled returns the folder of the compiled
// PDFium, which all tests share. ManyPages, FormFile and
// Agreement make files.
var (
	Compiled  func() string
	ManyPages func(n int) []byte
	FormFile  func() []byte
	Agreement func(pages int) []byte
)
