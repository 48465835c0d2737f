package storetest

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rectohq/recto/services/insight/internal/domain"
)

// fingerprint returns a fingerprint of a version with the keys.
func fingerprint(documentID string, version int, keys ...int64) domain.Fingerprint {
	return domain.Fingerprint{
		DocumentID: documentID, Version: version, Source: fmt.Sprintf("source %d", version),
		Signature: []byte(fmt.Sprintf("\x00\xff%s %d", documentID, version)), Keys: keys,
	}
}

func keepFingerprint(t *testing.T, s Store, organization string, f domain.Fingerprint) {
	t.Helper()
	if err := s.KeepFingerprint(t.Context(), organization, f); err != nil {
		t.Fatal(err)
	}
}

// fingerprintIs checks the fingerprint of a document; nil means none.
func fingerprintIs(t *testing.T, s Store, organization, documentID string, want *domain.Fingerprint) {
	t.Helper()
	got, err := s.Fingerprint(t.Context(), organization, documentID)
	if want == nil {
		if !errors.Is(err, domain.ErrNotFound) {
			t.Errorf("the fingerprint of %s, %s is %+v, %v; want none", organization, documentID, got, err)
		}
		return
	}
	bare := *want
	bare.Keys = nil
	if err != nil || !reflect.DeepEqual(got, bare) {
		t.Errorf("the fingerprint of %s, %s is %+v, %v; want %+v", organization, documentID, got, err, bare)
	}
}

