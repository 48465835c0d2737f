package bus

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/telemetry"
)

const (
	// headerReply is the reply subject of a queued request.
	headerReply = "Recto-Reply"
	// headerTTL makes the server drop a message when its TTL has passed.
	headerTTL = "Nats-TTL"
	// requestsAge bounds how long a request may be queued.
	requestsAge = 5 * time.Minute
	// requestsBytes bounds the size of the queued requests of one endpoint, and
	// requestBytes that of one request with its header, without the bodies that travel as
	// claim checks. The server reserves the memory for them.
	requestsBytes = 256 << 20
	requestBytes  = claimThreshold + 16<<10
	// requestsWindow is how long a resent request is recognized as a duplicate.
	requestsWindow = time.Minute
	// fetchWait bounds the wait for a message that may not exist.
	fetchWait = 2 * time.Second
)

// Requests is an in-memory work queue of requests for the workers of any instance.
// No part of a request reaches a disk. Requests lost in a server restart get no reply, so
// their callers time out.
type Requests struct {
	conn     *Conn
	subject  string
	sending  operation // the span of putting a request into the queue
	taking   operation // the span of answering one
	ackWait  time.Duration
	consumer jetstream.Consumer
	wakeup   *wakeups
}

// OpenRequests opens the queue of the endpoint called name, for example
// "conversion.inline", creating it or updating its limits as needed. At most limit
// requests are queued or in progress. A request whose worker is silent for ackWait is
// redelivered to another worker. The caller closes the queue.
func (c *Conn) OpenRequests(ctx context.Context, name string, limit int64, ackWait time.Duration) (*Requests, error) {
	q := &Requests{conn: c, subject: "requests." + name, ackWait: ackWait}
	q.sending, q.taking = messaging(q.subject, "send", trace.SpanKindProducer), messaging(q.subject, "process", trace.SpanKindConsumer)
	err := c.keep(ctx, func(ctx context.Context) error { return q.open(ctx, name, limit) })
	if err != nil {
		return nil, err
	}
	if q.wakeup, err = c.wakeups("wakeup." + q.subject); err != nil {
		return nil, err
	}
	return q, nil
}

// open opens the stream and its consumer.
func (q *Requests) open(ctx context.Context, name string, limit int64) error {
	stream := "REQUESTS-" + strings.ToUpper(strings.ReplaceAll(name, ".", "-"))
	_, err := q.conn.ensureStream(ctx, jetstream.StreamConfig{
		Name: stream, Description: "requests that wait for a worker",
		Subjects: []string{q.subject}, Retention: jetstream.WorkQueuePolicy, Storage: jetstream.MemoryStorage,
		MaxMsgs: limit, MaxBytes: min(requestsBytes, limit*requestBytes), MaxAge: requestsAge, Discard: jetstream.DiscardNew, Duplicates: requestsWindow, AllowMsgTTL: true,
	})
	if err != nil {
		return err
	}
	consumer, err := q.conn.ensureConsumer(ctx, stream, jetstream.ConsumerConfig{
		Durable: "workers", AckPolicy: jetstream.AckExplicitPolicy, AckWait: q.ackWait, MaxDeliver: -1, MemoryStorage: true,
	})
	if err == nil && q.consumer == nil { // the existing handle also works for a recreated consumer
		q.consumer = consumer
	}
	return err
}

// Woken returns a channel that receives when there may be a request.
func (q *Requests) Woken() <-chan struct{} { return q.wakeup.woken }

// Close stops listening for wakeups.
func (q *Requests) Close() error { return q.wakeup.close() }

// Forward queues the requests of the endpoint in q, from which workers of any instance
// Take them. The payload of a claim check is not read until then.
func Forward[Req, Res any](s *Server, e contract.Endpoint[Req, Res], q *Requests) error {
	return s.addEndpoint(e.Subject(), func(m *nats.Msg) {
		select {
		case s.slots <- struct{}{}:
		default:
			s.refuseBusy(m)
			return
		}
		s.work.Go(func() {
			defer func() { <-s.slots }()
			s.forward(m, q)
		})
	})
}

// forward queues a request in q, or replies with an error if it cannot.
func (s *Server) forward(m *nats.Msg, q *Requests) {
	ctx, cancel, _, err := readHeader(s.ctx, m.Header)
	if err == nil {
		defer cancel()
		err = s.putTraced(ctx, m, q)
	} else {
		ctx = s.ctx
	}
	if err != nil {
		s.conn.dropClaim(m.Header.Get(headerClaim)) // it will not be redeemed
		s.respondError(ctx, m, err)
	}
}

// putTraced is put within a span, to which the worker's span will belong.
func (s *Server) putTraced(ctx context.Context, m *nats.Msg, q *Requests) error {
	ctx, span := telemetry.Start(ctx, s.conn.tracer, q.sending.name, q.sending.kind, q.sending.attributes...)
	err := q.put(ctx, m)
	telemetry.End(span, err)
	return err
}

