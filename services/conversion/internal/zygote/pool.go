package zygote

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rectohq/recto/libs/sandbox"
	"github.com/rectohq/recto/services/conversion/internal/domain"
	"github.com/rectohq/recto/services/conversion/internal/libreoffice"
)

// Counts counts what a Pool and its Engine did. It is safe for concurrent use.
type Counts struct {
	// Warm and Cold count attempts to convert a document in a copy of a zygote, and in a
	// new process.
	Warm, Cold atomic.Int64
	// Started counts zygotes that became ready, and Lost those that ended unasked.
	Started, Lost atomic.Int64
	// CPU is the CPU time of all copies in nanoseconds, Peak the most memory that a copy
	// used, in bytes.
	CPU, Peak atomic.Int64
}

// Pool keeps a number of zygotes ready, and replaces those that end.
type Pool struct {
	program string
	size    int
	cold    *libreoffice.Engine
	scratch domain.Scratch
	log     *slog.Logger
	counts  Counts

	mu   sync.Mutex
	idle []*process // zygotes that wait for a document
}

// NewPool returns a Pool of size zygotes. The error is ErrUnavailable if there can be
// none. Run starts them.
func NewPool(cfg Config, size int, cold *libreoffice.Engine, scratch domain.Scratch, log *slog.Logger) (*Pool, error) {
	program, err := cfg.find()
	if err != nil {
		return nil, err
	}
	library := filepath.Join(cold.Program(), "libmergedlo.so")
	if _, err := os.Stat(library); err != nil {
		return nil, fmt.Errorf("%w: this LibreOffice has no LibreOfficeKit: %w", ErrUnavailable, err)
	}
	inner, err := sandbox.NewInner(sandbox.Policy{})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	inner.Ruleset.Close()
	return &Pool{program: program, size: size, cold: cold, scratch: scratch, log: log}, nil
}

// Counts returns what the pool counted.
func (p *Pool) Counts() *Counts { return &p.counts }

// Ready returns how many zygotes wait for a document.
func (p *Pool) Ready() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.idle)
}

// Run keeps the zygotes running until ctx ends, and returns when all have ended. It calls
// started after each attempt to start one, with the error if that failed. Calls may be
// concurrent.
func (p *Pool) Run(ctx context.Context, started func(error)) {
	var keepers sync.WaitGroup
	for range p.size {
		keepers.Go(func() { p.keep(ctx, started) })
	}
	keepers.Wait()
}

// Try starts a zygote and ends it again. It returns what it takes to be ready.
func (p *Pool) Try(ctx context.Context) (time.Duration, error) {
	begin := time.Now()
	z, err := p.start(ctx)
	if err != nil {
		return 0, err
	}
	took := time.Since(begin)
	z.close()
	<-z.ended
	return took, nil
}

// Bounds of the wait before a zygote that did not start is started again.
const (
	leastWait = time.Second
	mostWait  = 5 * time.Minute
)

// keep keeps one zygote running until ctx ends.
func (p *Pool) keep(ctx context.Context, started func(error)) {
	wait := leastWait
	for ctx.Err() == nil {
		z, err := p.start(ctx)
		if err != nil {
			if ctx.Err() == nil {
				started(err)
				p.log.Warn("a warm LibreOffice does not start; documents are converted by new processes", "error", err, "again_after", wait.String())
			}
			select {
			case <-ctx.Done():
			case <-time.After(wait):
			}
			wait = min(2*wait, mostWait)
			continue
		}
		wait = leastWait
		p.counts.Started.Add(1)
		p.put(z)
		started(nil)
		<-z.ended
		p.drop(z)
		if !z.retired && ctx.Err() == nil {
			p.counts.Lost.Add(1)
		}
	}
}

// put makes a zygote wait for a document, unless it has ended: drop may have come before.
func (p *Pool) put(z *process) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !z.hasEnded() {
		p.idle = append(p.idle, z)
	}
}

// drop removes a zygote that has ended.
func (p *Pool) drop(z *process) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle = slices.DeleteFunc(p.idle, func(other *process) bool { return other == z })
}

// take returns a zygote that is ready, or nil. The caller releases it.
func (p *Pool) take() *process {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.idle) == 0 {
		return nil
	}
	z := p.idle[0]
	p.idle = p.idle[1:]
	return z
}

// release returns a zygote, or ends it if it should be replaced.
func (p *Pool) release(z *process) {
	switch {
	case z.broken:
		z.close()
	case z.spent():
		z.retired = true
		z.close()
	default:
		p.put(z)
	}
}

// record adds the end of a copy to the counts.
func (p *Pool) record(e ending) {
	p.counts.CPU.Add(int64(e.cpu))
	for {
		peak := p.counts.Peak.Load()
		if e.peak <= peak || p.counts.Peak.CompareAndSwap(peak, e.peak) {
			return
		}
	}
}
