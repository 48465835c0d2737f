package jobrun_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rectohq/recto/libs/jobservice/jobrun"
	"github.com/rectohq/recto/libs/telemetry"
)

// TestWarmUp has the preparation fail at first. A worker tries again and is not ready
// until then; other instances are ready anyway, and do not try again.
func TestWarmUp(t *testing.T) {
	for role, tries := range map[jobrun.Role]int{jobrun.All: 1, jobrun.Worker: 2} {
		synctest.Test(t, func(t *testing.T) {
			tel, err := telemetry.New(t.Context(), "test", telemetry.Config{}, io.Discard)
			if err != nil {
				t.Fatal(err)
			}
			tel.Health.Part("test").Up()
			ready := func(want bool, why string) {
				t.Helper()
				states, got := tel.Health.Ready(t.Context())
				if got != want || !strings.Contains(states["pdf"], why) {
					t.Errorf("the role %s is ready: %v, %v", role, got, states)
				}
			}
			var background sync.WaitGroup
			tried := 0
			role.WarmUp(t.Context(), &background, "pdf", tel, func(context.Context) error {
				time.Sleep(time.Second)
				if tried++; tried == 1 {
					return errors.New("no memory")
				}
				return nil
			})
			worker := role == jobrun.Worker
			if worker {
				ready(false, "starting")
			}
			time.Sleep(time.Second)
			synctest.Wait()
			if worker {
				ready(false, "no memory")
			}
			background.Wait()
			ready(true, "")
			if tried != tries {
				t.Errorf("the role %s tried %d times, want %d", role, tried, tries)
			}
		})
	}
}

// TestWarmUpEnds ends an instance whose preparation keeps failing.
func TestWarmUpEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tel, err := telemetry.New(t.Context(), "test", telemetry.Config{}, io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithTimeout(t.Context(), time.Hour)
		defer stop()
		var background sync.WaitGroup
		jobrun.Worker.WarmUp(ctx, &background, "pdf", tel, func(context.Context) error { return errors.New("no memory") })
		background.Wait()
		if _, ready := tel.Health.Ready(t.Context()); ready {
			t.Error("the worker is ready")
		}
	})
}
