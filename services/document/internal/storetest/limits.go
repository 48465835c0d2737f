package storetest

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/services/document/internal/domain"
)

// testLarge stores the largest possible record.
func testLarge(t *testing.T, s domain.Store) {
	d := document("doc_1")
	d.Versions = nil
	for n := 1; n <= domain.MaxVersions && d.Size() < domain.MaxSize; n++ {
		v := domain.Version{Number: n, CreatedBy: d.CreatedBy}
		for f := range documentapi.MaxFiles {
			v.Files = append(v.Files, domain.File{
				ID: fmt.Sprintf("file_%026d", n*100+f), Name: strings.Repeat("🙂", documentapi.MaxNameLength), Type: strings.Repeat("x", 255),
				Seal: domain.Seal{
					Size: math.MaxInt64, SHA256: strings.Repeat("a", 64), MD5: strings.Repeat("b", 32), CRC32C: "cccccccc", SealedAt: math.MaxInt64,
				},
			})
		}
		d.Versions = append(d.Versions, v)
	}
	for n := range domain.MaxOutbox {
		d.Outbox = append(d.Outbox, domain.Event{ID: fmt.Sprintf("event_%026d", n), Type: documentapi.EventVersioned, At: math.MaxInt64})
	}
	if d.Size() < domain.MaxSize {
		t.Fatalf("the record has only %d bytes", d.Size())
	}
	create(t, s, d)
	d.Revision = 1
	if err := s.Replace(t.Context(), organization, d); err != nil {
		t.Fatal(err)
	}
	d.Revision = 2
	got, err := s.Get(t.Context(), organization, d.ID)
	if err != nil || !reflect.DeepEqual(got, d) {
		t.Errorf("the record read differs from the one stored: %v", err)
	}
	if found, err := s.Unpublished(t.Context(), 1); err != nil || len(found) != 1 || len(found[0].Outbox) != len(d.Outbox) {
		t.Errorf("Unpublished: %d records, %v", len(found), err)
	}
}

// testLongTexts checks that long strings are distinguished and ordered by their last
// characters: indexes may contain only the beginning of a string.
func testLongTexts(t *testing.T, s domain.Store) {
	name := strings.Repeat("🙂", documentapi.MaxNameLength-1)
	user := strings.Repeat("🙂", documentapi.MaxUserIDLength-1)
	for n, end := range []string{"b", "c", "a"} {
		d := document(fmt.Sprintf("doc_%d", n))
		d.Name = name + end
		d.CreatedBy, d.UpdatedBy = contract.User{ID: user + end}, contract.User{ID: user + end}
		create(t, s, d)
	}
	for _, tc := range []struct {
		order documentapi.Order
		want  string
	}{
		{documentapi.Order{Field: documentapi.FieldName}, "doc_2 doc_0 doc_1"},
		{documentapi.Order{Field: documentapi.FieldName, Descending: true}, "doc_1 doc_0 doc_2"},
	} {
		items, _ := list(t, s, organization, documentapi.ListRequest{Order: []documentapi.Order{tc.order}})
		if ids(items) != tc.want {
			t.Errorf("ordered by %+v: %s, want %s", tc.order, ids(items), tc.want)
		}
		for _, f := range []documentapi.Field{documentapi.FieldCreatedBy, documentapi.FieldUpdatedBy} {
			items, total := list(t, s, organization, documentapi.ListRequest{Order: []documentapi.Order{tc.order}, Where: []documentapi.Condition{
				{Field: f, Op: documentapi.In, Values: []string{user + "c", user + "d", user}},
			}})
			if ids(items) != "doc_1" || total != 1 {
				t.Errorf("ordered by %+v, filtered by %s: %s of %d", tc.order, f, ids(items), total)
			}
		}
	}
}

