package bus

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/nats-io/nats.go"

	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/telemetry"
)

// The headers of a request and its reply. The two error headers have the names that
// nats.go/micro uses, so that its tools recognize errors.
const (
	headerPrincipal = "Recto-Principal"
	headerCaller    = "Recto-Caller"  // name of the calling part
	headerTimeout   = "Recto-Timeout" // remaining milliseconds, so that clocks need not agree
	headerRequestID = "Recto-Request-Id"
	headerClaim     = "Recto-Claim"      // name of the claim that holds the payload
	headerClaimSize = "Recto-Claim-Size" // its size in bytes
	headerRefused   = "Recto-Refused"    // set if the pool had no room: nothing was done
	headerError     = "Nats-Service-Error"
	headerErrorCode = "Nats-Service-Error-Code"
)

// writeHeader sets the headers for the principal, the request ID and the trace context.
func writeHeader(ctx context.Context, m *nats.Msg, p contract.Principal) error {
	principal, err := json.Marshal(p, jsontext.EscapeForJS(true))
	if err != nil {
		return fmt.Errorf("encode the principal: %w", err)
	}
	m.Header.Set(headerPrincipal, string(principal))
	m.Header.Set(headerRequestID, telemetry.RequestID(ctx))
	telemetry.Propagator.Inject(ctx, headerCarrier(m.Header))
	return nil
}

// writeTimeLeft sets the header for the time left until the deadline of ctx.
func writeTimeLeft(ctx context.Context, m *nats.Msg) {
	if deadline, ok := ctx.Deadline(); ok {
		m.Header.Set(headerTimeout, strconv.FormatInt(time.Until(deadline).Milliseconds(), 10))
	}
}

// readHeader returns the principal of a request and a context with its deadline, request
// ID, trace context and, for log lines, principal.
func readHeader(ctx context.Context, h nats.Header) (context.Context, context.CancelFunc, contract.Principal, error) {
	var p contract.Principal
	if err := json.Unmarshal([]byte(h.Get(headerPrincipal)), &p); err != nil {
		return nil, nil, p, fmt.Errorf("decode the principal: %w", err)
	}
	timeout := defaultTimeout
	if text := h.Get(headerTimeout); text != "" {
		left, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return nil, nil, p, fmt.Errorf("decode the timeout: %w", err)
		}
		timeout = time.Duration(left) * time.Millisecond
	}
	ctx = telemetry.WithRequestID(ctx, h.Get(headerRequestID))
	ctx = telemetry.WithPrincipal(ctx, p.Organization, p.Key)
	ctx = telemetry.Propagator.Extract(ctx, headerCarrier(h))
	ctx, cancel := context.WithTimeout(ctx, timeout)
	return ctx, cancel, p, nil
}

// timeLeftOf returns the time until the deadline of ctx.
func timeLeftOf(ctx context.Context) time.Duration {
	if deadline, ok := ctx.Deadline(); ok {
		return time.Until(deadline)
	}
	return defaultTimeout
}

// defaultTimeout applies to a request whose caller set no deadline.
const defaultTimeout = 30 * time.Second

// headerCarrier carries a trace context in a NATS header. Its keys are lower case, as W3C
// writes them: nats.Header is case-sensitive, so propagation.HeaderCarrier, which
// canonicalizes keys, would not find the headers sent by other languages.
type headerCarrier nats.Header

// Get implements propagation.TextMapCarrier.
func (h headerCarrier) Get(key string) string {
	if v := h[key]; len(v) > 0 {
		return v[0]
	}
	return ""
}

func (h headerCarrier) Set(key, value string) { h[key] = []string{value} }

// Keys implements propagation.TextMapCarrier.
func (h headerCarrier) Keys() []string {
	keys := make([]string, 0, len(h))
	for k := range h {
		keys = append(keys, k)
	}
	return keys
}
