package domain

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/conversionapi"
	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/libs/testkit/patience"
)

// burst is a Pages whose workers wait for a signal before they make a file.
type burst struct {
	*Pages
	t *testing.T
	// run is part of the keys, because objects outlive a run of the test.
	run   string
	begun chan string // the organization, when a worker begins
	end   chan struct{}
	made  atomic.Int32
}

// newBurst returns a burst. Each organization may have two requests in the queue, and five in
// all.
func newBurst(t *testing.T) *burst {
	t.Helper()
	a := newAlbum(t)
	b := &burst{t: t, run: rand.Text(), begun: make(chan string, 100), end: make(chan struct{}, 100)}
	b.Pages = NewPages(a.Service, func(ctx context.Context, who contract.Principal, r conversionapi.DeriveRequest) error {
		b.begun <- who.Organization
		<-b.end
		b.made.Add(1)
		return a.objects.Put(ctx, r.Key, strings.NewReader("x"), 1, "image/png")
	}, 2, 5)
	return b
}

// ask requests a page of an organization, and returns the outcome later.
func (b *burst) ask(ctx context.Context, organization string, page int) chan error {
	done := make(chan error, 1)
	go func() {
		_, err := b.ensure(ctx, contract.Principal{Organization: organization}, conversionapi.DeriveRequest{Key: fmt.Sprintf("derived/%s/doc_1/%s/%d", organization, b.run, page)})
		done <- err
	}()
	return done
}

// waits waits until so many requests of the organization wait or are in the queue.
func (b *burst) waits(organization string, n int) {
	b.t.Helper()
	patience.Until(b.t, fmt.Sprintf("%d requests of %s wait", n, organization), func() bool { return b.shares.Accepted(organization) == n })
}

// TestBurst has an organization request many new pages at once. Only its share is in the
// queue, so another organization is served meanwhile. Requests beyond the share are refused
// at once.
func TestBurst(t *testing.T) {
	b := newBurst(t)
	var all []chan error
	for page := range 5 {
		all = append(all, b.ask(t.Context(), "org_1", page))
	}
	b.waits("org_1", 5)
	for range 2 {
		patience.Receive(t, "the share is in the queue", b.begun)
	}
	var refused *problem.Error
	if err := patience.Receive(t, "one too many", b.ask(t.Context(), "org_1", 9)); !errors.As(err, &refused) || refused.Code != problem.Unavailable || refused.RetryAfter <= 0 {
		t.Errorf("one request too many: %v", err)
	}
	other := b.ask(t.Context(), "org_2", 1)
	if got := patience.Receive(t, "the next in the queue", b.begun); got != "org_2" {
		t.Errorf("the next in the queue is of %s", got)
	}
	for range 6 {
		b.end <- struct{}{}
	}
	for _, done := range append(all, other) {
		if err := patience.Receive(t, "a page is made", done); err != nil {
			t.Error(err)
		}
	}
	if b.made.Load() != 6 || b.shares.Accepted("org_1") > 0 || b.shares.Accepted("org_2") > 0 {
		t.Errorf("%d files were made, and some requests still count", b.made.Load())
	}
}

// TestBurstLeaves has callers leave: what they wait for stays in the queue and counts until
// it is made, and who waits before the queue is forgotten.
func TestBurstLeaves(t *testing.T) {
	b := newBurst(t)
	ctx, leave := context.WithCancel(t.Context())
	var all []chan error
	for page := range 2 {
		all = append(all, b.ask(ctx, "org_1", page))
		patience.Receive(t, "the request is in the queue", b.begun)
	}
	all = append(all, b.ask(ctx, "org_1", 2), b.ask(ctx, "org_1", 3))
	b.waits("org_1", 4)
	leave()
	for _, done := range all {
		if err := patience.Receive(t, "the caller leaves", done); !errors.Is(err, context.Canceled) {
			t.Errorf("a caller that left got %v", err)
		}
	}
	b.waits("org_1", 2)
	later := b.ask(t.Context(), "org_1", 0) // waits, and then finds the file
	b.waits("org_1", 3)
	b.end <- struct{}{}
	b.end <- struct{}{}
	if err := patience.Receive(t, "the page is there", later); err != nil {
		t.Error(err)
	}
	b.waits("org_1", 0)
	if b.made.Load() != 2 {
		t.Errorf("%d files were made, want 2", b.made.Load())
	}
}
