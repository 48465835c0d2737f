// Package storetest is the specification of domain.Store, domain.Completions,
// domain.Fingerprints and ledger.Store as a test suite. Every implementation passes it against its real database.
package storetest

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/services/insight/internal/domain"
	"github.com/rectohq/recto/services/insight/internal/llm/ledger"
)

// Store is what the insight service stores in one database.
type Store interface {
	domain.Store
	domain.Completions
	domain.Fingerprints
	ledger.Store
}

// Run runs the suite. open returns an empty store, which it closes when its test ends.
func Run(t *testing.T, open func(t *testing.T) Store) {
	for name, test := range map[string]func(*testing.T, Store){
		"Keep":          testKeep,
		"Race":          testRace,
		"Organizations": testOrganizations,
		"Forget":        testForget,
		"Expire":        testExpire,
		"Large":         testLarge,
		"Cancelled":     testCancelled,

		"Completions":                testCompletions,
		"CompletionsForget":          testForgetCompletions,
		"CompletionsOfDocument":      testForgetWithCompletions,
		"CompletionsOfOrganizations": testCompletionsOrganizations,
		"CompletionsLarge":           testLargeCompletion,
		"CompletionsRace":            testCompletionsRace,
		"ExpireAll":                  testExpireAll,

		"Fingerprints":                testFingerprints,
		"FingerprintsOfVersions":      testFingerprintsOfVersions,
		"FingerprintsOfOrganizations": testFingerprintsOfOrganizations,
		"FingerprintsForget":          testForgetFingerprints,
		"FingerprintsLimit":           testCandidatesLimit,
		"FingerprintsRace":            testFingerprintsRace,

		"Accounts":             testAccounts,
		"AccountsConflict":     testAccountsConflict,
		"AccountsRace":         testAccountsRace,
		"AccountsRaceToInsert": testAccountsRaceToInsert,
		"AccountsList":         testAccountsList,
	} {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
}

const organization = "org_a"

func ptr[T any](v T) *T { return &v }

// insight returns an insight with many properties set.
func insight(documentID, text string) domain.Insight {
	place := insightapi.Place{
		PageNumber: ptr(1), BoundingBox: &insightapi.BoundingBox{Page: 1, Left: 0.1, Top: 1.0 / 3, Width: 0.25, Height: 1e-9},
		Quote: "„Zoë“ \x00\n🙂 </script>", Reasoning: &text, ConfidenceScore: 0.7,
	}
	return domain.Insight{
		DocumentID: documentID, CreatedAt: 1_700_000_000_001, ExpiresAt: 1_700_000_000_002,
		Analysis: domain.Analysis{
			Answer: insightapi.Answer{
				DocumentTitle:       &[]insightapi.Title{{Title: text, TitleSource: insightapi.FromHeading, Place: place}},
				DocumentIDs:         &insightapi.IDs{MD5: "ab", CreateDatetime: 1_700_000_000.123},
				DocumentSigners:     &[]insightapi.Signer{},
				DocumentFieldsPages: &map[string][]string{"2": {"a", "b"}, "1": {}},
			},
			Shown: domain.Shown{Key: "derived/x.pdf", Name: "a \"b\".pdf", Type: "application/pdf"},
		},
	}
}

func keep(t *testing.T, s Store, organization, jobID string, i domain.Insight) {
	t.Helper()
	if err := s.Keep(t.Context(), organization, jobID, i); err != nil {
		t.Fatal(err)
	}
}

// isKept checks the insight of a job; nil means none.
func isKept(t *testing.T, s Store, organization, jobID string, want *domain.Insight) {
	t.Helper()
	got, err := s.Insight(t.Context(), organization, jobID)
	switch {
	case want == nil && !errors.Is(err, domain.ErrNotFound):
		t.Errorf("the insight is %v, %v; want none", got, err)
	case want != nil && (err != nil || !reflect.DeepEqual(got, *want)):
		t.Errorf("the insight is %+v, %v; want %+v", got, err, *want)
	}
}

// testKeep shows that Insight returns everything that was kept last.
func testKeep(t *testing.T, s Store) {
	isKept(t, s, organization, "job_1", nil)
	for _, want := range []domain.Insight{insight("doc_1", "one"), insight("doc_2", "two"), insight("", "none"), {}} {
		keep(t, s, organization, "job_1", want)
		isKept(t, s, organization, "job_1", &want)
	}
	isKept(t, s, organization, "job_2", nil)
}

// testRace keeps insights of the same job concurrently: no write fails, and one of the
// insights is stored as a whole.
func testRace(t *testing.T, s Store) {
	var work sync.WaitGroup
	for n := range 16 {
		work.Go(func() {
			if err := s.Keep(t.Context(), organization, "job_1", insight("doc_1", strings.Repeat(fmt.Sprint(n), 1000))); err != nil {
				t.Errorf("writer %d: %v", n, err)
			}
		})
	}
	work.Wait()
	got, err := s.Insight(t.Context(), organization, "job_1")
	if err != nil {
		t.Fatal(err)
	}
	if want := insight("doc_1", (*got.Analysis.Answer.DocumentTitle)[0].Title); !reflect.DeepEqual(got, want) {
		t.Errorf("the insight is a mixture: %+v", got)
	}
}

// testOrganizations shows that organizations are separate, even if job and document ids are
// the same.
func testOrganizations(t *testing.T, s Store) {
	for _, o := range []string{"org_a", "org_b"} {
		keep(t, s, o, "job_1", insight("doc_1", o))
	}
	if err := s.Forget(t.Context(), "org_c", "doc_1"); err != nil {
		t.Error(err)
	}
	for _, o := range []string{"org_a", "org_b"} {
		want := insight("doc_1", o)
		isKept(t, s, o, "job_1", &want)
	}
	isKept(t, s, "org_c", "job_1", nil)
}

// testForget shows that only the insights of one document and organization are removed.
func testForget(t *testing.T, s Store) {
	x := insight("doc_1", "x")
	other, none := insight("doc_2", "x"), insight("", "x")
	keep(t, s, "org_a", "job_1", x)
	keep(t, s, "org_a", "job_2", x)
	keep(t, s, "org_a", "job_3", other)
	keep(t, s, "org_a", "job_4", none)
	keep(t, s, "org_b", "job_1", x)
	for range 2 { // the second time is not an error
		if err := s.Forget(t.Context(), "org_a", "doc_1"); err != nil {
			t.Fatal(err)
		}
	}
	isKept(t, s, "org_a", "job_1", nil)
	isKept(t, s, "org_a", "job_2", nil)
	isKept(t, s, "org_a", "job_3", &other)
	isKept(t, s, "org_a", "job_4", &none)
	isKept(t, s, "org_b", "job_1", &x)
}

// testExpire shows that only expired insights are removed, up to the limit.
func testExpire(t *testing.T, s Store) {
	at := func(n int) domain.Insight {
		i := insight("doc_1", "x")
		i.ExpiresAt = int64(n)
		return i
	}
	for n := range 5 {
		keep(t, s, organization, fmt.Sprintf("job_%d", n), at(n))
	}
	for _, step := range []struct{ before, limit, want int }{{0, 10, 0}, {3, 2, 2}, {3, 2, 1}, {3, 2, 0}} {
		if n, err := s.Expire(t.Context(), int64(step.before), step.limit); err != nil || n != step.want {
			t.Errorf("%+v: removed %d, %v", step, n, err)
		}
	}
	for n := range 5 {
		var want *domain.Insight
		if n >= 3 {
			want = ptr(at(n))
		}
		isKept(t, s, organization, fmt.Sprintf("job_%d", n), want)
	}
}

// testLarge shows that thousands of items can be kept, and that an insight that is too
// large is refused and does not replace the stored one.
func testLarge(t *testing.T, s Store) {
	large := insight("doc_1", "x")
	var titles []insightapi.Title
	for n := range 5000 {
		titles = append(titles, insightapi.Title{Title: fmt.Sprint(n), Place: insightapi.Place{Quote: strings.Repeat("é", 1000)}})
	}
	large.Analysis.Answer.DocumentTitle = &titles
	keep(t, s, organization, "job_1", large)
	isKept(t, s, organization, "job_1", &large)
	if err := s.Keep(t.Context(), organization, "job_1", insight("doc_1", strings.Repeat("x", domain.MaxSize))); !errors.Is(err, domain.ErrTooLarge) {
		t.Errorf("over MaxSize: %v", err)
	}
	isKept(t, s, organization, "job_1", &large)
}

// testCancelled shows that every method stops when its context is canceled.
func testCancelled(t *testing.T, s Store) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, insightErr := s.Insight(ctx, organization, "job_1")
	_, expireErr := s.Expire(ctx, 1, 1)
	_, completionErr := s.Completion(ctx, organization, "job_1", "a")
	_, fingerprintErr := s.Fingerprint(ctx, organization, "doc_1")
	_, candidatesErr := s.Candidates(ctx, organization, []int64{1}, 1)
	_, accountErr := s.Account(ctx, organization, "2026-11-01")
	_, accountsErr := s.Accounts(ctx, ledger.Filter{}, 1)
	for name, err := range map[string]error{
		"Insight": insightErr, "Expire": expireErr, "Forget": s.Forget(ctx, organization, "doc_1"),
		"Keep":           s.Keep(ctx, organization, "job_1", domain.Insight{}),
		"KeepCompletion": s.KeepCompletion(ctx, organization, completion("job_1", "doc_1", "a", "1")), "Completion": completionErr,
		"ForgetCompletions": s.ForgetCompletions(ctx, organization, "job_1"),
		"KeepFingerprint":   s.KeepFingerprint(ctx, organization, fingerprint("doc_1", 1, 1)), "Fingerprint": fingerprintErr,
		"Candidates": candidatesErr, "ForgetFingerprint": s.ForgetFingerprint(ctx, organization, "doc_1"),
		"Account": accountErr, "PutAccount": s.PutAccount(ctx, account(organization, "2026-11-01")), "Accounts": accountsErr,
	} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
