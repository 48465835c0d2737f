// Package storetest specifies idempotency.Store as a test suite. Every implementation runs
// it against its real database.
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

// Run runs the suite. Open returns an empty store that exists until the test ends.
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

// must ends the test if a step that it builds on has failed.
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

// claim returns the claim of a request that begins at the given time.
func claim(owner string, at time.Time) idempotency.Record {
	return idempotency.Record{
		Scope: idempotency.Scope{Organization: "org_1", Key: "key_1", Route: "POST /v2/documents", Value: "v 1"},
		Hash:  idempotency.Hash{1, 0, 255}, DocumentID: "doc_" + owner, CreatedAt: at, ExpiresAt: at.Add(ttl),
		Owner: owner, LeaseUntil: at.Add(lease),
	}
}

// check begins a request at the time now, and checks the record and the outcome.
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

// testScopes checks that each part of the scope distinguishes requests.
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

// testAnswer keeps a response, which only identical requests get.
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
	lost(t, "Finish of an answered record", s.Finish(t.Context(), a, []byte("{}")))
	lost(t, "Renew of an answered record", s.Renew(t.Context(), a, begin.Add(ttl)))
	lost(t, "Release of an answered record", s.Release(t.Context(), a))
	check(t, s, claim("b", begin), begin, idempotency.Answered, done)

	late := claim("c", begin.Add(ttl)) // expired, whether swept or not
	late.Hash = idempotency.Hash{2}
	check(t, s, late, late.CreatedAt, idempotency.First, late)
}

// testLease checks that no other request runs until the lease has expired.
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

// testTakeOver lets an identical request take over when the lease has expired. It keeps the
// start time and the document of the first.
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

	lost(t, "Renew by the previous owner", s.Renew(t.Context(), a, now.Add(ttl)))
	lost(t, "Finish by the previous owner", s.Finish(t.Context(), a, []byte("{}")))
	lost(t, "Release by the previous owner", s.Release(t.Context(), a))
	lost(t, "Remove by the previous owner", s.Remove(t.Context(), a))
	must(t, s.Finish(t.Context(), b, []byte(`"b"`)))
	b.Answer, b.LeaseUntil = []byte(`"b"`), time.Time{}
	check(t, s, claim("c", now), now, idempotency.Answered, b)
}

// testRelease releases a request before its lease has expired.
func testRelease(t *testing.T, s idempotency.Store) {
	a := claim("a", begin)
	check(t, s, a, begin, idempotency.First, a)
	must(t, s.Release(t.Context(), a))
	lost(t, "Renew of a released record", s.Renew(t.Context(), a, begin.Add(ttl)))
	lost(t, "Finish of a released record", s.Finish(t.Context(), a, []byte("{}")))
	b := a
	b.Owner, b.LeaseUntil = "b", begin.Add(time.Second+lease)
	check(t, s, claim("b", begin.Add(time.Second)), begin.Add(time.Second), idempotency.TakenOver, b)
	must(t, s.Release(t.Context(), b))
	other := claim("c", begin.Add(2*time.Second))
	other.Hash = idempotency.Hash{2}
	check(t, s, other, other.CreatedAt, idempotency.First, other)
	check(t, s, claim("d", other.CreatedAt), other.CreatedAt, idempotency.Conflict, other)
}

// testRemove removes running and answered records.
func testRemove(t *testing.T, s idempotency.Store) {
	a := claim("a", begin)
	lost(t, "Remove of a missing record", s.Remove(t.Context(), a))
	check(t, s, a, begin, idempotency.First, a)
	must(t, s.Remove(t.Context(), a))
	b := claim("b", begin)
	b.Hash = idempotency.Hash{2}
	check(t, s, b, begin, idempotency.First, b)
	must(t, s.Finish(t.Context(), b, []byte("{}")))
	must(t, s.Remove(t.Context(), b))
	check(t, s, a, begin, idempotency.First, a)
}

// testForgetDocument removes all records of a document, only within its organization.
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
	for range 2 { // repeating it does no harm
		must(t, s.ForgetDocument(ctx, "org_1", "doc_1"))
	}
	lost(t, "Finish of a removed record", s.Finish(ctx, all[0], []byte("{}")))
	for i, outcome := range []idempotency.Outcome{idempotency.First, idempotency.First, idempotency.Running} {
		check(t, s, all[i], begin, outcome, all[i])
	}
}

// testExpire removes expired records in batches, but no running ones.
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

// testBeginRace begins 16 identical requests concurrently: exactly one is the first.
func testBeginRace(t *testing.T, s idempotency.Store) {
	race(t, s, begin, map[idempotency.Outcome]int{idempotency.First: 1, idempotency.Running: 15})
}

// testTakeOverRace begins 16 identical requests concurrently after the lease has expired:
// exactly one takes over.
func testTakeOverRace(t *testing.T, s idempotency.Store) {
	a := claim("a", begin)
	check(t, s, a, begin, idempotency.First, a)
	race(t, s, begin.Add(lease), map[idempotency.Outcome]int{idempotency.TakenOver: 1, idempotency.Running: 15})
	got, _, err := s.Begin(t.Context(), a, begin.Add(lease))
	if err != nil || got.CreatedAt != a.CreatedAt || got.DocumentID != a.DocumentID || got.Owner == a.Owner {
		t.Errorf("after the race: %+v, %v", got, err)
	}
}

// testReplaceRace begins 16 requests concurrently after the record has expired: exactly one
// is the first.
func testReplaceRace(t *testing.T, s idempotency.Store) {
	a := claim("a", begin)
	check(t, s, a, begin, idempotency.First, a)
	must(t, s.Finish(t.Context(), a, []byte("{}")))
	race(t, s, begin.Add(ttl), map[idempotency.Outcome]int{idempotency.First: 1, idempotency.Running: 15})
}

// testExpireRace begins new requests while their expired records are removed: the records
// of the running requests stay.
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
		lost(t, "Renew of an expired record", s.Renew(t.Context(), old[i], now.Add(ttl)))
		if err := s.Renew(t.Context(), next, now.Add(ttl)); err != nil {
			t.Errorf("Renew of a running record: %v", err)
		}
	}
}

// race begins 16 requests concurrently and checks their outcomes.
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
