package bus_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/bus/bustest"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/libs/telemetry"
	"github.com/rectohq/recto/libs/testkit/patience"
	"github.com/rectohq/recto/libs/testkit/syncbuffer"
)

// TestSpansOfRequests traces a request that is answered at once, and one that waits in a
// queue for its worker, which refuses it. The line about the refusal carries the ids.
func TestSpansOfRequests(t *testing.T) {
	n := bustest.Server(t)
	var lines syncbuffer.Buffer
	tel, err := telemetry.New(t.Context(), "test", telemetry.Config{LogLevel: -4}, &lines)
	if err != nil {
		t.Fatal(err)
	}
	spans := tracetest.NewSpanRecorder()
	tel.Tracer = sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans)).Tracer("test")
	c, err := bus.Connect(t.Context(), "test", bustest.Config(), tel, n.Option())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	f := newForwardingOn(t, c, 10)
	if err := bus.Handle(f.server, echo, func(_ context.Context, _ contract.Principal, m message) (message, error) { return m, nil }); err != nil {
		t.Fatal(err)
	}

	ctx, root := tel.Tracer.Start(telemetry.WithRequestID(patience.Context(t), "req_7"), "root")
	if _, err := bus.Call(ctx, c, echo, principal, message{"hello"}); err != nil {
		t.Fatal(err)
	}
	refused := make(chan error, 1)
	go func() {
		_, err := bus.Call(ctx, c, upper, principal, contract.Stream{Body: strings.NewReader("a"), Size: 1})
		refused <- err
	}()
	f.take(func(context.Context, contract.Principal, contract.Stream) (contract.Stream, error) {
		return contract.Stream{}, problem.New(problem.InvalidRequest, "A secret.")
	})
	if err := patience.Receive(t, "the refusal", refused); !problem.Is(err, problem.InvalidRequest) {
		t.Fatal(err)
	}
	root.End()

	want := []string{
		"root", "root > test.echo (client)", "test.echo > test.echo (server)",
		"root > test.upper (client) Invalid request", "test.upper > send requests.test.upper (producer)",
		"send requests.test.upper > process requests.test.upper (consumer) Invalid request",
	}
	slices.Sort(want)
	patience.Until(t, "all spans have ended", func() bool { return len(spans.Ended()) >= len(want) })
	if got := described(spans.Ended()); !slices.Equal(got, want) {
		t.Errorf("the spans are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	ids := fmt.Sprintf(`"request_id":"req_7","organization_id":"org_1","key_id":"key_1","trace_id":"%s"`, root.SpanContext().TraceID())
	if text := lines.String(); !strings.Contains(text, "a request was refused") || !strings.Contains(text, ids) {
		t.Errorf("no line about the refusal has %s:\n%s", ids, text)
	}
}

// described returns each span as a line: the name of its parent, its own name and its
// status. The lines are sorted.
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
		if s.Status().Code == codes.Error {
			line += " " + s.Status().Description
		}
		lines = append(lines, line)
	}
	slices.Sort(lines)
	return lines
}
