package job

import (
	"context"
	"errors"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/rectohq/recto/libs/telemetry"
)

// span describes the spans of one operation on the jobs of a pool, as the semantic
// conventions of OpenTelemetry describe those on messages.
type span struct {
	name       string
	kind       trace.SpanKind
	attributes []attribute.KeyValue
}

func newSpan(verb, kind string, spanKind trace.SpanKind) span {
	return span{verb + " jobs." + kind, spanKind, []attribute.KeyValue{
		attribute.String("messaging.system", "nats"), attribute.String("messaging.operation.type", verb),
		attribute.String("messaging.operation.name", verb), attribute.String("messaging.destination.name", "jobs."+kind),
		attribute.String("recto.job.kind", kind),
	}}
}

// start begins the span for a job.
func (s span) start(ctx context.Context, tracer trace.Tracer, r Record) (context.Context, trace.Span) {
	ctx, started := telemetry.Start(ctx, tracer, s.name, s.kind, s.attributes...)
	if started.IsRecording() {
		started.SetAttributes(attribute.String("recto.job.id", r.ID), attribute.Int("recto.job.attempt", r.Attempt))
	}
	if started.IsRecording() && r.Tries > 0 {
		started.SetAttributes(attribute.Int("recto.job.try", r.Tries))
	}
	return ctx, started
}

// created stores a new attempt with store, within a span. All tries of the attempt belong to
// this span, whenever and wherever they run.
func (p *Pool) created(ctx context.Context, r Record, store func(context.Context, Record) error) error {
	ctx, creating := p.creating.start(ctx, p.tracer, r)
	r.Origin = telemetry.OriginOf(ctx)
	err := store(ctx, r)
	telemetry.End(creating, failure(err))
	return err
}

// failure returns the error with which a span ends. It is no error that the job was no
// longer wanted, that another process was faster, or that another one takes over.
func failure(err error) error {
	for _, harmless := range []error{ErrCanceled, ErrConflict, errLost, context.Canceled} {
		if errors.Is(err, harmless) {
			return nil
		}
	}
	return err
}

// follow links the span of ctx to that of the job that its request waits for, if another
// request began that job.
func follow(ctx context.Context, r Record) {
	if waiting := trace.SpanFromContext(ctx); waiting.IsRecording() {
		job := trace.SpanContextFromContext(r.Origin.Context(context.WithoutCancel(ctx)))
		if job.IsValid() && job.TraceID() != waiting.SpanContext().TraceID() {
			waiting.AddLink(trace.Link{SpanContext: job})
		}
	}
}

// Context returns a context whose log lines and spans belong to the request that began the
// job.
func (r Record) Context(ctx context.Context) context.Context {
	ctx = telemetry.WithPrincipal(ctx, r.Principal.Organization, r.Principal.Key)
	return r.Origin.Context(ctx)
}
