// Package storetest is the specification of idempotency.Store as a test suite.
// Every implementation passes it against its real database.
package storetest

import (
	"errors"
	"fmt"
	"reflect"
	"sync"
	"testing"
	"time"

	"github.com/rectohq/recto/gateway/internal/idempotency"
)

// Run runs the suite. Open returns an empty store that lives as long as the
// test that it is given.
func Run(t *testing.T, open func(t *testing.T) idempotency.Store) {
	for name, test := range map[string]func(*testing.T, idempotency.Store){
		"Scopes":         testScopes,
		"Answer":         testAnswer,
		"Lease":          testLease,
		"TakeOver":       testTakeOver,
		"Release":        testRelease,
		"Remove":         testRemove,
		"ForgetDocument": testForgetDocument,
		"Expire":         testExpire,
		"BeginRace":      testBeginRace,
		"TakeOverRace":   testTakeOverRace,
		"ReplaceRace":    testReplaceRace,
		"ExpireRace":     testExpireRace,
	} {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
}

// must ends the test at an error of what it builds on.
func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

const (
	lease = 10 * time.Second
	ttl   = 24 * time.Hour
)

var begin = time.UnixMilli(1_700_000_000_000).UTC()

// claim returns the claim of a request that begins at a time.
func claim(owner string, at time.Time) idempotency.Record {
	return idempotency.Record{
		Scope: idempotency.Scope{Organization: "org_1", Key: "key_1", Route: "POST /v2/documents", Value: "v 1"},
		Hash:  idempotency.Hash{1, 0, 255}, DocumentID: "doc_" + owner, CreatedAt: at, ExpiresAt: at.Add(ttl),
		Owner: owner, LeaseUntil: at.Add(lease),
	}
}

// check begins a request at a time and fails unless it finds the record and has
// the outcome that are wanted.
func check(t *testing.T, s idempotency.Store, c idempotency.Record, now time.Time, outcome idempotency.Outcome, want idempotency.Record) {
	t.Helper()
	got, o, err := s.Begin(t.Context(), c, now)
	if err != nil || o != outcome || !reflect.DeepEqual(got, want) {
		t.Errorf("Begin = %+v, %s, %v\nwant %+v, %s", got, o, err, want, outcome)
	}
}

// lost fails unless err is ErrLost.
func lost(t *testing.T, what string, err error) {
	t.Helper()
	if !errors.Is(err, idempotency.ErrLost) {
		t.Errorf("%s: got %v, want ErrLost", what, err)
	}
}

// testScopes tells requests apart by each part of their scope.
func testScopes(t *testing.T, s idempotency.Store) {
	a := claim("a", begin)
	check(t, s, a, begin, idempotency.First, a)
	for name, change := range map[string]func(*idempotency.Record){
		"organization": func(r *idempotency.Record) { r.Organization = "org_2" },
		"key":          func(r *idempotency.Record) { r.Key = "key_2" },
		"route":        func(r *idempotency.Record) { r.Route = "POST /v2/documents/:document_id/convert" },
		"value":        func(r *idempotency.Record) { r.Value = "V 1" },
	} {
		other := claim(name, begin)
		change(&other)
		check(t, s, other, begin, idempotency.First, other)
	}
	check(t, s, claim("b", begin), begin, idempotency.Running, a)
}

// testAnswer keeps an answer, for identical requests alone.
func testAnswer(t *testing.T, s idempotency.Store) {
	a := claim("a", begin)
	check(t, s, a, begin, idempotency.First, a)
	answer := []byte(`{"id":"doc_a"}`)
	must(t, s.Finish(t.Context(), a, answer))
	done := a
	done.Answer, done.LeaseUntil = answer, time.Time{}
	for _, now := range []time.Time{begin, begin.Add(2 * lease), begin.Add(ttl - time.Millisecond)} {
		check(t, s, claim("b", now), now, idempotency.Answered, done)
		other := claim("b", now)
		other.Hash = idempotency.Hash{2}
		check(t, s, other, now, idempotency.Conflict, done)
	}
	lost(t, "a second answer", s.Finish(t.Context(), a, []byte("{}")))
	lost(t, "the lease of what is answered", s.Renew(t.Context(), a, begin.Add(ttl)))
	lost(t, "the end of what is answered", s.Release(t.Context(), a))
	check(t, s, claim("b", begin), begin, idempotency.Answered, done)

	late := claim("c", begin.Add(ttl)) // forgotten, swept or not
	late.Hash = idempotency.Hash{2}
	check(t, s, late, late.CreatedAt, idempotency.First, late)
}

// testLease lets nobody else run a request until its lease has ended.
func testLease(t *testing.T, s idempotency.Store) {
	a := claim("a", begin)
	check(t, s, a, begin, idempotency.First, a)
	soon := begin.Add(lease - time.Millisecond)
	check(t, s, claim("b", soon), soon, idempotency.Running, a)
	a.LeaseUntil = begin.Add(2 * lease)
	must(t, s.Renew(t.Context(), a, a.LeaseUntil))
	later := begin.Add(2*lease - time.Millisecond)
	check(t, s, claim("b", later), later, idempotency.Running, a)
	other := claim("b", later)
	other.Hash = idempotency.Hash{2}
	check(t, s, other, later, idempotency.Conflict, a)
	a.LeaseUntil = begin.Add(ttl + time.Hour) // a request outlives its record
	must(t, s.Renew(t.Context(), a, a.LeaseUntil))
	check(t, s, claim("b", later), begin.Add(ttl+time.Minute), idempotency.Running, a)
}

// testTakeOver lets an identical request go on where a lease has ended: it has
// the time and the document of the first.
func testTakeOver(t *testing.T, s idempotency.Store) {
	a := claim("a", begin)
	check(t, s, a, begin, idempotency.First, a)
	now := begin.Add(lease)
	other := claim("b", now)
	other.Hash = idempotency.Hash{2}
	check(t, s, other, now, idempotency.Conflict, a)
	b := a
	b.Owner, b.LeaseUntil = "b", now.Add(lease)
	check(t, s, claim("b", now), now, idempotency.TakenOver, b)
	check(t, s, claim("c", now), now, idempotency.Running, b)

	lost(t, "the lease of who has lost it", s.Renew(t.Context(), a, now.Add(ttl)))
	lost(t, "the answer of who has lost it", s.Finish(t.Context(), a, []byte("{}")))
	lost(t, "the end of who has lost it", s.Release(t.Context(), a))
	lost(t, "the removal by who has lost it", s.Remove(t.Context(), a))
	must(t, s.Finish(t.Context(), b, []byte(`"b"`)))
	b.Answer, b.LeaseUntil = []byte(`"b"`), time.Time{}
	check(t, s, claim("c", now), now, idempotency.Answered, b)
}

// testRelease gives a request back before its lease has ended.
func testRelease(t *testing.T, s idempotency.Store) {
	a := claim("a", begin)
	check(t, s, a, begin, idempotency.First, a)
	must(t, s.Release(t.Context(), a))
	lost(t, "the lease of what was released", s.Renew(t.Context(), a, begin.Add(ttl)))
	lost(t, "the answer of what was released", s.Finish(t.Context(), a, []byte("{}")))
	b := a
	b.Owner, b.LeaseUntil = "b", begin.Add(time.Second+lease)
	check(t, s, claim("b", begin.Add(time.Second)), begin.Add(time.Second), idempotency.TakenOver, b)
	must(t, s.Release(t.Context(), b))
	other := claim("c", begin.Add(2*time.Second))
	other.Hash = idempotency.Hash{2}
	check(t, s, other, other.CreatedAt, idempotency.First, other)
	check(t, s, claim("d", other.CreatedAt), other.CreatedAt, idempotency.Conflict, other)
}

// testRemove removes records, running and answered.
func testRemove(t *testing.T, s idempotency.Store) {
	a := claim("a", begin)
	lost(t, "a record that is not there", s.Remove(t.Context(), a))
	check(t, s, a, begin, idempotency.First, a)
	must(t, s.Remove(t.Context(), a))
	b := claim("b", begin)
	b.Hash = idempotency.Hash{2}
	check(t, s, b, begin, idempotency.First, b)
	must(t, s.Finish(t.Context(), b, []byte("{}")))
	must(t, s.Remove(t.Context(), b))
	check(t, s, a, begin, idempotency.First, a)
}

// testForgetDocument removes all records of a document, within its organization
// alone.
func testForgetDocument(t *testing.T, s idempotency.Store) {
	ctx := t.Context()
	var all []idempotency.Record
	for i, documentID := range []string{"doc_1", "doc_1", "doc_2"} {
		r := claim("a", begin)
		r.Value, r.DocumentID = fmt.Sprint(i), documentID
		check(t, s, r, begin, idempotency.First, r)
		all = append(all, r)
	}
	must(t, s.Finish(ctx, all[1], []byte("{}")))
	must(t, s.ForgetDocument(ctx, "org_2", "doc_1"))
	check(t, s, all[0], begin, idempotency.Running, all[0])
	for range 2 { // once more does no harm
		must(t, s.ForgetDocument(ctx, "org_1", "doc_1"))
	}
	lost(t, "the answer of what is forgotten", s.Finish(ctx, all[0], []byte("{}")))
	for i, outcome := range []idempotency.Outcome{idempotency.First, idempotency.First, idempotency.Running} {
		check(t, s, all[i], begin, outcome, all[i])
	}
}

// testExpire removes what has expired, so many at a time, and nothing that runs.
func testExpire(t *testing.T, s idempotency.Store) {
	ctx := t.Context()
	var all []idempotency.Record
	for i := range 7 {
		r := claim("a", begin.Add(time.Duration(i)*time.Minute))
		r.Value = fmt.Sprint(i)
		check(t, s, r, r.CreatedAt, idempotency.First, r)
		all = append(all, r)
	}
	must(t, s.Finish(ctx, all[0], []byte("{}")))
	must(t, s.Renew(ctx, all[1], begin.Add(2*ttl)))
	now := begin.Add(ttl + 4*time.Minute)
	for _, want := range []int{3, 1, 0} {
		if n, err := s.Expire(ctx, now, 3); err != nil || n != want {
			t.Errorf("Expire = %d, %v; want %d", n, err, want)
		}
	}
	for i, there := range []bool{false, true, false, false, false, true, true} {
		if err := s.Remove(ctx, all[i]); (err == nil) != there {
			t.Errorf("record %d after Expire: %v", i, err)
		}
	}
}

// testBeginRace lets 16 identical requests begin at once: one is the first.
func testBeginRace(t *testing.T, s idempotency.Store) {
	race(t, s, begin, map[idempotency.Outcome]int{idempotency.First: 1, idempotency.Running: 15})
}

// testTakeOverRace lets 16 identical requests find a lease that has ended: one
// goes on.
func testTakeOverRace(t *testing.T, s idempotency.Store) {
	a := claim("a", begin)
	check(t, s, a, begin, idempotency.First, a)
	race(t, s, begin.Add(lease), map[idempotency.Outcome]int{idempotency.TakenOver: 1, idempotency.Running: 15})
	got, _, err := s.Begin(t.Context(), a, begin.Add(lease))
	if err != nil || got.CreatedAt != a.CreatedAt || got.DocumentID != a.DocumentID || got.Owner == a.Owner {
		t.Errorf("after the race: %+v, %v", got, err)
	}
}

// testReplaceRace lets 16 requests find a record that has expired: one is the
// first.
func testReplaceRace(t *testing.T, s idempotency.Store) {
	a := claim("a", begin)
	check(t, s, a, begin, idempotency.First, a)
	must(t, s.Finish(t.Context(), a, []byte("{}")))
	race(t, s, begin.Add(ttl), map[idempotency.Outcome]int{idempotency.First: 1, idempotency.Running: 15})
}

// testExpireRace begins requests anew while the records of before are removed:
// those of the requests that run stay.
func testExpireRace(t *testing.T, s idempotency.Store) {
	now := begin.Add(ttl)
	var old, all []idempotency.Record
	for i := range 32 {
		r := claim("a", begin)
		r.Value = fmt.Sprint(i)
		check(t, s, r, begin, idempotency.First, r)
		next := claim("b", now)
		next.Value = r.Value
		old, all = append(old, r), append(all, next)
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range all {
				if _, err := s.Expire(t.Context(), now, 3); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for _, next := range all {
		wg.Go(func() { check(t, s, next, now, idempotency.First, next) })
	}
	wg.Wait()
	for i, next := range all {
		lost(t, "the lease of what has expired", s.Renew(t.Context(), old[i], now.Add(ttl)))
		if err := s.Renew(t.Context(), next, now.Add(ttl)); err != nil {
			t.Errorf("the lease of a request that runs: %v", err)
		}
	}
}

// race begins 16 requests at a time and counts their outcomes.
func race(t *testing.T, s idempotency.Store, at time.Time, want map[idempotency.Outcome]int) {
	t.Helper()
	var wg sync.WaitGroup
	var mu sync.Mutex
	got := map[idempotency.Outcome]int{}
	owners := map[string]bool{}
	for n := range 16 {
		wg.Go(func() {
			r, outcome, err := s.Begin(t.Context(), claim(fmt.Sprint(n), at), at)
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			got[outcome]++
			owners[r.Owner] = true
		})
	}
	wg.Wait()
	if !reflect.DeepEqual(got, want) || len(owners) != 1 {
		t.Errorf("the outcomes are %v, want %v; the owners are %v", got, want, owners)
	}
}
