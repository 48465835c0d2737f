package compat

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/annotationapi"
	"github.com/rectohq/recto/libs/contract/conversionapi"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/contract/jobapi"
	"github.com/rectohq/recto/libs/problem"
)

// endpoints are the endpoints of all contracts.
func endpoints() []endpoint {
	return []endpoint{
		of(documentapi.List), of(documentapi.Get), of(documentapi.Create), of(documentapi.Update), of(documentapi.Delete),
		of(documentapi.CreateVersion), of(documentapi.ListVersions), of(documentapi.Uploads), of(documentapi.Contents), of(documentapi.Status),
		of(documentapi.Stage), of(documentapi.Discard),
		of(annotationapi.Annotate), of(annotationapi.Submit), of(annotationapi.Job), of(annotationapi.CancelJob), of(annotationapi.ListJobs),
		of(annotationapi.Sign), of(annotationapi.Fields), of(annotationapi.PutFields),
		of(conversionapi.Stored), of(conversionapi.Submit), of(conversionapi.Job), of(conversionapi.CancelJob), of(conversionapi.ListJobs),
		of(conversionapi.Sign), of(conversionapi.Inline), of(conversionapi.Pages), of(conversionapi.PageImage), of(conversionapi.PageWords), of(conversionapi.Derive),
		of(insightapi.Create), of(insightapi.Begin), of(insightapi.Submit), of(insightapi.Job), of(insightapi.CancelJob), of(insightapi.ListJobs), of(insightapi.Sign),
	}
}

// events are the types of the data of all events, nil for none.
func events() map[string]reflect.Type {
	completed := reflect.TypeFor[jobapi.Completed]()
	return map[string]reflect.Type{
		documentapi.EventCreated: nil, documentapi.EventSealed: nil, documentapi.EventVersioned: nil, documentapi.EventUpdated: nil,
		documentapi.EventDeleted: nil, documentapi.EventPurged: nil,
		annotationapi.EventCompleted: reflect.TypeFor[annotationapi.Completed](), conversionapi.EventCompleted: completed, insightapi.EventCompleted: completed,
	}
}

// present describes the contracts of this tree.
func present(t *testing.T) shapes {
	t.Helper()
	enums, _ := declared(t, "libs/contract", "libs/problem")
	others := []reflect.Type{ // these travel in headers, in streams, in logs and in values of any type
		reflect.TypeFor[contract.Principal](), reflect.TypeFor[contract.Event](), reflect.TypeFor[problem.Error](),
		reflect.TypeFor[annotationapi.AnnotateRequest](), reflect.TypeFor[insightapi.Event](), reflect.TypeFor[insightapi.Progress](),
		reflect.TypeFor[insightapi.Item](), reflect.TypeFor[insightapi.Answer](),
	}
	return newShapes(endpoints(), events(), others, enums)
}

// TestContract holds the contracts of this tree against the recorded ones.
func TestContract(t *testing.T) {
	for _, b := range breaks(read[shapes](t, "shapes.json"), present(t)) {
		t.Errorf("%s and this tree cannot run side by side: %s", version, b)
	}
}

// TestContractIsComplete checks that every endpoint is described, and was recorded with a
// reply that is not an error, and that every event was recorded.
func TestContractIsComplete(t *testing.T) {
	_, subjects := declared(t, "libs/contract")
	described := present(t)
	if len(subjects) < 30 {
		t.Errorf("found %d endpoints, want 30 or more", len(subjects))
	}
	for _, subject := range subjects {
		if _, ok := described.Endpoints[subject]; !ok {
			t.Errorf("the endpoint %s is not described: add it to endpoints", subject)
		}
	}
	was := read[shapes](t, "shapes.json")
	for subject := range was.Endpoints {
		answered := func(e *exchange) bool { return e.Error == "" || strings.HasSuffix(subject, ".cancel") }
		if !slices.ContainsFunc(read[[]*exchange](t, "messages", subject+".json"), answered) {
			t.Errorf("no reply of %s is recorded: extend the scenario", subject)
		}
	}
	for kind := range was.Events {
		if len(read[[]message](t, "events", kind+".json")) == 0 {
			t.Errorf("no event %s is recorded: extend the scenario", kind)
		}
	}
}

// TestBusIgnoresUnknownMembers checks that no type on the bus rejects members of a later
// version.
func TestBusIgnoresUnknownMembers(t *testing.T) {
	for name, shape := range present(t).Types {
		if shape.Strict {
			t.Errorf("%s rejects unknown members, so the next version cannot add any: accept them", name)
		}
	}
}
