package runner

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Group runs several parts in one process: they start in order, each when the
// one before it is ready, and end in the opposite order. The zero Group is
// empty and ready to use. It is used by one goroutine.
type Group struct {
	parts  []*part
	failed chan error
}

// part is one running service of a Group.
type part struct {
	name   string
	cancel context.CancelFunc
	done   chan error
}

// Start calls run in a goroutine and returns when ready does. It returns the
// error of whichever fails. The context of run does not end with ctx but when
// its turn comes in Stop; it carries the values of ctx.
func (g *Group) Start(ctx context.Context, name string, run func(context.Context) error, ready func(context.Context) error) error {
	if g.failed == nil {
		g.failed = make(chan error, 1)
	}
	own, cancel := context.WithCancel(context.WithoutCancel(ctx))
	p := &part{name: name, cancel: cancel, done: make(chan error, 1)}
	g.parts = append(g.parts, p)
	waiting, stopWaiting := context.WithCancel(ctx)
	defer stopWaiting()
	go func() {
		err := run(own)
		if err == nil && own.Err() == nil {
			err = errors.New("ended by itself")
		}
		if err != nil {
			err = fmt.Errorf("%s: %w", name, err)
		}
		if own.Err() != nil {
			p.done <- err // Stop reports it
			return
		}
		p.done <- nil
		select {
		case g.failed <- err: // Start or Wait reports it
		default: // one failure is enough
		}
		stopWaiting()
	}()
	if err := ready(waiting); err != nil {
		select {
		case failure := <-g.failed:
			return failure
		default:
			return fmt.Errorf("%s is not ready: %w", name, err)
		}
	}
	return nil
}

// Wait returns nil when ctx ends, or the error of a part that ends before.
func (g *Group) Wait(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return nil
	case err := <-g.failed:
		return err
	}
}

// Stop ends the parts, the last one first, each when the one after it is done.
// Each has the time grace for it; what takes longer is reported and left.
func (g *Group) Stop(grace time.Duration) error {
	var errs []error
	for _, p := range slices.Backward(g.parts) {
		p.cancel()
		select {
		case err := <-p.done:
			errs = append(errs, err)
		case <-time.After(grace):
			errs = append(errs, fmt.Errorf("%s did not end within %s", p.name, grace))
		}
	}
	g.parts = nil
	return errors.Join(errs...)
}
