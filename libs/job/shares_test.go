package job

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
)

// TestShares fills the share of an organization. Other organizations are not affected, and
// nothing remains of requests that have ended.
func TestShares(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewShares(2, 3)
		acquire := func(ctx context.Context, organization string, waits bool) func() {
			t.Helper()
			waited, release, err := s.Acquire(ctx, organization)
			if err != nil || waited != waits {
				t.Fatalf("a request of %s: waited %v, %v", organization, waited, err)
			}
			return release
		}
		first, second := acquire(t.Context(), "org_1", false), acquire(t.Context(), "org_1", false)
		served := make(chan func())
		go func() { served <- acquire(t.Context(), "org_1", true) }()
		synctest.Wait()
		if _, _, err := s.Acquire(t.Context(), "org_1"); !errors.Is(err, ErrShareFull) || s.Accepted("org_1") != 3 {
			t.Errorf("a request too many: %v, with %d accepted", err, s.Accepted("org_1"))
		}
		acquire(t.Context(), "org_2", false)()
		first()
		third := <-served
		gone, leave := context.WithCancel(t.Context())
		left := make(chan error)
		go func() { _, _, err := s.Acquire(gone, "org_1"); left <- err }()
		synctest.Wait()
		leave()
		if err := <-left; !errors.Is(err, context.Canceled) || s.Accepted("org_1") != 2 {
			t.Errorf("a request that left: %v, with %d accepted", err, s.Accepted("org_1"))
		}
		second()
		third()
		if len(s.organizations) > 0 {
			t.Errorf("%d shares are left", len(s.organizations))
		}
	})
}
