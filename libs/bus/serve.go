package bus

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strconv"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/micro"
	"go.opentelemetry.io/otel/trace"

	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/problem"
)

// Server answers the requests of one service. All instances of a service form
// one queue group: each request goes to one of them.
type Server struct {
	conn    *Conn
	name    string
	service micro.Service
	subs    []*nats.Subscription
	open    sync.WaitGroup // subscriptions that may still hand something out
	slots   chan struct{}
	work    sync.WaitGroup
	ctx     context.Context
	cancel  context.CancelFunc
}

// Serve announces the service called name. At most pool requests are worked on
// at a time; what comes while the pool is full is refused with Unavailable at
// once, so that another instance or a later moment can take it. Endpoints are
// added with Handle.
func (c *Conn) Serve(name, version string, pool int) (*Server, error) {
	service, err := micro.AddService(c.nc, micro.Config{Name: name, Version: version})
	if err != nil {
		return nil, fmt.Errorf("announce the %s service: %w", name, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	return &Server{
		conn: c, name: name, service: service, slots: make(chan struct{}, pool), ctx: ctx, cancel: cancel,
	}, nil
}

// Handle answers the endpoint e with h. An error that is no *problem.Error is
// logged and answered as an internal one.
func Handle[Req, Res any](s *Server, e contract.Endpoint[Req, Res], h func(context.Context, contract.Principal, Req) (Res, error)) error {
	handle := handler(s, h)
	return s.addEndpoint(e.Subject(), func(m *nats.Msg) { s.dispatch(m, handle) })
}

// handler is h over messages: it reads the payload, and closes one that is a
// stream.
func handler[Req, Res any](s *Server, h func(context.Context, contract.Principal, Req) (Res, error)) handlerFunc {
	return func(ctx context.Context, m *nats.Msg, p contract.Principal) (any, error) {
		var req Req
		if err := s.conn.getPayload(ctx, m, &req); err != nil {
			return nil, err
		}
		if stream, ok := any(req).(contract.Stream); ok {
			defer stream.Close()
		}
		return h(ctx, p, req)
	}
}

// addEndpoint subscribes to the requests of an endpoint, as one of the group of
// all instances. It does so itself: the subscriptions of micro let nobody wait
// for their end.
func (s *Server) addEndpoint(subject string, receive func(*nats.Msg)) error {
	sub, err := s.conn.nc.QueueSubscribe(subject, micro.DefaultQueueGroup, receive)
	if err != nil {
		return fmt.Errorf("answer %s: %w", subject, err)
	}
	s.open.Add(1)
	sub.SetClosedHandler(func(string) { s.open.Done() })
	s.subs = append(s.subs, sub)
	// Whoever says that it is ready has to be heard of by the server.
	if err := s.conn.nc.FlushTimeout(flushTimeout); err != nil {
		return fmt.Errorf("announce %s: %w", subject, err)
	}
	return nil
}

// flushTimeout bounds one round trip to the NATS server.
const flushTimeout = 5 * time.Second

type handlerFunc func(context.Context, *nats.Msg, contract.Principal) (any, error)

// dispatch takes a request off the subscription, whose handler is called one
// message at a time, and works on it in a goroutine of its own.
func (s *Server) dispatch(m *nats.Msg, h handlerFunc) {
	select {
	case s.slots <- struct{}{}:
	default:
		s.refuseBusy(m)
		return
	}
	s.work.Go(func() {
		defer func() { <-s.slots }()
		s.handle(m, h)
	})
}

// refuseBusy answers a request that the pool has no room for. It waits for
// nothing: all other requests wait for it.
func (s *Server) refuseBusy(m *nats.Msg) {
	s.conn.metrics.rejected.WithLabelValues(s.name).Inc()
	now, cancel := context.WithCancel(s.ctx)
	cancel()
	s.respondError(now, m, problem.New(problem.Unavailable, "The %s service is busy. Retry later.", s.name).After(retryAfter))
}

// handle answers one request. Every request is answered, with a result or an
// error, unless its caller's deadline has passed: a caller without an answer
// would wait for all of its time.
func (s *Server) handle(m *nats.Msg, h handlerFunc) {
	handling := s.conn.metrics.handling.WithLabelValues(s.name)
	handling.Inc()
	defer handling.Dec()

	ctx, cancel, principal, err := readHeader(s.ctx, m.Header)
	if err != nil {
		s.respondError(s.ctx, m, err)
		return
	}
	defer cancel()
	ctx, span := s.conn.tracer.Start(ctx, m.Subject, trace.WithSpanKind(trace.SpanKindServer))
	defer span.End()

	res, err := call(ctx, m, principal, h)
	if err != nil {
		s.respondError(ctx, m, err)
		return
	}
	s.respond(ctx, m, res)
}

// call turns a panic of the handler into an error: one request must not take
// the others with it.
func call(ctx context.Context, m *nats.Msg, p contract.Principal, h handlerFunc) (res any, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	return h(ctx, m, p)
}

// respond sends a result.
func (s *Server) respond(ctx context.Context, m *nats.Msg, res any) {
	reply := nats.NewMsg(m.Reply)
	claim, err := s.conn.putPayload(ctx, m.Header.Get(headerCaller), reply, res)
	if stream, ok := res.(contract.Stream); ok {
		_ = stream.Close() // it was read to its end, or failed
	}
	if err != nil {
		s.respondError(ctx, m, err)
		return
	}
	if err := s.send(ctx, reply); err != nil {
		s.conn.dropClaim(claim)
		s.conn.log.WarnContext(ctx, "a reply was not sent", "subject", m.Subject, "error", err)
	}
}

// respondError sends an error. Those of callers are not worth a line in the log,
// those of ours are, and those of what we need, such as a database that is away.
func (s *Server) respondError(ctx context.Context, m *nats.Msg, err error) {
	failure := problem.Of(err)
	switch {
	case failure.Code == problem.Internal:
		s.conn.log.ErrorContext(ctx, "a request failed", "subject", m.Subject, "error", err)
	case failure.Code == problem.Unavailable && failure.Unwrap() != nil:
		s.conn.log.WarnContext(ctx, "a request could not be served", "subject", m.Subject, "error", err)
	default:
		s.conn.log.DebugContext(ctx, "a request was refused", "subject", m.Subject, "error", err)
	}
	reply := nats.NewMsg(m.Reply)
	reply.Header.Set(headerErrorCode, strconv.Itoa(int(failure.Code)))
	reply.Header.Set(headerError, failure.Code.Message())
	claim, err := s.conn.putPayload(ctx, m.Header.Get(headerCaller), reply, failure)
	if err != nil {
		// An error that cannot be sent as a whole would leave its caller waiting.
		small := problem.Error{Code: failure.Code, Detail: failure.Detail, RetryAfter: failure.RetryAfter}
		reply.Data, _ = json.Marshal(small) // numbers and a string
	}
	if err := s.send(ctx, reply); err != nil {
		s.conn.dropClaim(claim)
		s.conn.log.WarnContext(ctx, "an error was not sent", "subject", m.Subject, "error", err)
	}
}

const (
	// sendTimeout bounds how long an answer waits for a connection.
	sendTimeout = 5 * time.Second
	// sendRetry is how often is looked for one.
	sendRetry = 20 * time.Millisecond
	// sendDoubt is how long it may take to notice that a connection is lost which
	// the server has closed: what was sent by it meanwhile went nowhere.
	sendDoubt = 250 * time.Millisecond
)

// send sends a reply. Where the connection has been lost, it goes by the next
// one, if that comes while the caller waits; where it is lost just now, it goes
// by both: the caller takes the first.
func (s *Server) send(ctx context.Context, reply *nats.Msg) error {
	link := s.conn.connection()
	if err := s.sendOnce(ctx, reply); err != nil {
		return err
	}
	settled := context.AfterFunc(link, func() { _ = s.sendOnce(s.conn.life, reply) })
	time.AfterFunc(sendDoubt, func() { settled() })
	return nil
}

// sendOnce sends a reply as soon as there is a connection.
func (s *Server) sendOnce(ctx context.Context, reply *nats.Msg) error {
	ctx, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()
	for {
		err := s.conn.nc.PublishMsg(reply)
		if err == nil || !unsent(err) || sleep(ctx, sendRetry) != nil {
			return err
		}
	}
}

// Shutdown takes no new requests and returns when those that were taken are
// answered, or with the error of ctx, whereupon their contexts are cancelled.
// The Conn stays open. Requests that arrive while it goes on are answered by
// other instances: the subscriptions end before the pool is waited for.
func (s *Server) Shutdown(ctx context.Context) error {
	defer s.cancel()
	if err := s.service.Stop(); err != nil {
		return fmt.Errorf("stop the %s service: %w", s.name, err)
	}
	for _, sub := range s.subs {
		if err := sub.Drain(); err != nil && !errors.Is(err, nats.ErrConnectionClosed) {
			return fmt.Errorf("drain %s: %w", sub.Subject, err)
		}
	}
	drained := ended(&s.open) // what was delivered is in work then
	select {
	case <-drained:
	case <-ctx.Done():
	case <-time.After(drainTimeout):
		for _, sub := range s.subs {
			_ = sub.Unsubscribe() // the connection is lost, and delivers nothing
		}
		<-drained
	}
	select {
	case <-ended(&s.work):
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wait for the requests of the %s service: %w", s.name, ctx.Err())
	}
}

// drainTimeout bounds the wait for messages that were delivered but not
// dispatched, which takes microseconds each.
const drainTimeout = 2 * time.Second

// ended returns a channel that is closed when the group has ended.
func ended(group *sync.WaitGroup) <-chan struct{} {
	done := make(chan struct{})
	go func() {
		group.Wait()
		close(done)
	}()
	return done
}
