// Package storetest is the specification of domain.Store as a test suite. Every
// implementation passes it against its real database.
package storetest

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rectohq/recto/libs/contract/annotationapi"
	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/annotation/internal/domain"
	"github.com/rectohq/recto/services/annotation/internal/registry"
)

// Run runs the suite. open returns an empty store that lives until the end of the test
// passed to it.
func Run(t *testing.T, open func(t *testing.T) domain.Store) {
	for name, test := range map[string]func(*testing.T, domain.Store){
		"Found":         testFound,
		"FoundApart":    testFoundApart,
		"FoundRace":     testFoundRace,
		"Expire":        testExpire,
		"Registry":      testRegistry,
		"RegistryRace":  testRegistryRace,
		"Organizations": testOrganizations,
		"Forget":        testForget,
		"Large":         testLarge,
		"Cancelled":     testCancelled,
	} {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
}

const organization = "org_a"

var content = domain.Content{DocumentID: "doc_1", SHA256: strings.Repeat("ab", 32), Version: "1"}

func ptr[T any](v T) *T { return &v }

// found returns two fields: one with every member set, and one with as few as possible.
func found(text string) []fields.Field {
	return []fields.Field{
		{
			ID: "agreementinput-1", Type: fields.Checkbox, Label: "„Zoë“ \x00\n🙂", Required: true,
			Options: []fields.Option{{Display: "A", Value: "a"}, {Display: "B"}}, Min: ptr(0), Max: ptr(2), Multiple: ptr(false),
			Source: fields.ContentControl, Text: text, Selected: []string{"A"}, XMLPath: "word/document.xml#/w:document[1]",
			Places:   []fields.Place{{Page: 2, Box: layout.Box{Left: 0.1, Top: 1.0 / 3, Right: 0.5, Bottom: 0.9}, Widget: ptr(0), Option: "a", Size: 9.5, Multiline: true, Cover: true}},
			ReadOnly: true, Format: "mm/dd/yyyy",
		},
		{ID: "agreementinput-2", Type: fields.Text, Source: fields.Detected},
	}
}

// definitions returns two definitions: one with every member set, and one with as few as
// possible.
func definitions(label string) []annotationapi.Definition {
	return []annotationapi.Definition{
		{
			FieldID: "agreementinput-1", Type: "dropdown", Label: &label, Required: ptr(true), Options: []string{"A", "\x00é"},
			Min: ptr(1), Max: ptr(3), Multiple: ptr(true),
			PageNumber: ptr(2), BoundingBox: &annotationapi.BoundingBox{Page: 2, Left: 0.1, Top: 1.0 / 3, Width: 1e-9, Height: 1},
		},
		{FieldID: "agreementinput-2", Type: "text"},
	}
}

func keep(t *testing.T, s domain.Store, organization string, c domain.Content, f domain.Found) {
	t.Helper()
	if err := s.KeepFound(t.Context(), organization, c, f); err != nil {
		t.Fatal(err)
	}
}

func put(t *testing.T, s domain.Store, organization, documentID string, d []annotationapi.Definition) {
	t.Helper()
	if _, err := s.PutRegistry(t.Context(), organization, documentID, d); err != nil {
		t.Fatal(err)
	}
}

// isFound checks what is stored for c. If want is nil, nothing may be stored.
func isFound(t *testing.T, s domain.Store, organization string, c domain.Content, want *domain.Found) {
	t.Helper()
	got, err := s.Found(t.Context(), organization, c)
	switch {
	case want == nil && !errors.Is(err, domain.ErrNotFound):
		t.Errorf("got %v, %v; want nothing", got, err)
	case want != nil && (err != nil || !reflect.DeepEqual(got, *want)):
		t.Errorf("got %+v, %v; want %+v", got, err, *want)
	}
}

// isRegistry checks the registry of a document.
func isRegistry(t *testing.T, s domain.Store, organization, documentID string, want domain.Registry) {
	t.Helper()
	if got, err := s.Registry(t.Context(), organization, documentID); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("the registry is %+v, %v; want %+v", got, err, want)
	}
}

// testFound reads back all of what was stored, and what replaced it.
func testFound(t *testing.T, s domain.Store) {
	isFound(t, s, organization, content, nil)
	for n, text := range []string{"one", "two"} {
		want := domain.Found{Fields: found(text), Pages: slices.Repeat([]registry.Page{{Width: 612, Height: 792}}, n), UsedAt: int64(1_700_000_000_001 + n)}
		keep(t, s, organization, content, want)
		isFound(t, s, organization, content, &want)
	}
	none := domain.Found{Fields: []fields.Field{}, UsedAt: 1}
	keep(t, s, organization, content, none)
	isFound(t, s, organization, content, &none)
}

