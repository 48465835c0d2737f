package httpapi

import (
	"testing"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/libs/telemetry"
)

// TestEndSpan ends the spans of requests with and without a route, that succeed, fail
// because of the client, and fail because of Recto. Only the last has the status Error.
func TestEndSpan(t *testing.T) {
	for _, c := range []struct {
		route      string
		status     int
		failure    *problem.Error
		name, code string
		failed     bool
	}{
		{"/v2/me", 200, nil, "GET /v2/me", "", false},
		{"", 404, problem.New(problem.RouteNotFound, "a secret"), "GET", "1001", false},
		{"/v2/me", 503, problem.New(problem.Unavailable, "a secret"), "GET /v2/me", "5003", true},
	} {
		spans := tracetest.NewSpanRecorder()
		tracer := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans)).Tracer("test")
		_, span := telemetry.Start(t.Context(), tracer, "GET", trace.SpanKindServer)
		endSpan(&exchange{span: span, route: c.route, failure: c.failure}, "GET", c.status)
		got := spans.Ended()
		if len(got) != 1 || got[0].Name() != c.name || (got[0].Status().Code == codes.Error) != c.failed {
			t.Fatalf("%d: the spans are %v", c.status, got)
		}
		want := []attribute.KeyValue{attribute.String("http.request.method", "GET"), attribute.Int("http.response.status_code", c.status)}
		if c.route != "" {
			want = append(want, attribute.String("http.route", c.route))
		}
		if c.code != "" {
			want = append(want, attribute.String("error.type", c.code))
		}
		if have, wanted := attribute.NewSet(got[0].Attributes()...), attribute.NewSet(want...); !have.Equals(&wanted) {
			t.Errorf("%d: the attributes are %v, want %v", c.status, got[0].Attributes(), want)
		}
	}
}
