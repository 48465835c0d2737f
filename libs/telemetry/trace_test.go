package telemetry_test

import (
	"context"
	"errors"
	"io"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/libs/telemetry"
)

// TestEnd ends spans with each kind of error. None has the text of its error.
func TestEnd(t *testing.T) {
	for _, c := range []struct {
		err               error
		code, description string
	}{
		{nil, "", ""},
		{problem.New(problem.InvalidRequest, "The file secret.docx is damaged."), "3001", "Invalid request"},
		{errors.New("a secret"), "5000", "Internal error"},
		{context.DeadlineExceeded, "5004", "Timed out"},
	} {
		spans := tracetest.NewSpanRecorder()
		tracer := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans)).Tracer("test")
		ctx, span := telemetry.Start(t.Context(), tracer, "parent", trace.SpanKindServer)
		_, child := telemetry.Child(ctx, "child", trace.SpanKindClient, attribute.String("a", "b"))
		telemetry.End(child, c.err)
		telemetry.End(span, nil)
		got := spans.Ended()
		if len(got) != 2 || got[0].Parent().SpanID() != span.SpanContext().SpanID() || got[0].SpanKind() != trace.SpanKindClient {
			t.Fatalf("%v: the spans are %v", c.err, got)
		}
		attributes := attribute.NewSet(got[0].Attributes()...)
		code, _ := attributes.Value("error.type")
		if code.AsString() != c.code || got[0].Status().Description != c.description || (got[0].Status().Code == codes.Error) != (c.err != nil) || len(got[0].Events()) > 0 {
			t.Errorf("%v: the code is %q, the status %v", c.err, code.AsString(), got[0].Status())
		}
	}
}

// TestNoTrace shows that no span begins below work in the background, nor below a request
// that is not sampled.
func TestNoTrace(t *testing.T) {
	spans := tracetest.NewSpanRecorder()
	sampled := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans), sdktrace.WithSampler(sdktrace.NeverSample()))
	ctx, span := telemetry.Start(t.Context(), sampled.Tracer("test"), "parent", trace.SpanKindServer)
	for _, ctx := range []context.Context{t.Context(), ctx} {
		if under, child := telemetry.Child(ctx, "child", trace.SpanKindClient); under != ctx || child.IsRecording() {
			t.Error("a child is recorded")
		}
	}
	if telemetry.End(span, nil); len(spans.Ended()) != 0 {
		t.Errorf("the spans are %v", spans.Ended())
	}
}

// TestOrigin stores the origin of work and restores it elsewhere.
func TestOrigin(t *testing.T) {
	if got := telemetry.OriginOf(t.Context()); got != (telemetry.Origin{}) {
		t.Errorf("work of no request has the origin %+v", got)
	}
	if ctx := (telemetry.Origin{}).Context(t.Context()); telemetry.RequestID(ctx) != "" || trace.SpanContextFromContext(ctx).IsValid() {
		t.Error("an empty origin restores something")
	}
	want := telemetry.Origin{RequestID: "req_1", Trace: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", State: "vendor=1"}
	if got := telemetry.OriginOf(want.Context(t.Context())); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// traceWork is what each request does about traces, at least.
func traceWork(ctx context.Context, tel *telemetry.Telemetry, err error) {
	ctx, span := telemetry.Start(ctx, tel.Tracer, "a", trace.SpanKindServer, attribute.String("b", "c"), attribute.Int("d", 1))
	_, child := telemetry.Child(ctx, "e", trace.SpanKindClient, attribute.String("f", "g"))
	telemetry.End(child, err)
	telemetry.End(span, err)
}

// TestTracesOff shows that spans allocate nothing while traces are off.
func TestTracesOff(t *testing.T) {
	tel, err := telemetry.New(t.Context(), "test", telemetry.Config{}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	ctx, failure := telemetry.WithRequestID(t.Context(), "req_1"), errors.New("failed")
	if n := testing.AllocsPerRun(100, func() { traceWork(ctx, tel, failure) }); n != 0 {
		t.Errorf("spans allocate %v times while traces are off", n)
	}
}

// BenchmarkTracesOff measures the spans of a request while traces are off.
func BenchmarkTracesOff(b *testing.B) {
	tel, err := telemetry.New(b.Context(), "test", telemetry.Config{}, io.Discard)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		traceWork(b.Context(), tel, nil)
	}
}