// candidatesAre checks which documents have one of the keys.
func candidatesAre(t *testing.T, s Store, organization string, keys []int64, want ...string) {
	t.Helper()
	found, err := s.Candidates(t.Context(), organization, keys, 100)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range found {
		got = append(got, f.DocumentID)
		if !strings.HasPrefix(string(f.Signature), "\x00\xff"+f.DocumentID) || f.Source == "" || f.Version == 0 || f.Keys != nil {
			t.Errorf("%+v is incomplete", f)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("the candidates of %s for %v are %v, want %v", organization, keys, got, want)
	}
}

// testFingerprints shows that a fingerprint is found by each of its keys, and by no other.
func testFingerprints(t *testing.T, s Store) {
	fingerprintIs(t, s, organization, "doc_1", nil)
	candidatesAre(t, s, organization, []int64{1})
	one, two := fingerprint("doc_1", 1, 1, math.MinInt64, math.MaxInt64), fingerprint("doc_2", 3, 1, 2, -1)
	keepFingerprint(t, s, organization, two)
	keepFingerprint(t, s, organization, one)
	keepFingerprint(t, s, organization, fingerprint("doc_3", 1))
	fingerprintIs(t, s, organization, "doc_1", &one)
	fingerprintIs(t, s, organization, "doc_2", &two)
	for _, c := range []struct {
		keys []int64
		want []string
	}{
		{nil, nil},
		{[]int64{3, 0}, nil},
		{[]int64{1, 2}, []string{"doc_1", "doc_2"}},
		{[]int64{math.MinInt64}, []string{"doc_1"}},
		{[]int64{5, math.MaxInt64, 1}, []string{"doc_1", "doc_2"}},
		{[]int64{-1, -1}, []string{"doc_2"}},
	} {
		candidatesAre(t, s, organization, c.keys, c.want...)
	}
}

// testFingerprintsOfVersions shows that the latest version stays, and that a fingerprint that
// was replaced is no longer found.
func testFingerprintsOfVersions(t *testing.T, s Store) {
	for _, step := range []struct{ kept, want domain.Fingerprint }{
		{fingerprint("doc_1", 2, 1, 2), fingerprint("doc_1", 2, 1, 2)},
		{fingerprint("doc_1", 1, 9), fingerprint("doc_1", 2, 1, 2)},
		{fingerprint("doc_1", 2, 2, 3), fingerprint("doc_1", 2, 2, 3)},
		{fingerprint("doc_1", 4, 4), fingerprint("doc_1", 4, 4)},
		{fingerprint("doc_1", 3, 9), fingerprint("doc_1", 4, 4)},
	} {
		keepFingerprint(t, s, organization, step.kept)
		fingerprintIs(t, s, organization, "doc_1", &step.want)
		for key := range int64(10) {
			var want []string
			if slices.Contains(step.want.Keys, key) {
				want = []string{"doc_1"}
			}
			candidatesAre(t, s, organization, []int64{key}, want...)
		}
	}
}

// testFingerprintsOfOrganizations shows that organizations are separate, even if document
// ids and keys are the same.
func testFingerprintsOfOrganizations(t *testing.T, s Store) {
	a, b := fingerprint("doc_1", 1, 1), fingerprint("doc_1", 2, 1)
	keepFingerprint(t, s, "org_a", a)
	keepFingerprint(t, s, "org_b", b)
	keepFingerprint(t, s, "org_b", fingerprint("doc_2", 1, 1))
	if err := s.ForgetFingerprint(t.Context(), "org_c", "doc_1"); err != nil {
		t.Error(err)
	}
	fingerprintIs(t, s, "org_a", "doc_1", &a)
	fingerprintIs(t, s, "org_b", "doc_1", &b)
	fingerprintIs(t, s, "org_a", "doc_2", nil)
	candidatesAre(t, s, "org_a", []int64{1}, "doc_1")
	candidatesAre(t, s, "org_b", []int64{1}, "doc_1", "doc_2")
	candidatesAre(t, s, "org_c", []int64{1})
	candidatesAre(t, s, "org_", []int64{1})
}

// testForgetFingerprints shows that ForgetFingerprint removes the fingerprint of a document
// and nothing else, and that Forget removes it as well.
func testForgetFingerprints(t *testing.T, s Store) {
	x, two := insight("doc_1", "x"), fingerprint("doc_2", 1, 1)
	keep(t, s, organization, "job_1", x)
	for name, forget := range map[string]func() error{
		"ForgetFingerprint": func() error { return s.ForgetFingerprint(t.Context(), organization, "doc_1") },
		"Forget":            func() error { return s.Forget(t.Context(), organization, "doc_1") },
	} {
		keepFingerprint(t, s, organization, fingerprint("doc_1", 1, 1))
		keepFingerprint(t, s, organization, two)
		if name == "ForgetFingerprint" {
			keep(t, s, organization, "job_1", x)
		}
		for range 2 { // the second time is not an error
			if err := forget(); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		fingerprintIs(t, s, organization, "doc_1", nil)
		fingerprintIs(t, s, organization, "doc_2", &two)
		candidatesAre(t, s, organization, []int64{1}, "doc_2")
		if name == "ForgetFingerprint" {
			isKept(t, s, organization, "job_1", &x)
		}
	}
}

// testCandidatesLimit shows that a key that many fingerprints have does not hide those of
// another key.
func testCandidatesLimit(t *testing.T, s Store) {
	for n := range 20 {
		keepFingerprint(t, s, organization, fingerprint(fmt.Sprintf("doc_%02d", n), 1, 1))
	}
	keepFingerprint(t, s, organization, fingerprint("doc_20", 1, 1, 2))
	found, err := s.Candidates(t.Context(), organization, []int64{1, 2}, 5)
	if err != nil || len(found) != 6 || found[5].DocumentID != "doc_20" {
		t.Errorf("%d candidates are found: %v, %v", len(found), found, err)
	}
	again, err := s.Candidates(t.Context(), organization, []int64{2, 1}, 5)
	if err != nil || !reflect.DeepEqual(found, again) {
		t.Errorf("the second time the candidates are %v, %v; want %v", again, err, found)
	}
}

// testFingerprintsRace keeps fingerprints of one document concurrently: no write fails, and
// the latest version stays, with its keys.
func testFingerprintsRace(t *testing.T, s Store) {
	var work sync.WaitGroup
	for n := range 16 {
		work.Go(func() {
			if err := s.KeepFingerprint(t.Context(), organization, fingerprint("doc_1", n+1, int64(n+1), 100)); err != nil {
				t.Errorf("writer %d: %v", n, err)
			}
		})
	}
	work.Wait()
	want := fingerprint("doc_1", 16, 16, 100)
	fingerprintIs(t, s, organization, "doc_1", &want)
	candidatesAre(t, s, organization, []int64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15})
	candidatesAre(t, s, organization, []int64{16, 100}, "doc_1")
}
