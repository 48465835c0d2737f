package ledger_test

import (
	"context"
	"errors"
	"reflect"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/services/insight/internal/llm/ledger"
)

// TestPace waits for the next minute when the tokens of a minute are used up. They are
// those of all organizations together.
func TestPace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := openNew(t)
		l := ledger.New(store, limits(0, 100), time.Now)
		begin := time.Now().Truncate(time.Minute)
		time.Sleep(20 * time.Second)
		reserve(t, l, organization, 60)
		settled := reserve(t, l, "org_2", 40)
		settle(t, settled, insightapi.Tokens{InputTokens: 10}) // 30 are free again
		reserve(t, l, organization, 30)
		if took := time.Since(begin); took != 20*time.Second {
			t.Errorf("there was room in the minute, but it took %s", took)
		}
		late := reserve(t, l, organization, 10)
		if took := time.Since(begin); took != time.Minute {
			t.Errorf("the next reservation was made after %s, want a minute", took)
		}
		reserve(t, l, organization, 100) // 10 are reserved in this minute
		if took := time.Since(begin); took != 2*time.Minute {
			t.Errorf("the last reservation was made after %s, want two minutes", took)
		}
		settle(t, late, insightapi.Tokens{InputTokens: 1}) // its minute has passed
		counts(t, store, "", "2000-01-01T00:00Z", 10, 90)
		counts(t, store, "", "2000-01-01T00:01Z", 0, 10)
		counts(t, store, "", "2000-01-01T00:02Z", 0, 100)
		counts(t, store, organization, "2000-01-01", 1, 190)
		expire(t, store)
	})
}

// expire shows that accounts of minutes expire after minutes, and those of days do not.
func expire(t *testing.T, store interface {
	Expire(ctx context.Context, before int64, limit int) (int, error)
}) {
	t.Helper()
	for _, step := range []struct {
		after time.Duration
		want  int
	}{{5 * time.Minute, 0}, {15 * time.Minute, 3}, {399 * 24 * time.Hour, 0}, {401 * 24 * time.Hour, 2}} {
		n, err := store.Expire(t.Context(), time.Now().Add(step.after).UnixMilli(), 10)
		if n != step.want || err != nil {
			t.Errorf("after %s, %d records expire, %v; want %d", step.after, n, err, step.want)
		}
	}
}

// TestPaceEnds shows that Reserve does not wait if its context ends before the next
// minute, that it stops when its context is canceled, and that neither leaves a
// reservation.
func TestPaceEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := openNew(t)
		l := ledger.New(store, limits(0, 100), time.Now)
		begin := time.Now()
		reserve(t, l, organization, 100)
		time.Sleep(15 * time.Second)
		ctx, cancel := context.WithTimeout(t.Context(), 45*time.Second)
		defer cancel()
		var pace *ledger.PaceError
		if _, err := l.Reserve(ctx, organization, 1); !errors.As(err, &pace) || pace.After != 45*time.Second {
			t.Errorf("got %v, want a PaceError of 45 s", err)
		}
		if took := time.Since(begin); took != 15*time.Second {
			t.Errorf("it waited until %s", took)
		}
		ctx, cancel = context.WithTimeout(t.Context(), 46*time.Second)
		defer cancel()
		time.AfterFunc(time.Second, cancel)
		if _, err := l.Reserve(ctx, organization, 1); !errors.Is(err, context.Canceled) {
			t.Errorf("canceled: %v", err)
		}
		if _, err := l.Reserve(t.Context(), organization, 101); !errors.As(err, new(*ledger.ExceededError)) {
			t.Errorf("more than the limit: %v", err)
		}
		if took := time.Since(begin); took != 16*time.Second {
			t.Errorf("it waited until %s", took)
		}
		counts(t, store, organization, "2000-01-01", 0, 100)
	})
}

// TestNoPace shows that no store access is made for a limit per minute that is not set.
func TestNoPace(t *testing.T) {
	t.Parallel()
	store := &spy{Store: openNew(t), reads: map[string]int{}}
	settle(t, reserve(t, ledger.New(store, limits(100, 0), noon().now), organization, 1), insightapi.Tokens{})
	if want := map[string]int{organization: 2}; !reflect.DeepEqual(store.reads, want) {
		t.Errorf("accounts were read: %v, want %v", store.reads, want)
	}
}
