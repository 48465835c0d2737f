package job_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/rectohq/recto/libs/contract/jobapi"
	"github.com/rectohq/recto/libs/job"
	"github.com/rectohq/recto/libs/telemetry"
	"github.com/rectohq/recto/libs/testkit/patience"
)

// TestTracesOfJobs submits a job, which a pool without workers accepts, and another one
// runs in two tries. Both tries belong to the span of the submission, and the work finds the
// request in its context. A request for the same job is linked to it; running it again makes
// a new span, in the trace of the request that asked for that.
func TestTracesOfJobs(t *testing.T) {
	s := newSystem(t)
	spans := tracetest.NewSpanRecorder()
	s.tel.Tracer = sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans)).Tracer("test")
	submit := func(name string, again func(job.Record) bool) job.Record {
		ctx, span := s.tel.Tracer.Start(telemetry.WithRequestID(patience.Context(t), name), name)
		defer span.End()
		r, err := s.open(config()).Submit(ctx, order("org_a", "k", jobapi.Interactive), again)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	r := submit("first", never)
	submit("second", never) // waits for the same job
	requests := make(chan string, 3)
	p := s.open(config())
	s.run(p, time.Second, func(ctx context.Context, r job.Record, _ func(float64)) (any, error) {
		requests <- telemetry.RequestID(ctx)
		if r.Attempt == 1 && r.Tries == 1 {
			return nil, errors.New("the name of a client")
		}
		return 1, nil
	})
	if ended, err := p.Wait(patience.Context(t), r); err != nil || ended.State != jobapi.Succeeded {
		t.Fatalf("%+v, %v", ended, err)
	}
	r = submit("third", func(job.Record) bool { return true })
	if ended, err := p.Wait(patience.Context(t), r); err != nil || ended.Attempt != 2 {
		t.Fatalf("%+v, %v", ended, err)
	}
	for _, want := range []string{"first", "first", "third"} {
		if got := <-requests; got != want {
			t.Errorf("the work of the request %s says it is of %q", want, got)
		}
	}
	want := []string{
		"first", "second", "third",
		"first > create jobs.test (producer) attempt 1", "third > create jobs.test (producer) attempt 2",
		"create jobs.test > process jobs.test (consumer) attempt 1 try 1 failed", "create jobs.test > process jobs.test (consumer) attempt 1 try 2",
		"create jobs.test > process jobs.test (consumer) attempt 2 try 1",
	}
	patience.Until(t, "all spans have ended", func() bool { return len(spans.Ended()) >= len(want) })
	slices.Sort(want)
	if got := described(spans.Ended()); !slices.Equal(got, want) {
		t.Errorf("the spans are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for _, s := range spans.Ended() {
		if linked := len(s.Links()) == 1; linked != (s.Name() == "second") {
			t.Errorf("the span %s has the links %v", s.Name(), s.Links())
		}
	}
}

// described returns each span as a line: the name of its parent, its own name, what it is
// about and whether it failed. The lines are sorted.
func described(spans []sdktrace.ReadOnlySpan) (lines []string) {
	names := map[trace.SpanID]string{}
	for _, s := range spans {
		names[s.SpanContext().SpanID()] = s.Name()
	}
	for _, s := range spans {
		line := s.Name()
		if parent := names[s.Parent().SpanID()]; parent != "" {
			line = fmt.Sprintf("%s > %s (%s)", parent, s.Name(), s.SpanKind())
		}
		attributes := attribute.NewSet(s.Attributes()...)
		for _, name := range []string{"attempt", "try"} {
			if v, ok := attributes.Value(attribute.Key("recto.job." + name)); ok {
				line += fmt.Sprintf(" %s %d", name, v.AsInt64())
			}
		}
		if s.Status().Code == codes.Error {
			line += " failed"
		}
		lines = append(lines, line)
	}
	slices.Sort(lines)
	return lines
}
