package storetest

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/rectohq/recto/services/insight/internal/domain"
	"github.com/rectohq/recto/services/insight/internal/llm/ledger"
)

// completion returns a completion that expires at the same time as insight's.
func completion(jobID, documentID, key, data string) domain.Completion {
	return domain.Completion{JobID: jobID, DocumentID: documentID, Key: key, Data: []byte(data), ExpiresAt: 1_700_000_000_002}
}

func keepCompletion(t *testing.T, s Store, organization string, c domain.Completion) {
	t.Helper()
	if err := s.KeepCompletion(t.Context(), organization, c); err != nil {
		t.Fatal(err)
	}
}

// completionIs checks the data of a completion; "" means none.
func completionIs(t *testing.T, s Store, organization, jobID, key, want string) {
	t.Helper()
	got, err := s.Completion(t.Context(), organization, jobID, key)
	switch {
	case want == "" && !errors.Is(err, domain.ErrNotFound):
		t.Errorf("completion %s of %s, %s is %q, %v; want none", key, organization, jobID, got, err)
	case want != "" && (err != nil || string(got) != want):
		t.Errorf("completion %s of %s, %s is %q, %v; want %q", key, organization, jobID, got, err, want)
	}
}

// testCompletions shows that Completion returns what was kept last for a job and key,
// byte for byte, and that an insight of the job is something else.
func testCompletions(t *testing.T, s Store) {
	completionIs(t, s, organization, "job_1", "a", "")
	for _, data := range []string{`{"json":{}}`, "\"„Zoë“ \x00\xff\n🙂\"", `1`} {
		keepCompletion(t, s, organization, completion("job_1", "doc_1", "a", data))
		completionIs(t, s, organization, "job_1", "a", data)
	}
	completionIs(t, s, organization, "job_1", "b", "")
	completionIs(t, s, organization, "job_2", "a", "")
	isKept(t, s, organization, "job_1", nil)
}

// testForgetCompletions shows that only the completions of one job are removed, and not
// its insight.
func testForgetCompletions(t *testing.T, s Store) {
	x := insight("doc_1", "x")
	keep(t, s, organization, "job_1", x)
	for _, c := range []domain.Completion{
		completion("job_1", "doc_1", "a", "1"), completion("job_1", "doc_1", "b", "2"), completion("job_2", "doc_1", "a", "3"),
	} {
		keepCompletion(t, s, organization, c)
	}
	for range 2 { // the second time is not an error
		if err := s.ForgetCompletions(t.Context(), organization, "job_1"); err != nil {
			t.Fatal(err)
		}
	}
	completionIs(t, s, organization, "job_1", "a", "")
	completionIs(t, s, organization, "job_1", "b", "")
	completionIs(t, s, organization, "job_2", "a", "3")
	isKept(t, s, organization, "job_1", &x)
}

// testForgetWithCompletions shows that Forget removes the completions of a document, of
// all its jobs, and no others.
func testForgetWithCompletions(t *testing.T, s Store) {
	for _, c := range []domain.Completion{
		completion("job_1", "doc_1", "a", "1"), completion("job_1", "doc_1", "b", "2"), completion("job_2", "doc_1", "a", "3"),
		completion("job_3", "doc_2", "a", "4"), completion("job_4", "", "a", "5"),
	} {
		keepCompletion(t, s, organization, c)
	}
	keepCompletion(t, s, "org_b", completion("job_1", "doc_1", "a", "6"))
	if err := s.Forget(t.Context(), organization, "doc_1"); err != nil {
		t.Fatal(err)
	}
	completionIs(t, s, organization, "job_1", "a", "")
	completionIs(t, s, organization, "job_1", "b", "")
	completionIs(t, s, organization, "job_2", "a", "")
	completionIs(t, s, organization, "job_3", "a", "4")
	completionIs(t, s, organization, "job_4", "a", "5")
	completionIs(t, s, "org_b", "job_1", "a", "6")
}

// testCompletionsOrganizations shows that organizations are separate, even if all ids are
// the same.
func testCompletionsOrganizations(t *testing.T, s Store) {
	keepCompletion(t, s, "org_a", completion("job_1", "doc_1", "a", "1"))
	keepCompletion(t, s, "org_b", completion("job_1", "doc_1", "a", "2"))
	if err := s.ForgetCompletions(t.Context(), "org_c", "job_1"); err != nil {
		t.Fatal(err)
	}
	completionIs(t, s, "org_a", "job_1", "a", "1")
	completionIs(t, s, "org_c", "job_1", "a", "")
	if err := s.ForgetCompletions(t.Context(), "org_a", "job_1"); err != nil {
		t.Fatal(err)
	}
	completionIs(t, s, "org_a", "job_1", "a", "")
	completionIs(t, s, "org_b", "job_1", "a", "2")
}

// testLargeCompletion shows that a completion that is too large is refused and does not
// replace the stored one.
func testLargeCompletion(t *testing.T, s Store) {
	largest := strings.Repeat("x", domain.MaxCompletion)
	keepCompletion(t, s, organization, completion("job_1", "doc_1", "a", largest))
	err := s.KeepCompletion(t.Context(), organization, completion("job_1", "doc_1", "a", largest+"x"))
	if !errors.Is(err, domain.ErrCompletionTooLarge) {
		t.Errorf("over MaxCompletion: %v", err)
	}
	completionIs(t, s, organization, "job_1", "a", largest)
}

// testCompletionsRace keeps completions with the same key concurrently: no write fails.
func testCompletionsRace(t *testing.T, s Store) {
	var work sync.WaitGroup
	for n := range writers {
		work.Go(func() {
			if err := s.KeepCompletion(t.Context(), organization, completion("job_1", "doc_1", "a", fmt.Sprint(n))); err != nil {
				t.Errorf("writer %d: %v", n, err)
			}
		})
	}
	work.Wait()
	if _, err := s.Completion(t.Context(), organization, "job_1", "a"); err != nil {
		t.Error(err)
	}
}

// testExpireAll shows that Expire removes records of each kind, up to the limit of all
// kinds together, and none that has not expired.
func testExpireAll(t *testing.T, s Store) {
	for n := range 4 {
		x := insight("doc_1", "x")
		x.ExpiresAt = int64(n)
		keep(t, s, organization, fmt.Sprintf("job_%d", n), x)
		c := completion(fmt.Sprintf("job_%d", n), "doc_1", "a", "1")
		c.ExpiresAt = int64(n)
		keepCompletion(t, s, organization, c)
		a := account(organization, fmt.Sprintf("2026-11-0%d", n))
		a.ExpiresAt = int64(n)
		put(t, s, a)
	}
	for _, step := range []struct{ before, limit, want int }{{0, 10, 0}, {2, 1, 1}, {2, 4, 4}, {2, 4, 1}, {2, 4, 0}, {3, 4, 3}} {
		if n, err := s.Expire(t.Context(), int64(step.before), step.limit); err != nil || n != step.want {
			t.Errorf("%+v: removed %d, %v", step, n, err)
		}
	}
	completionIs(t, s, organization, "job_2", "a", "")
	completionIs(t, s, organization, "job_3", "a", "1")
	if accounts := list(t, s, ledger.Filter{}, 10); len(accounts) != 1 || accounts[0].Period != "2026-11-03" {
		t.Errorf("the accounts are %+v", accounts)
	}
}