// testFoundApart checks that contents that differ in a single part are stored separately.
func testFoundApart(t *testing.T, s domain.Store) {
	others := map[string]domain.Content{
		"document": {DocumentID: "doc_2", SHA256: content.SHA256, Version: content.Version},
		"content":  {DocumentID: content.DocumentID, SHA256: strings.Repeat("cd", 32), Version: content.Version},
		"version":  {DocumentID: content.DocumentID, SHA256: content.SHA256, Version: "2"},
	}
	keep(t, s, organization, content, domain.Found{Fields: found("this"), UsedAt: 1})
	for name, other := range others {
		isFound(t, s, organization, other, nil)
		keep(t, s, organization, other, domain.Found{Fields: found(name), UsedAt: 2})
	}
	isFound(t, s, organization, content, &domain.Found{Fields: found("this"), UsedAt: 1})
	for name, other := range others {
		isFound(t, s, organization, other, &domain.Found{Fields: found(name), UsedAt: 2})
	}
}

// writers is how many goroutines write concurrently.
const writers = 16

// race runs write in all writers concurrently.
func race(t *testing.T, write func(n int) error) {
	t.Helper()
	var work sync.WaitGroup
	for n := range writers {
		work.Go(func() {
			if err := write(n); err != nil {
				t.Errorf("writer %d: %v", n, err)
			}
		})
	}
	work.Wait()
}

// testFoundRace stores the same fields concurrently: no writer fails.
func testFoundRace(t *testing.T, s domain.Store) {
	want := domain.Found{Fields: found("x"), UsedAt: 1}
	race(t, func(int) error { return s.KeepFound(t.Context(), organization, content, want) })
	isFound(t, s, organization, content, &want)
}

// testExpire checks that Expire removes what was last used before a time, up to the
// limit.
func testExpire(t *testing.T, s domain.Store) {
	for n := range 5 {
		c := content
		c.DocumentID = fmt.Sprintf("doc_%d", n)
		keep(t, s, organization, c, domain.Found{Fields: found("x"), UsedAt: int64(n)})
	}
	put(t, s, organization, "doc_0", definitions("x"))
	for _, step := range []struct{ before, limit, want int }{{0, 10, 0}, {3, 2, 2}, {3, 2, 1}, {3, 2, 0}} {
		if n, err := s.Expire(t.Context(), int64(step.before), step.limit); err != nil || n != step.want {
			t.Errorf("%+v: removed %d, %v", step, n, err)
		}
	}
	for n := range 5 {
		c := content
		c.DocumentID = fmt.Sprintf("doc_%d", n)
		if n < 3 {
			isFound(t, s, organization, c, nil)
		} else {
			isFound(t, s, organization, c, &domain.Found{Fields: found("x"), UsedAt: int64(n)})
		}
	}
	isRegistry(t, s, organization, "doc_0", domain.Registry{Definitions: definitions("x"), Revision: 1})
}

// testRegistry replaces a registry, and empties it.
func testRegistry(t *testing.T, s domain.Store) {
	isRegistry(t, s, organization, "doc_1", domain.Registry{})
	for n, d := range [][]annotationapi.Definition{definitions("one"), definitions("two"), {}} {
		want := domain.Registry{Definitions: d, Revision: int64(n + 1)}
		got, err := s.PutRegistry(t.Context(), organization, "doc_1", d)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("put: %+v, %v; want %+v", got, err, want)
		}
		isRegistry(t, s, organization, "doc_1", want)
	}
	isRegistry(t, s, organization, "doc_2", domain.Registry{})
}

// testRegistryRace replaces one registry concurrently: one replacement wins as a whole,
// readers never see a mixture, and each replacement is counted.
func testRegistryRace(t *testing.T, s domain.Store) {
	of := func(n int) []annotationapi.Definition {
		var all []annotationapi.Definition
		for i := range 20 + n {
			all = append(all, annotationapi.Definition{FieldID: fmt.Sprintf("agreementinput-%d", i), Type: "text", Label: ptr(fmt.Sprint(n))})
		}
		return all
	}
	whole := func(r domain.Registry) bool {
		if r.Revision == 0 {
			return len(r.Definitions) == 0
		}
		n := len(r.Definitions) - 20
		return n >= 0 && n < writers && reflect.DeepEqual(r.Definitions, of(n))
	}
	race(t, func(n int) error {
		if _, err := s.PutRegistry(t.Context(), organization, "doc_1", of(n)); err != nil {
			return err
		}
		r, err := s.Registry(t.Context(), organization, "doc_1")
		if err == nil && !whole(r) {
			err = fmt.Errorf("read a mixture of %d definitions", len(r.Definitions))
		}
		return err
	})
	if r, err := s.Registry(t.Context(), organization, "doc_1"); err != nil || !whole(r) || r.Revision != writers {
		t.Errorf("the registry has revision %d and %d definitions, %v", r.Revision, len(r.Definitions), err)
	}
}

