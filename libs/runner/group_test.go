package runner_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/rectohq/recto/libs/runner"
	"github.com/rectohq/recto/libs/testkit/patience"
)

func ready(context.Context) error { return nil }

func TestGroupStopsInReverseOrder(t *testing.T) {
	var g runner.Group
	var order []string
	for i := range 3 {
		name := fmt.Sprint("part", i)
		err := g.Start(t.Context(), name, func(ctx context.Context) error {
			<-ctx.Done()
			order = append(order, name) // one after another, otherwise the race detector reports it
			return nil
		}, ready)
		if err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := g.Wait(ctx); err != nil {
		t.Error(err)
	}
	if err := g.Stop(patience.Limit()); err != nil {
		t.Error(err)
	}
	if got := strings.Join(order, " "); got != "part2 part1 part0" {
		t.Errorf("the parts stopped in the order %s", got)
	}
}

func TestGroupFailures(t *testing.T) {
	failure := errors.New("broken")
	never := func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
	var g runner.Group
	if err := g.Start(t.Context(), "a", func(context.Context) error { return failure }, never); !errors.Is(err, failure) || !strings.HasPrefix(err.Error(), "a: ") {
		t.Errorf("a part that fails at start: %v", err)
	}
	var quits runner.Group
	if err := quits.Start(t.Context(), "b", func(context.Context) error { return nil }, never); err == nil || !strings.Contains(err.Error(), "ended unexpectedly") {
		t.Errorf("a part that ends at start: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	var slow runner.Group
	if err := slow.Start(ctx, "c", never, never); err == nil || !strings.Contains(err.Error(), "c is not ready") {
		t.Errorf("a part that does not become ready: %v", err)
	}
	if err := slow.Stop(patience.Limit()); err == nil { // run returned an error
		t.Error("the error of run is lost")
	}

	var later runner.Group
	fail := make(chan struct{})
	if err := later.Start(t.Context(), "d", func(context.Context) error { <-fail; return failure }, ready); err != nil {
		t.Fatal(err)
	}
	close(fail)
	if err := later.Wait(t.Context()); !errors.Is(err, failure) {
		t.Errorf("a part that fails later: %v", err)
	}
	if err := later.Stop(patience.Limit()); err != nil {
		t.Errorf("the failure is reported twice: %v", err)
	}

	var hangs runner.Group
	release := make(chan struct{})
	defer close(release)
	if err := hangs.Start(t.Context(), "e", func(context.Context) error { <-release; return nil }, ready); err != nil {
		t.Fatal(err)
	}
	if err := hangs.Stop(time.Millisecond); err == nil || !strings.Contains(err.Error(), "e did not stop") {
		t.Errorf("a part that hangs: %v", err)
	}
}
