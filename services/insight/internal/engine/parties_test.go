package engine_test

import (
	"testing"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/services/insight/internal/domain"
	"github.com/rectohq/recto/services/insight/internal/engine"
	"github.com/rectohq/recto/services/insight/internal/ground"
	"github.com/rectohq/recto/services/insight/internal/source"
	"github.com/rectohq/recto/services/insight/internal/source/sourcetest"
)

// TestParties shows the items of parties with all their members.
func TestParties(t *testing.T) {
	const text = `SERVICES AGREEMENT

This Agreement is made between Lindqvist Aktiebolag, a Swedish company with offices at Storgatan 1, 111 22 Stockholm ("Supplier"), and Zoë Ünal, an individual ("Zoë").
`
	s := sourcetest.New(t, "parties")
	q := domain.Question{Requests: []insightapi.Request{{Type: insightapi.DocumentParties}}}
	a, err := engine.New(source.NewReader(s.Deps), nil).Analyze(t.Context(), s.Text(text), q, &heard{})
	if err != nil {
		t.Fatal(err)
	}
	got := *a.Answer.DocumentParties
	if len(got) != 2 {
		t.Fatalf("got %+v, want two parties", got)
	}
	first, second := got[0], got[1]
	if first.PartyName != "Lindqvist Aktiebolag" || first.PartyKind != insightapi.PartyOrganization || *first.ReferenceName != "Supplier" ||
		*first.PartyRole != "Supplier" || *first.Jurisdiction != "Sweden" || *first.Address != "Storgatan 1, 111 22 Stockholm" {
		t.Errorf("the first party is %+v", first)
	}
	if second.PartyName != "Zoë Ünal" || second.PartyKind != insightapi.PartyPerson || *second.ReferenceName != "Zoë" ||
		second.PartyRole != nil || second.Jurisdiction != nil || second.Address != nil {
		t.Errorf("the second party is %+v", second)
	}
	for i, p := range got {
		if p.PartyIndex != i || *p.PageNumber != 1 || *p.Reasoning == "" {
			t.Errorf("party %d is %+v", i, p)
		}
		if err := ground.CheckPositions(text, p.Quote, p.InsertionPositions); err != nil {
			t.Errorf("party %d: %v", i, err)
		}
	}
	if second.Quote != `Zoë Ünal, an individual ("Zoë")` {
		t.Errorf("the quote is %q, want all that is said about the party", second.Quote)
	}
}
