package telemetry

import (
	"context"

	"go.opentelemetry.io/otel/propagation"
)

// Origin is where stored work comes from: the request that submitted it, and the trace of
// that request. Work that runs later, in another process, belongs to them as well.
type Origin struct {
	RequestID string `json:"request_id,omitzero"`
	// Trace and State are the W3C headers traceparent and tracestate.
	Trace string `json:"trace,omitzero"`
	State string `json:"state,omitzero"`
}

const (
	traceHeader = "traceparent"
	stateHeader = "tracestate"
)

// OriginOf returns the request and the trace of ctx.
func OriginOf(ctx context.Context) Origin {
	header := propagation.MapCarrier{}
	Propagator.Inject(ctx, header)
	return Origin{RequestID: RequestID(ctx), Trace: header[traceHeader], State: header[stateHeader]}
}

// Context returns a context whose log lines and spans belong to the origin.
func (o Origin) Context(ctx context.Context) context.Context {
	if o.RequestID != "" {
		ctx = WithRequestID(ctx, o.RequestID)
	}
	return Propagator.Extract(ctx, propagation.MapCarrier{traceHeader: o.Trace, stateHeader: o.State})
}
