package bus

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/libs/telemetry"
)

// retryAfter is the retry delay suggested to callers when a service is unavailable.
const retryAfter = time.Second

type timeoutKey struct{}

// WithTimeout gives each call under the returned context the time d. The clock starts
// when the payload has been handed over: the time a slow client takes to send a body does
// not count against the service.
func WithTimeout(ctx context.Context, d time.Duration) context.Context {
	return context.WithValue(ctx, timeoutKey{}, d)
}

// Call sends req to the endpoint e on behalf of p and returns its reply. The deadline of
// ctx travels with the request; see also WithTimeout. If e is idempotent, the request is
// resent while no reply arrives. The error is always a *problem.Error: the service's own
// error, Unavailable if the request reached no service, or TimedOut if no reply came in
// time or the reply may have been lost with the connection.
func Call[Req, Res any](ctx context.Context, c *Conn, e contract.Endpoint[Req, Res], p contract.Principal, req Req) (Res, error) {
	subject := e.Subject()
	ctx, span := telemetry.Child(ctx, subject, trace.SpanKindClient, rpcSystem, attribute.String("rpc.method", subject))
	begin := time.Now()
	var res Res
	err := c.call(ctx, target{service: e.Service, subject: subject, idempotent: e.Idempotent}, p, req, &res)
	telemetry.End(span, err)
	code := "ok"
	if err != nil {
		failure := problem.Of(err)
		code, err = strconv.Itoa(int(failure.Code)), failure
	}
	c.metrics.calls.WithLabelValues(subject, code).Observe(time.Since(begin).Seconds())
	return res, err
}

// rpcSystem marks the spans of calls.
var rpcSystem = attribute.String("rpc.system.name", "nats")

// target is a contract.Endpoint without its type parameters.
type target struct {
	service, subject string
	idempotent       bool
}

// call is Call without type parameters: it sends the payload, or a claim check for it,
// and reads the reply into res. It drops a claim that can no longer be redeemed.
func (c *Conn) call(ctx context.Context, to target, p contract.Principal, req, res any) error {
	m := nats.NewMsg(to.subject)
	claim, err := c.putPayload(ctx, to.service, m, req)
	if err != nil {
		return err
	}
	if d, ok := ctx.Value(timeoutKey{}).(time.Duration); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, d)
		defer cancel()
	}
	if err := writeHeader(ctx, m, p); err != nil {
		return err
	}
	m.Header.Set(headerCaller, c.name)
	request := c.request
	if to.idempotent && claim == "" { // a claim check can be redeemed only once
		request = c.requestRepeatedly
	}
	reply, err := request(ctx, m)
	if err != nil {
		c.dropClaim(claim) // a service that replied has redeemed it
		return callError(ctx, to.service, err)
	}
	if reply.Header.Get(headerErrorCode) != "" {
		c.dropClaim(claim) // the service may have failed before redeeming it
		return c.replyError(ctx, reply)
	}
	return c.getPayload(ctx, reply, res)
}

const (
	// patience is how long a request that certainly reached no service, or that an instance
	// refused because it is busy, is resent. An instance that lost its connection
	// reconnects within that time, NATS notices that a replaced instance is gone, and
	// another instance may have room.
	patience = 500 * time.Millisecond
	// lostShare is the fraction of its remaining time (1/lostShare) that a caller keeps
	// waiting after the connection is lost: the reply may arrive on the next connection,
	// or be lost too.
	lostShare = 4
	// resendAfter is how long the reply to an idempotent request may take before the
	// request is resent. NATS keeps sending requests to an instance cut off by the network
	// until it notices that the instance is gone.
	resendAfter = 2 * time.Second
	// maxSends is how often such a request is sent at most, the first time included. It
	// is resent after 2, 6 and 14 s.
	maxSends = 4
)

// requestRepeatedly is request for idempotent endpoints. While no reply arrives it
// resends m, after resendAfter and then with doubled delays, and returns the first result
// that is a reply.
func (c *Conn) requestRepeatedly(ctx context.Context, m *nats.Msg) (*nats.Msg, error) {
	type result struct {
		reply *nats.Msg
		err   error
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	results := make(chan result, maxSends)
	send := func() {
		own := &nats.Msg{Subject: m.Subject, Header: maps.Clone(m.Header), Data: m.Data}
		go func() {
			reply, err := c.request(ctx, own)
			results <- result{reply, err}
		}()
	}
	send()
	timer := time.NewTimer(resendAfter)
	defer timer.Stop()
	for sent, pending := 1, 1; ; {
		select {
		case r := <-results:
			if pending--; r.err == nil || pending == 0 {
				return r.reply, r.err
			}
		case <-timer.C:
			send()
			if sent, pending = sent+1, pending+1; sent < maxSends {
				timer.Reset(resendAfter << (sent - 1))
			}
		}
	}
}

// request sends m and returns the reply. It resends m only if certainly no service did
// anything about it.
func (c *Conn) request(ctx context.Context, m *nats.Msg) (*nats.Msg, error) {
	begin := time.Now()
	for wait := 5 * time.Millisecond; ; wait *= 2 {
		writeTimeLeft(ctx, m)
		reply, err := c.requestOnce(ctx, m)
		if !untouched(reply, err) || time.Since(begin)+wait > patience || sleep(ctx, wait) != nil {
			return reply, err
		}
	}
}

// untouched reports whether certainly no service did anything about a request with this
// reply or error.
func untouched(reply *nats.Msg, err error) bool {
	if err != nil {
		return unsent(err) || errors.Is(err, nats.ErrNoResponders)
	}
	return reply.Header.Get(headerRefused) != ""
}

// requestOnce sends m and waits for the reply. If the connection is lost meanwhile, it
// waits only a fraction of the remaining time.
func (c *Conn) requestOnce(ctx context.Context, m *nats.Msg) (*nats.Msg, error) {
	waiting, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(c.connection(), func() {
		_ = sleep(waiting, timeLeftOf(ctx)/lostShare)
		cancel(nats.ErrDisconnected)
	})()
	reply, err := c.nc.RequestMsgWithContext(waiting, m)
	if err != nil && waiting.Err() != nil && ctx.Err() == nil {
		return nil, context.Cause(waiting)
	}
	return reply, err
}

// callError returns the error for a call that got no reply.
func callError(ctx context.Context, service string, err error) error {
	switch {
	case errors.Is(err, nats.ErrNoResponders):
		return problem.New(problem.Unavailable, "The %s service is not running. Retry later.", service).
			After(retryAfter).Because(err)
	case !unsent(err) && (ctx.Err() != nil || errors.Is(err, nats.ErrDisconnected) || errors.Is(err, nats.ErrConnectionClosed)): // the request may have arrived
		return problem.New(problem.TimedOut, "The %s service did not answer in time. The work continues: retry the request.", service).
			Because(err)
	default:
		return problem.New(problem.Unavailable, "The %s service cannot be reached. Retry later.", service).
			After(retryAfter).Because(err)
	}
}

// replyError returns the error in a service's reply.
func (c *Conn) replyError(ctx context.Context, reply *nats.Msg) error {
	var e problem.Error
	if err := c.getPayload(ctx, reply, &e); err != nil || e.Code == 0 {
		var lost *problem.Error // the error itself was lost on its way
		if errors.As(err, &lost) {
			return lost
		}
		return fmt.Errorf("service error %s without a problem: %s", reply.Header.Get(headerErrorCode), reply.Header.Get(headerError))
	}
	return &e
}
