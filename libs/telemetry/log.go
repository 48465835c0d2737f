package telemetry

import (
	"context"
	"io"
	"log/slog"

	"go.opentelemetry.io/otel/trace"
)

type requestIDKey struct{}

// WithRequestID returns a context whose log lines include the request ID. The bus passes
// the ID on to the called service.
func WithRequestID(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, requestIDKey{}, id)
}

type principalKey struct{}

// principal identifies who sent a request.
type principal struct{ organization, key string }

// WithPrincipal returns a context whose log lines include the IDs of an organization and of
// an API key. The key itself never appears in a log.
func WithPrincipal(ctx context.Context, organizationID, keyID string) context.Context {
	return context.WithValue(ctx, principalKey{}, principal{organizationID, keyID})
}

// RequestID returns the request ID of ctx, or "".
func RequestID(ctx context.Context) string {
	id, _ := ctx.Value(requestIDKey{}).(string)
	return id
}

func newLogger(w io.Writer, level slog.Level) *slog.Logger {
	return slog.New(contextHandler{slog.NewJSONHandler(w, &slog.HandlerOptions{Level: level})})
}

// Discard returns a logger that writes nothing.
func Discard() *slog.Logger { return slog.New(slog.DiscardHandler) }

// contextHandler adds request details from the context to each line.
type contextHandler struct{ slog.Handler }

// Handle implements slog.Handler. It adds the IDs that identify the request in other logs
// and in traces, and who sent it.
func (h contextHandler) Handle(ctx context.Context, r slog.Record) error {
	if id := RequestID(ctx); id != "" {
		r.AddAttrs(slog.String("request_id", id))
	}
	p, _ := ctx.Value(principalKey{}).(principal)
	if p.organization != "" {
		r.AddAttrs(slog.String("organization_id", p.organization))
	}
	if p.key != "" { // a service that acts on its own has none
		r.AddAttrs(slog.String("key_id", p.key))
	}
	if span := trace.SpanContextFromContext(ctx); span.HasTraceID() {
		r.AddAttrs(slog.String("trace_id", span.TraceID().String()))
	}
	return h.Handler.Handle(ctx, r)
}

func (h contextHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return contextHandler{h.Handler.WithAttrs(attrs)}
}

func (h contextHandler) WithGroup(name string) slog.Handler {
	return contextHandler{h.Handler.WithGroup(name)}
}