// testOrganizations checks that organizations are isolated from each other, even if
// everything else is equal.
func testOrganizations(t *testing.T, s domain.Store) {
	for _, o := range []string{"org_a", "org_b"} {
		keep(t, s, o, content, domain.Found{Fields: found(o), UsedAt: 1})
		put(t, s, o, "doc_1", definitions(o))
	}
	if err := s.Forget(t.Context(), "org_c", "doc_1"); err != nil {
		t.Error(err)
	}
	for _, o := range []string{"org_a", "org_b"} {
		isFound(t, s, o, content, &domain.Found{Fields: found(o), UsedAt: 1})
		isRegistry(t, s, o, "doc_1", domain.Registry{Definitions: definitions(o), Revision: 1})
	}
	isFound(t, s, "org_c", content, nil)
	isRegistry(t, s, "org_c", "doc_1", domain.Registry{})
}

// testForget checks that Forget removes everything of one document in one organization,
// and nothing else.
func testForget(t *testing.T, s domain.Store) {
	other, second := content, content
	other.DocumentID, second.SHA256 = "doc_2", strings.Repeat("cd", 32)
	for _, c := range []domain.Content{content, second, other} {
		keep(t, s, "org_a", c, domain.Found{Fields: found("x"), UsedAt: 1})
		put(t, s, "org_a", c.DocumentID, definitions("x"))
	}
	keep(t, s, "org_b", content, domain.Found{Fields: found("x"), UsedAt: 1})
	for range 2 { // forgetting again is not an error
		if err := s.Forget(t.Context(), "org_a", "doc_1"); err != nil {
			t.Fatal(err)
		}
	}
	isFound(t, s, "org_a", content, nil)
	isFound(t, s, "org_a", second, nil)
	isRegistry(t, s, "org_a", "doc_1", domain.Registry{})
	isFound(t, s, "org_a", other, &domain.Found{Fields: found("x"), UsedAt: 1})
	isRegistry(t, s, "org_a", "doc_2", domain.Registry{Definitions: definitions("x"), Revision: 1})
	isFound(t, s, "org_b", content, &domain.Found{Fields: found("x"), UsedAt: 1})
}

// testLarge stores thousands of fields, and checks that records over the limit are
// refused.
func testLarge(t *testing.T, s domain.Store) {
	large := domain.Found{UsedAt: 1}
	for n := range 5000 {
		large.Fields = append(large.Fields, fields.Field{ID: fmt.Sprintf("agreementinput-%d", n), Type: fields.Text, Text: strings.Repeat("é", 1000)})
	}
	keep(t, s, organization, content, large)
	isFound(t, s, organization, content, &large)
	long := strings.Repeat("x", domain.MaxSize)
	if err := s.KeepFound(t.Context(), organization, content, domain.Found{Fields: found(long)}); !errors.Is(err, domain.ErrTooLarge) {
		t.Errorf("too many fields: %v", err)
	}
	if _, err := s.PutRegistry(t.Context(), organization, "doc_1", definitions(long)); !errors.Is(err, domain.ErrTooLarge) {
		t.Errorf("a registry that is too large: %v", err)
	}
	isFound(t, s, organization, content, &large)
	isRegistry(t, s, organization, "doc_1", domain.Registry{})
}

// testCancelled checks that every method returns when its context is canceled.
func testCancelled(t *testing.T, s domain.Store) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, foundErr := s.Found(ctx, organization, content)
	_, registryErr := s.Registry(ctx, organization, "doc_1")
	_, putErr := s.PutRegistry(ctx, organization, "doc_1", nil)
	_, expireErr := s.Expire(ctx, 1, 1)
	for name, err := range map[string]error{
		"Found": foundErr, "Registry": registryErr, "PutRegistry": putErr, "Expire": expireErr, "Forget": s.Forget(ctx, organization, "doc_1"),
		"KeepFound": s.KeepFound(ctx, organization, content, domain.Found{}),
	} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
