package telemetry

import (
	"context"
	"strconv"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/rectohq/recto/libs/problem"
)

// tracerName is the instrumentation scope of all spans.
const tracerName = "github.com/rectohq/recto"

// traces sends the spans of all parts of a process. The zero value drops them.
type traces struct {
	processor   sdktrace.SpanProcessor
	environment *resource.Resource // of OTEL_RESOURCE_ATTRIBUTES and OTEL_SERVICE_NAME
}

// newTraces returns traces that go to an OTLP endpoint, or nowhere if it is empty.
func newTraces(ctx context.Context, endpoint string) (traces, error) {
	if endpoint == "" {
		return traces{}, nil
	}
	environment, err := resource.New(ctx, resource.WithFromEnv())
	if err != nil {
		return traces{}, err
	}
	exporter, err := otlptracehttp.New(ctx) // reads the OTEL_ variables itself
	if err != nil {
		return traces{}, err
	}
	return traces{sdktrace.NewBatchSpanProcessor(exporter), environment}, nil
}

// tracer returns the tracer of the part called service. The environment can name all parts
// differently.
func (t traces) tracer(service string) (trace.Tracer, error) {
	if t.processor == nil {
		return noop.Tracer{}, nil
	}
	part, err := resource.Merge(resource.NewSchemaless(attribute.String("service.name", service)), t.environment)
	if err != nil {
		return nil, err
	}
	provider := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(t.processor), sdktrace.WithResource(part))
	return provider.Tracer(tracerName), nil
}

// stop sends the spans that have ended.
func (t traces) stop(ctx context.Context) error {
	if t.processor == nil {
		return nil
	}
	return t.processor.Shutdown(ctx)
}

// Propagator carries the W3C trace context over HTTP and NATS.
var Propagator propagation.TextMapPropagator = propagation.TraceContext{}

// off is the span of work that is not traced.
var off trace.Span = noop.Span{}

// Start begins a span of the tracer, and returns a context whose spans and log lines belong
// to it. If traces are off, it allocates nothing and returns ctx. End the span with End.
func Start(ctx context.Context, tracer trace.Tracer, name string, kind trace.SpanKind, attributes ...attribute.KeyValue) (context.Context, trace.Span) {
	if _, none := tracer.(noop.Tracer); none {
		return ctx, off
	}
	// The copy lets callers keep their attributes on the stack.
	return tracer.Start(ctx, name, trace.WithSpanKind(kind), trace.WithAttributes(append([]attribute.KeyValue(nil), attributes...)...))
}

// Child is Start for work below a span of this process, whose tracer it uses. It begins no
// span if ctx has none that is recorded, so work in the background makes no traces.
func Child(ctx context.Context, name string, kind trace.SpanKind, attributes ...attribute.KeyValue) (context.Context, trace.Span) {
	parent := trace.SpanFromContext(ctx)
	if !parent.IsRecording() {
		return ctx, off
	}
	return Start(ctx, parent.TracerProvider().Tracer(tracerName), name, kind, attributes...)
}

// End ends a span. If err is not nil, the span has the status Error and the code that the
// API reports for err. It has no text of err, which may quote what a client sent.
func End(span trace.Span, err error) {
	if err != nil && span.IsRecording() {
		code := problem.Of(err).Code
		span.SetAttributes(ErrorCode(code))
		span.SetStatus(codes.Error, code.Message())
	}
	span.End()
}

// ErrorCode returns the attribute of a span that ends with an error of the API.
func ErrorCode(code problem.Code) attribute.KeyValue {
	return attribute.String("error.type", strconv.Itoa(int(code)))
}
