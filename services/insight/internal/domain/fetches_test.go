package domain_test

import (
	"context"
	"errors"
	"io"
	"sync"
	"testing"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/services/insight/internal/domain"
)

var errSlow = errors.New("it was slow")

// TestFetchesOfOneLeaveRoom fetches slow URLs for one organization: a limited number run,
// some wait, further ones get a retryable error, and other organizations are not delayed.
func TestFetchesOfOneLeaveRoom(t *testing.T) {
	const running, all = 8, 32
	s, _, _ := newService(t, jobs{}, engine{1}, t.TempDir())
	begun, goOn := make(chan struct{}, all), make(chan struct{})
	s.Fetch = func(_ context.Context, address string, to io.Writer) (domain.Fetched, error) {
		if address == "slow" {
			begun <- struct{}{}
			<-goOn
			return domain.Fetched{}, errSlow
		}
		_, err := to.Write([]byte("x"))
		return domain.Fetched{}, err
	}
	ask := func(ctx context.Context, organization, address string) error {
		p := principal
		p.Organization = organization
		_, err := s.Begin(ctx, p, insightapi.CreateRequest{Source: insightapi.URL, Value: address, Insights: text.Insights})
		return err
	}
	gone, leave := context.WithCancel(t.Context())
	var asking, leaving sync.WaitGroup
	for range running {
		asking.Go(func() {
			if err := ask(t.Context(), "org_1", "slow"); !errors.Is(err, errSlow) {
				t.Errorf("got %v", err)
			}
		})
	}
	for range running {
		<-begun
	}
	refused := make(chan struct{}, all)
	for range all - running + 1 {
		leaving.Go(func() {
			if err := ask(gone, "org_1", "fast"); !problem.Is(err, problem.Unavailable) {
				t.Errorf("got %v", err)
			}
			if gone.Err() == nil {
				refused <- struct{}{}
			}
		})
	}
	<-refused // by then all others wait
	if err := ask(t.Context(), "org_2", "fast"); err != nil {
		t.Errorf("another organization got %v", err)
	}
	leave()
	leaving.Wait()
	if n := len(refused); n > 0 {
		t.Errorf("%d more were refused", n)
	}
	close(goOn)
	asking.Wait()
	if err := ask(t.Context(), "org_1", "fast"); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}
