package bus

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"go.opentelemetry.io/otel/trace"

	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/problem"
)

// retryAfter is what a caller is told to wait when a service is not there.
const retryAfter = time.Second

type timeoutKey struct{}

// WithTimeout gives each call under the returned context the time d, from the
// moment that its payload has been handed over: how long a slow client takes to
// send a body is not the service's time.
func WithTimeout(ctx context.Context, d time.Duration) context.Context {
	return context.WithValue(ctx, timeoutKey{}, d)
}

// Call sends req to the endpoint e on behalf of p and returns its reply. The
// deadline of ctx travels along; see also WithTimeout. Where e is idempotent, the
// request is sent again while no reply arrives. The error is always
// a *problem.Error: what the service returned, Unavailable if the request reached
// nobody, TimedOut if no reply came in time or the reply may be lost with the
// connection.
func Call[Req, Res any](ctx context.Context, c *Conn, e contract.Endpoint[Req, Res], p contract.Principal, req Req) (Res, error) {
	ctx, span := c.tracer.Start(ctx, e.Subject(), trace.WithSpanKind(trace.SpanKindClient))
	defer span.End()

	begin := time.Now()
	var res Res
	err := c.call(ctx, target{service: e.Service, subject: e.Subject(), idempotent: e.Idempotent}, p, req, &res)
	code := "ok"
	if err != nil {
		failure := problem.Of(err)
		code, err = strconv.Itoa(int(failure.Code)), failure
	}
	c.metrics.calls.WithLabelValues(e.Subject(), code).Observe(time.Since(begin).Seconds())
	return res, err
}

// target is a contract.Endpoint without its types.
type target struct {
	service, subject string
	idempotent       bool
}

// call is Call without its types: it sends the payload, or a claim check for it,
// and reads the reply into res. A claim that nobody can redeem any more is
// dropped.
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
	if to.idempotent && claim == "" { // a claim check is redeemed once
		request = c.requestRepeatedly
	}
	reply, err := request(ctx, m)
	if err != nil {
		c.dropClaim(claim) // who answers has redeemed it
		return callError(ctx, to.service, err)
	}
	if reply.Header.Get(headerErrorCode) != "" {
		c.dropClaim(claim) // who refuses may not have looked at it
		return c.replyError(ctx, reply)
	}
	return c.getPayload(ctx, reply, res)
}

const (
	// patience is how long a request is sent again that surely reached nobody: for
	// so long an instance that has lost its connection makes it again, and one
	// that was replaced is still being missed.
	patience = 500 * time.Millisecond
	// lostShare is the part of its time that a caller still waits whose connection
	// was lost: the answer may come by the next one, or be lost as well.
	lostShare = 4
	// resendAfter is how long the reply to an idempotent request may take before the
	// request is sent again. NATS drops a request that one server of a cluster routes
	// to another just when the last instance that is connected there unsubscribes, and
	// sends others to an instance that the network has cut off, until it misses it.
	resendAfter = 2 * time.Second
	// maxSends is how often such a request is sent at most: after 2, 6 and 14 s again.
	maxSends = 4
)

// requestRepeatedly is request for what is idempotent: while no reply arrives, it sends
// m again, after resendAfter and then after twice the time each, and returns what comes
// first.
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

// request sends m and returns the reply. It sends it once, unless that surely
// reached nobody.
func (c *Conn) request(ctx context.Context, m *nats.Msg) (*nats.Msg, error) {
	begin := time.Now()
	for wait := 5 * time.Millisecond; ; wait *= 2 {
		writeTimeLeft(ctx, m)
		reply, err := c.requestOnce(ctx, m)
		if err == nil || !unsent(err) && !errors.Is(err, nats.ErrNoResponders) || time.Since(begin)+wait > patience || sleep(ctx, wait) != nil {
			return reply, err
		}
	}
}

// requestOnce sends m and waits for the reply, but not for long when the
// connection is lost meanwhile.
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

// callError says what a caller is told when there is no reply.
func callError(ctx context.Context, service string, err error) error {
	switch {
	case errors.Is(err, nats.ErrNoResponders):
		return problem.New(problem.Unavailable, "The %s service is not running. Retry later.", service).
			After(retryAfter).Because(err)
	case !unsent(err) && (ctx.Err() != nil || errors.Is(err, nats.ErrDisconnected) || errors.Is(err, nats.ErrConnectionClosed)): // nobody knows
		return problem.New(problem.TimedOut, "The %s service did not answer in time. The work continues: retry the request.", service).
			Because(err)
	default:
		return problem.New(problem.Unavailable, "The %s service cannot be reached. Retry later.", service).
			After(retryAfter).Because(err)
	}
}

// replyError returns the error that a service answered with.
func (c *Conn) replyError(ctx context.Context, reply *nats.Msg) error {
	var e problem.Error
	if err := c.getPayload(ctx, reply, &e); err != nil || e.Code == 0 {
		var lost *problem.Error // on its way
		if errors.As(err, &lost) {
			return lost
		}
		return fmt.Errorf("service error %s without a problem: %s", reply.Header.Get(headerErrorCode), reply.Header.Get(headerError))
	}
	return &e
}
