package bus

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/micro"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/libs/telemetry"
)

// Server answers the requests of one service. All instances of a service form one queue
// group, so each request goes to one of them.
type Server struct {
	conn    *Conn
	name    string
	service micro.Service
	subs    []*nats.Subscription
	open    sync.WaitGroup // subscriptions that may still deliver requests
	slots   chan struct{}
	work    sync.WaitGroup
	ctx     context.Context
	cancel  context.CancelFunc
}

// Serve announces the service called name. It handles at most pool requests concurrently.
// Requests that arrive while the pool is full are refused at once with Unavailable. Call
// resends them for a moment: another instance may have room. Add endpoints with Handle.
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

// Handle answers the endpoint e with h. An error that is not a *problem.Error is logged
// and answered as an internal error.
func Handle[Req, Res any](s *Server, e contract.Endpoint[Req, Res], h func(context.Context, contract.Principal, Req) (Res, error)) error {
	handle, subject := handler(s, h), e.Subject()
	o := operation{name: subject, kind: trace.SpanKindServer, attributes: []attribute.KeyValue{rpcSystem, attribute.String("rpc.method", subject)}}
	return s.addEndpoint(subject, func(m *nats.Msg) { s.dispatch(m, o, handle) })
}

// handler adapts h to messages: it decodes the payload, and closes it if it is a stream.
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

// addEndpoint subscribes to the requests of an endpoint in the queue group of all
// instances. It subscribes directly, because micro offers no way to wait until its
// subscriptions have ended.
func (s *Server) addEndpoint(subject string, receive func(*nats.Msg)) error {
	sub, err := s.conn.nc.QueueSubscribe(subject, micro.DefaultQueueGroup, receive)
	if err != nil {
		return fmt.Errorf("answer %s: %w", subject, err)
	}
	s.open.Add(1)
	sub.SetClosedHandler(func(string) { s.open.Done() })
	s.subs = append(s.subs, sub)
	// The server must know of the subscription before this instance reports that it is
	// ready.
	if err := s.conn.nc.FlushTimeout(flushTimeout); err != nil {
		return fmt.Errorf("announce %s: %w", subject, err)
	}
	return nil
}

// flushTimeout bounds one round trip to the NATS server.
const flushTimeout = 5 * time.Second

type handlerFunc func(context.Context, *nats.Msg, contract.Principal) (any, error)

// operation describes the span of a request that is handled.
type operation struct {
	name       string
	kind       trace.SpanKind
	attributes []attribute.KeyValue
}

// dispatch moves a request from the subscription, whose callback runs for one message at
// a time, to a goroutine of its own.
func (s *Server) dispatch(m *nats.Msg, o operation, h handlerFunc) {
	select {
	case s.slots <- struct{}{}:
	default:
		s.refuseBusy(m)
		return
	}
	s.work.Go(func() {
		defer func() { <-s.slots }()
		s.handle(m, o, h)
	})
}

// refuseBusy refuses a request that the pool has no room for. It must not block: it runs
// in the subscription's callback, so all other requests would wait for it.
func (s *Server) refuseBusy(m *nats.Msg) {
	s.conn.metrics.rejected.WithLabelValues(s.name).Inc()
	now, cancel := context.WithCancel(s.ctx)
	cancel()
	reply := nats.NewMsg(m.Reply)
	reply.Header.Set(headerRefused, "busy")
	s.replyError(now, m, reply, problem.New(problem.Unavailable, "The %s service is busy. Retry later.", s.name).After(retryAfter))
}

// handle answers one request. It always replies, with a result or an error, unless the
// caller's deadline has passed; without a reply the caller would wait for its whole
// timeout.
func (s *Server) handle(m *nats.Msg, o operation, h handlerFunc) {
	handling := s.conn.metrics.handling.WithLabelValues(s.name)
	handling.Inc()
	defer handling.Dec()

	ctx, cancel, principal, err := readHeader(s.ctx, m.Header)
	if err != nil {
		s.respondError(s.ctx, m, err)
		return
	}
	defer cancel()
	ctx, span := telemetry.Start(ctx, s.conn.tracer, o.name, o.kind, o.attributes...)
	defer func() { telemetry.End(span, err) }()

	res, err := call(ctx, m, principal, h)
	if err != nil {
		s.respondError(ctx, m, err)
		return
	}
	s.respond(ctx, m, res)
}

// call turns a panic of the handler into an error, so that one request does not crash the
// process.
func call(ctx context.Context, m *nats.Msg, p contract.Principal, h handlerFunc) (res any, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	return h(ctx, m, p)
}

// Shutdown stops accepting requests and returns when those accepted are answered. If ctx
// ends first, it returns the error of ctx and cancels the contexts of the remaining
// requests. The Conn stays open. Other instances answer requests that arrive during
// shutdown: the subscriptions end before Shutdown waits for the pool.
func (s *Server) Shutdown(ctx context.Context) error {
	defer s.cancel()
	if err := s.service.Stop(); err != nil {
		return fmt.Errorf("stop the %s service: %w", s.name, err)
	}
	if err := s.leave(ctx); err != nil {
		return err
	}
	select {
	case <-ended(&s.work):
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wait for the requests of the %s service: %w", s.name, ctx.Err())
	}
}

// leave ends the subscriptions. When it returns, every request that NATS has sent to this
// instance is dispatched, unless ctx ends first. NATS sends later ones to the others.
func (s *Server) leave(ctx context.Context) error {
	for _, sub := range s.subs {
		if err := sub.Drain(); err != nil && !errors.Is(err, nats.ErrConnectionClosed) {
			return fmt.Errorf("drain %s: %w", sub.Subject, err)
		}
	}
	left := ended(&s.open)
	ticker := time.NewTicker(leaveCheck)
	defer ticker.Stop()
	for {
		if !s.conn.nc.IsConnected() {
			for _, sub := range s.subs {
				_ = sub.Unsubscribe() // nothing more is delivered, and the next connection must not subscribe again
			}
		}
		select {
		case <-left:
			return nil
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}

// leaveCheck is how often leave checks that the connection is up.
const leaveCheck = 100 * time.Millisecond

// ended returns a channel that is closed when the group is done.
func ended(group *sync.WaitGroup) <-chan struct{} {
	done := make(chan struct{})
	go func() {
		group.Wait()
		close(done)
	}()
	return done
}
