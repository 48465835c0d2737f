package runner

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Group runs several parts in one process. They start in order, each when the one before
// is ready, and stop in reverse order. The zero Group is empty and ready to use. It is
// not safe for concurrent use.
type Group struct {
	parts  []*part
	failed chan error
}

// part is one running part of a Group.
type part struct {
	name   string
	cancel context.CancelFunc
	done   chan error
}

// Start calls run in a goroutine and returns when ready returns. It returns the error of
// whichever fails first. The context of run carries the values of ctx, but is canceled by
// Stop rather than with ctx.
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
			err = errors.New("ended unexpectedly")
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

// Wait returns nil when ctx ends, or the error of a part that ends before that.
func (g *Group) Wait(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return nil
	case err := <-g.failed:
		return err
	}
}

// Stop stops the parts in reverse order, each after the one before it has stopped. Each
// part has the duration grace to stop; a part that takes longer is reported and
// abandoned.
func (g *Group) Stop(grace time.Duration) error {
	var errs []error
	for _, p := range slices.Backward(g.parts) {
		p.cancel()
		select {
		case err := <-p.done:
			errs = append(errs, err)
		case <-time.After(grace):
			errs = append(errs, fmt.Errorf("%s did not stop within %s", p.name, grace))
		}
	}
	g.parts = nil
	return errors.Join(errs...)
}