// testStrangeTexts stores and searches for strings that have a special meaning in some
// database.
func testStrangeTexts(t *testing.T, s domain.Store) {
	texts := []string{"$gt", "a.b", "\x00", "a\x00b", "a", "%", "'; --", `{"$ne": 1}`, "", "null", "\uffff", "\U0010ffff"}
	for n, text := range texts {
		d := document(fmt.Sprintf("doc_%02d", n))
		d.Name, d.CreatedBy.ID = text, text
		d.Access.Users = map[string]domain.Permission{text: domain.Edit, "user.$3": domain.View}
		create(t, s, d)
		d.Revision = 1
		if got, err := s.Get(t.Context(), organization, d.ID); err != nil || !reflect.DeepEqual(got, d) {
			t.Errorf("%q: got %+v, %v", text, got, err)
		}
	}
	for n, text := range texts {
		items, total := list(t, s, organization, documentapi.ListRequest{
			Order: []documentapi.Order{{Field: documentapi.FieldName}},
			Where: []documentapi.Condition{{Field: documentapi.FieldCreatedBy, Op: documentapi.In, Values: []string{text}}},
		})
		if want := fmt.Sprintf("doc_%02d", n); ids(items) != want || total != 1 {
			t.Errorf("created by %q: %s of %d, want %s", text, ids(items), total, want)
		}
	}
	items, _ := list(t, s, organization, documentapi.ListRequest{Order: []documentapi.Order{{Field: documentapi.FieldName}}})
	if want := "doc_08 doc_02 doc_00 doc_05 doc_06 doc_04 doc_03 doc_01 doc_09 doc_07 doc_10 doc_11"; ids(items) != want {
		t.Errorf("ordered by name: %s, want %s", ids(items), want)
	}
}

// testBroadLists lists with as many conditions as a request may have, and with times at
// the ends of their range.
func testBroadLists(t *testing.T, s domain.Store) {
	for n, at := range []int64{math.MinInt64, -1, 0, 1, math.MaxInt64} {
		d := document(fmt.Sprintf("doc_%d", n))
		d.CreatedAt = at
		create(t, s, d)
	}
	var where []documentapi.Condition
	for range 50 {
		c := documentapi.Condition{Field: documentapi.FieldUpdatedBy, Op: documentapi.In, Values: []string{"user_2"}}
		for n := range 19 {
			c.Values = append(c.Values, fmt.Sprintf("nobody_%d", n))
		}
		where = append(where, c)
	}
	if items, total := list(t, s, organization, documentapi.ListRequest{Where: where}); total != 5 || ids(items) != "doc_4 doc_3 doc_2 doc_1 doc_0" {
		t.Errorf("50 conditions of 20 values: %s of %d", ids(items), total)
	}
	for _, tc := range []struct {
		op   documentapi.Op
		at   int64
		want string
	}{
		{documentapi.GreaterOrEqual, math.MinInt64, "doc_4 doc_3 doc_2 doc_1 doc_0"}, {documentapi.Greater, math.MinInt64, "doc_4 doc_3 doc_2 doc_1"},
		{documentapi.LessOrEqual, math.MaxInt64, "doc_4 doc_3 doc_2 doc_1 doc_0"}, {documentapi.Less, math.MaxInt64, "doc_3 doc_2 doc_1 doc_0"},
		{documentapi.Greater, math.MaxInt64, ""}, {documentapi.Less, math.MinInt64, ""}, {documentapi.Less, 0, "doc_1 doc_0"},
		{documentapi.Greater, math.MaxInt64 - 1, "doc_4"}, {documentapi.Less, math.MinInt64 + 1, "doc_0"},
	} {
		items, total := list(t, s, organization, documentapi.ListRequest{
			Where: []documentapi.Condition{{Field: documentapi.FieldCreatedAt, Op: tc.op, Times: []int64{tc.at}}},
		})
		if ids(items) != tc.want || int(total) != len(items) {
			t.Errorf("created_at %s %d: %s of %d, want %s", tc.op, tc.at, ids(items), total, tc.want)
		}
	}
}
