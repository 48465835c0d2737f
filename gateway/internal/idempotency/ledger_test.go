package idempotency_test

import (
	"errors"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rectohq/recto/gateway/internal/idempotency"
	"github.com/rectohq/recto/gateway/internal/idempotency/sqlitestore"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/telemetry"
)

var (
	cfg   = idempotency.Config{TTL: 24 * time.Hour, Lease: 10 * time.Second}
	scope = idempotency.Scope{Organization: "org_1", Key: "key_1", Route: "POST /v2/documents", Value: "v"}
	hash  = idempotency.Hash{1}
)

// open returns a ledger and its store.
func open(t *testing.T) (*idempotency.Ledger, idempotency.Store) {
	t.Helper()
	store, err := sqlitestore.Open(t.Context(), filepath.Join(t.TempDir(), "idempotency.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return idempotency.New(store, cfg, telemetry.Discard()), store
}

// begin begins the request and checks its outcome.
func begin(t *testing.T, l *idempotency.Ledger, want idempotency.Outcome) idempotency.Record {
	t.Helper()
	r, outcome, err := l.Begin(t.Context(), scope, hash, "")
	if err != nil || outcome != want {
		t.Fatalf("Begin = %s, %v; want %s", outcome, err, want)
	}
	return r
}

// TestDerivedIDs checks that repeated requests get the same ids and tokens, and different
// requests get different ones.
func TestDerivedIDs(t *testing.T) {
	l, _ := open(t)
	first := begin(t, l, idempotency.First)
	if err := l.Release(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	again := begin(t, l, idempotency.TakenOver)
	if again.DocumentID != first.DocumentID || again.Token() != first.Token() || len(first.DocumentID) != len("doc_01h455vb4pex5vsknk084sn02q") {
		t.Errorf("a repeated request has the ids %s, %s; want %s, %s", again.DocumentID, again.Token(), first.DocumentID, first.Token())
	}
	for name, change := range map[string]func(*idempotency.Record){
		"another header": func(r *idempotency.Record) { r.Value = "w" },
		"another key":    func(r *idempotency.Record) { r.Key = "key_2" },
		"another body":   func(r *idempotency.Record) { r.Hash = idempotency.Hash{2} },
		"another time":   func(r *idempotency.Record) { r.CreatedAt = r.CreatedAt.Add(time.Millisecond) },
	} {
		other := first
		if change(&other); other.Token() == first.Token() {
			t.Errorf("with %s the token is the same", name)
		}
	}
	if token := (idempotency.Record{}).Token(); token != "" {
		t.Errorf("without a record the token is %q", token)
	}
	if r, _, err := l.Begin(t.Context(), idempotency.Scope{Organization: "org_2"}, hash, "doc_1"); err != nil || r.DocumentID != "doc_1" {
		t.Errorf("a request about doc_1 is about %s, %v", r.DocumentID, err)
	}
}

// TestHold runs a request for much longer than its lease.
func TestHold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, _ := open(t)
		r := begin(t, l, idempotency.First)
		l.Hold(t.Context(), r, func() {
			for range 20 {
				time.Sleep(7 * time.Second)
				begin(t, l, idempotency.Running)
			}
		})
		if err := l.Finish(t.Context(), r, []byte("1")); err != nil {
			t.Error(err)
		}
		if got := begin(t, l, idempotency.Answered); string(got.Answer) != "1" {
			t.Errorf("the answer is %s", got.Answer)
		}
	})
}

// TestHoldIsLost lets another owner take over a request whose lease has expired.
func TestHoldIsLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, _ := open(t)
		r := begin(t, l, idempotency.First)
		time.Sleep(cfg.Lease)
		other := begin(t, l, idempotency.TakenOver)
		l.Hold(t.Context(), r, func() { time.Sleep(2 * cfg.Lease) }) // it tries to renew a lease that it has lost
		if err := l.Finish(t.Context(), r, []byte("1")); !errors.Is(err, idempotency.ErrLost) {
			t.Errorf("the answer of the first owner: %v", err)
		}
		if err := l.Finish(t.Context(), other, []byte("2")); err != nil {
			t.Error(err)
		}
	})
}

// TestSweep checks that a record is removed after it has expired, and not before.
func TestSweep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, store := open(t)
		go l.Sweep(t.Context())
		r := begin(t, l, idempotency.First)
		if err := l.Finish(t.Context(), r, []byte("1")); err != nil {
			t.Fatal(err)
		}
		time.Sleep(cfg.TTL - time.Second)
		begin(t, l, idempotency.Answered)
		time.Sleep(2 * time.Minute)
		if err := store.Remove(t.Context(), r); !errors.Is(err, idempotency.ErrLost) {
			t.Errorf("the expired record: %v", err)
		}
	})
}

func TestForget(t *testing.T) {
	l, _ := open(t)
	r := begin(t, l, idempotency.First)
	purged := contract.Event{Type: documentapi.EventPurged, Organization: "org_1", Subject: r.DocumentID}
	for range 2 { // events can be delivered more than once
		if err := l.Forget(t.Context(), purged); err != nil {
			t.Fatal(err)
		}
	}
	begin(t, l, idempotency.First)
}

func TestConfigRefusals(t *testing.T) {
	for name, c := range map[string]idempotency.Config{
		"no lease": {TTL: time.Hour}, "a lease longer than the record": {TTL: time.Second, Lease: time.Minute},
	} {
		if len(c.Validate()) != 1 {
			t.Errorf("%s: Validate returned no error", name)
		}
	}
	if problems := cfg.Validate(); len(problems) > 0 {
		t.Error(problems)
	}
}
