package insight_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/bus/bustest"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/annotationapi"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/problem"
)

// TestFieldsChange shows that a document is read again when its owner has changed its
// fields, but only for requests that ask for fields, and that the fields are not searched for
// before the document is read. A request that asks for fields fails while the annotation
// service is unavailable, but not if an earlier version of it, which reads the file, refuses
// the file.
func TestFieldsChange(t *testing.T) {
	t.Parallel()
	s := start(t)
	var label atomic.Value
	label.Store("Fee")
	server, err := bustest.Connect(t, s.NATS, "annotation").Serve(annotationapi.Service, "1.0.0", 4)
	if err != nil {
		t.Fatal(err)
	}
	err = bus.Handle(server, annotationapi.Fields, func(_ context.Context, _ contract.Principal, r annotationapi.FieldsRequest) (annotationapi.FieldsResponse, error) {
		text := label.Load().(string)
		switch {
		case r.Version.Number != 1 || !r.Version.Given || !r.Registry:
			t.Errorf("asked for %+v", r)
		case text == "damaged":
			return annotationapi.FieldsResponse{}, problem.New(problem.InvalidRequest, "The file is damaged.")
		case text == "unavailable":
			return annotationapi.FieldsResponse{}, problem.New(problem.Unavailable, "Later.")
		}
		return annotationapi.FieldsResponse{Registry: []annotationapi.Definition{{FieldID: "agreementinput-1", Type: "text", Label: &text}}}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	fields := ask(insightapi.DocumentID, s.document(documentapi.Draft, "x"))
	title := fields
	fields.Insights = []insightapi.Request{{Type: insightapi.DocumentFieldsPages}}
	for _, step := range []struct {
		label string
		want  int
	}{{"Fee", 2}, {"Fee", 2}, {"Price", 3}, {"Fee", 3}, {"damaged", 4}} {
		label.Store(step.label)
		for _, r := range []insightapi.CreateRequest{fields, title} {
			if _, err := s.create(r); err != nil {
				t.Fatal(err)
			}
		}
		if got := s.reader.calls(); got != step.want {
			t.Errorf("with %q documents were read %d times, want %d", step.label, got, step.want)
		}
	}
	label.Store("unavailable")
	if _, err := s.create(fields); !problem.Is(err, problem.Unavailable) {
		t.Errorf("while the annotation service is unavailable: %v", err)
	}
	if _, err := s.create(title); err != nil {
		t.Errorf("a request for no fields: %v", err)
	}
}