// messaging returns the span of an operation on the messages of a subject, as the semantic
// conventions of OpenTelemetry describe it.
func messaging(subject, verb string, kind trace.SpanKind) operation {
	return operation{name: verb + " " + subject, kind: kind, attributes: []attribute.KeyValue{
		attribute.String("messaging.system", "nats"), attribute.String("messaging.operation.type", verb),
		attribute.String("messaging.operation.name", verb), attribute.String("messaging.destination.name", subject),
	}}
}

// put stores a request in the queue for as long as its caller waits.
func (q *Requests) put(ctx context.Context, m *nats.Msg) error {
	waiting := &nats.Msg{Subject: q.subject, Header: nats.Header{}, Data: m.Data}
	for name, values := range m.Header {
		waiting.Header[name] = values
	}
	waiting.Header.Set(headerReply, m.Reply)
	telemetry.Propagator.Inject(ctx, headerCarrier(waiting.Header))
	if left, err := strconv.ParseInt(m.Header.Get(headerTimeout), 10, 64); err == nil {
		seconds := max(1, (time.Duration(left)*time.Millisecond+time.Second-1).Truncate(time.Second)/time.Second)
		waiting.Header.Set(headerTTL, fmt.Sprintf("%ds", seconds))
	}
	if _, err := q.conn.store(ctx, waiting, nuid.Next()); err != nil {
		return storeProblem(err, "Too many requests of this kind are waiting.")
	}
	q.wakeup.all()
	return nil
}

// Take answers the next request with h and reports whether there was one. It returns when
// the request is answered. Call it from several goroutines to handle several requests
// concurrently.
func Take[Req, Res any](ctx context.Context, s *Server, q *Requests, h func(context.Context, contract.Principal, Req) (Res, error)) (bool, error) {
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	d, err := s.conn.fetch(q.consumer)
	if err != nil || d == nil {
		return false, err
	}
	q.wakeup.one() // there may be more requests for the other workers
	stop := keepWorking(d, q.ackWait/3)
	defer stop()
	header := d.Headers()
	if meta, err := d.Metadata(); err == nil {
		s.conn.metrics.queued.WithLabelValues(q.subject).Observe(time.Since(meta.Timestamp).Seconds())
	}
	if !timeLeft(d, header) { // its caller has given up
		s.conn.dropClaim(header.Get(headerClaim))
		return true, d.Ack()
	}
	m := &nats.Msg{Subject: d.Subject(), Reply: header.Get(headerReply), Header: header, Data: d.Data()}
	s.handle(m, q.taking, handler(s, h))
	if err := d.Ack(); err != nil {
		return true, fmt.Errorf("acknowledge a request: %w", err)
	}
	return true, nil
}

// timeLeft subtracts the time a request was queued from the time it had, comparing the
// server's clock with the local one, and reports whether any time is left.
func timeLeft(d jetstream.Msg, header nats.Header) bool {
	left, err := strconv.ParseInt(header.Get(headerTimeout), 10, 64)
	meta, metaErr := d.Metadata()
	if err != nil || metaErr != nil {
		return true // it has no deadline
	}
	if waited := time.Since(meta.Timestamp).Milliseconds(); waited > 0 {
		left -= waited
	}
	header.Set(headerTimeout, strconv.FormatInt(left, 10))
	return left > 0
}

// keepWorking regularly reports that a message is still in progress, until the returned
// function is called.
func keepWorking(m jetstream.Msg, every time.Duration) (stop func()) {
	done := make(chan struct{})
	var beating sync.WaitGroup
	beating.Go(func() {
		ticker := time.NewTicker(every)
		defer ticker.Stop()
		for {
			select {
			case <-done:
				return
			case <-ticker.C:
				_ = m.InProgress() // if this keeps failing, the message is redelivered
			}
		}
	})
	return func() {
		close(done)
		beating.Wait()
	}
}

// fetch returns the next message of a consumer, or nil if there is none now. It takes no
// context because a message that arrives must be handled.
func (c *Conn) fetch(consumer jetstream.Consumer) (jetstream.Msg, error) {
	if !c.nc.IsConnected() { // otherwise each fetch would leak a subscription
		return nil, errors.New("fetch a message: no connection to NATS")
	}
	batch, err := consumer.FetchNoWait(1)
	if err != nil {
		return nil, fmt.Errorf("fetch a message: %w", err)
	}
	select {
	case m, ok := <-batch.Messages():
		if ok {
			return m, nil
		}
	case <-time.After(fetchWait):
	}
	if err := batch.Error(); err != nil && !errors.Is(err, nats.ErrTimeout) {
		return nil, fmt.Errorf("fetch a message: %w", err)
	}
	return nil, nil
}
