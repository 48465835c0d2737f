package engine_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"reflect"
	"slices"
	"testing"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/pdf"
	"github.com/rectohq/recto/libs/testkit/modelserver"
	"github.com/rectohq/recto/libs/testkit/pdftest"
	"github.com/rectohq/recto/services/insight/internal/domain"
	"github.com/rectohq/recto/services/insight/internal/engine"
	"github.com/rectohq/recto/services/insight/internal/llm/provider"
	"github.com/rectohq/recto/services/insight/internal/source"
	"github.com/rectohq/recto/services/insight/internal/source/sourcetest"
)

// longAgreement is a PDF with the agreement on its first page, a title on each other page,
// and properties.
func longAgreement(pages int) []byte {
	p := sourcetest.PDF{Title: "Consulting Agreement", HBREF: "ref 7", Pages: [][]string{sourcetest.Lines(agreement)}}
	for n := 1; n < pages; n++ {
		p.Pages = append(p.Pages, []string{fmt.Sprintf("EXHIBIT %d TO THE LEASE AGREEMENT", n), "The Tenant shall pay a rent of USD 1,000.00 within 30 days."})
	}
	return p.Bytes()
}

// held reads PDF files, but waits after it has handed over the first pages.
type held struct {
	source.PDF
	wait func()
	// read reports whether a file was read to its end.
	read bool
}

// ReadAhead implements source.PDF.
func (h *held) ReadAhead(ctx context.Context, f io.ReaderAt, size int64, pages int, opened func(*pdf.File)) (*pdf.File, error) {
	file, err := h.PDF.ReadAhead(ctx, f, size, pages, func(first *pdf.File) {
		opened(first)
		h.wait()
	})
	h.read = true
	return file, err
}

// TestOpeningIsAnsweredFirst shows that the title, the type and the ids of a PDF of hundreds
// of pages are answered before any page after the first ten is received, and that they are
// those of the complete answer.
func TestOpeningIsAnsweredFirst(t *testing.T) {
	s := sourcetest.New(t, "opening-first")
	cfg := pdftest.Config()
	cfg.Pages = 300
	var told answered
	reader := &held{PDF: pdftest.NewReader(t, cfg)}
	reader.wait = func() {
		if want := []string{"fetched", "document_title", "document_type", "document_ids"}; !slices.Equal(told.all, want) || reader.read {
			t.Errorf("before page 11, the listener heard %v, want %v", told.all, want)
		}
	}
	s.PDF = reader
	a, err := engine.New(source.NewReader(s.Deps), nil).Analyze(t.Context(), s.Fetched("a.pdf", "application/pdf", longAgreement(300)), everything(), &told)
	if err != nil {
		t.Fatal(err)
	}
	if want := steps(false); !slices.Equal(told.all, want) {
		t.Errorf("the listener heard %v, want %v", told.all, want)
	}
	if !reflect.DeepEqual(told.built, insightapi.Events(everything().Requests, &a.Answer)) {
		t.Error("the events of the complete answer are not those that were heard")
	}
	title, kind, ids := (*a.Answer.DocumentTitle)[0], (*a.Answer.DocumentType)[0], a.Answer.DocumentIDs
	if title.Title != "CONSULTING AGREEMENT" || *title.PageNumber != 1 || title.BoundingBox == nil || kind.DocumentType != "Consulting Agreement" || *ids.PDFHBREF != "ref 7" {
		t.Errorf("got %+v, %+v, %+v", title, kind, ids)
	}
	if payments := *a.Answer.Payments; *payments[len(payments)-1].PageNumber < 100 {
		t.Errorf("the last payment is %+v", payments[len(payments)-1])
	}
}

// answered is heard that also builds the events of the job, as a service does.
type answered struct {
	heard
	builder *insightapi.EventBuilder
	built   []insightapi.Event
}

// Reached implements domain.Listener.
func (a *answered) Reached(stage string) {
	a.heard.Reached(stage)
	a.built = append(a.built, a.build().Stage(stage)...)
}

// Answered implements domain.Listener.
func (a *answered) Answered(key insightapi.Type, sofar *insightapi.Answer) {
	a.heard.Answered(key, sofar)
	a.built = append(a.built, a.build().Key(key, sofar)...)
}

// build returns the builder of the events.
func (a *answered) build() *insightapi.EventBuilder {
	if a.builder == nil {
		a.builder = insightapi.NewEventBuilder(everything().Requests)
	}
	return a.builder
}

// TestOpeningAlone shows that the title and the type do not depend on the pages after the
// opening.
func TestOpeningAlone(t *testing.T) {
	s := sourcetest.New(t, "opening-alone")
	q := domain.Question{Requests: []insightapi.Request{{Type: insightapi.DocumentTitle}, {Type: insightapi.DocumentType}}}
	late := sourcetest.PDF{Pages: make([][]string, source.OpeningPages)}
	for n := range late.Pages {
		late.Pages[n] = []string{"x"}
	}
	late.Pages = append(late.Pages, []string{"SUPPLY AGREEMENT", "This Supply Agreement is made between A and B."})
	for pages, want := range map[int]int{source.OpeningPages: 0, source.OpeningPages - 1: 1} {
		file := late
		file.Pages = late.Pages[source.OpeningPages-pages:]
		a, err := engine.New(source.NewReader(s.Deps), nil).Analyze(t.Context(), s.Fetched("a.pdf", "application/pdf", file.Bytes()), q, &heard{})
		if err != nil {
			t.Fatal(err)
		}
		if got := len(*a.Answer.DocumentTitle); got != want || len(*a.Answer.DocumentType) != want {
			t.Errorf("a title after %d pages: got %+v, %+v", pages, a.Answer.DocumentTitle, a.Answer.DocumentType)
		}
	}
}

// TestOpeningWithModel shows that a language model is asked before any key is answered, in
// the order of the steps, and that the usage in the answer says so.
func TestOpeningWithModel(t *testing.T) {
	m := withModel(t, modelserver.OpenAI, extraction(t, good), func(*provider.Config) {})
	material := m.Fetched("a.pdf", "application/pdf", longAgreement(30))
	material.Job = domain.Job{ID: "job_1", Try: 1}
	told := answered{}
	a, err := m.engine.Analyze(t.Context(), material, everything(), &told)
	if err != nil {
		t.Fatal(err)
	}
	if want := steps(true); !slices.Equal(told.all, want) || a.Answer.Usage == nil {
		t.Errorf("the listener heard %v, want %v; the usage is %+v", told.all, want, a.Answer.Usage)
	}
	if !reflect.DeepEqual(told.built, insightapi.Events(everything().Requests, &a.Answer)) {
		t.Error("the events of the complete answer are not those that were heard")
	}
	again, err := m.engine.Analyze(t.Context(), material, everything(), &heard{})
	if err != nil || !bytes.Equal(encoded(t, again), encoded(t, a)) {
		t.Errorf("the second answer differs, %v", err)
	}
}
