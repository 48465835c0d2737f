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

	"github.com/rectohq/recto/libs/contract"
)

const (
	// headerReply is where the answer to a request that waits is sent.
	headerReply = "Recto-Reply"
	// headerTTL makes the server drop a message when its time is over.
	headerTTL = "Nats-TTL"
	// requestsAge bounds how long a request may wait.
	requestsAge = 5 * time.Minute
	// requestsBytes bounds the requests that wait, without the bodies that
	// travel as claim checks.
	requestsBytes = 256 << 20
	// requestsWindow is how long a request that is sent again is told from a new
	// one.
	requestsWindow = time.Minute
	// fetchWait bounds the question for a message that may not be there.
	fetchWait = 2 * time.Second
)

// Requests are requests that wait for a worker, of whatever instance, in a work
// queue in memory: nothing of them reaches a disk. What a restart of the server
// loses is answered to nobody; its callers are told when their time is over.
type Requests struct {
	conn     *Conn
	subject  string
	ackWait  time.Duration
	consumer jetstream.Consumer
	wake     chan struct{}
	wakeup   *nats.Subscription
}

// OpenRequests opens the queue of the endpoint that is called name, as in
// "conversion.inline", and makes it or adapts its limits if need be. At most
// limit requests wait or are worked on; a worker that is silent for ackWait
// loses its request to another one. The caller closes it.
func (c *Conn) OpenRequests(ctx context.Context, name string, limit int64, ackWait time.Duration) (*Requests, error) {
	q := &Requests{conn: c, subject: "requests." + name, ackWait: ackWait, wake: make(chan struct{}, 1)}
	err := c.keep(ctx, func(ctx context.Context) error { return q.open(ctx, name, limit) })
	if err != nil {
		return nil, err
	}
	if q.wakeup, err = c.nc.Subscribe("wakeup."+q.subject, func(*nats.Msg) { q.wakeOne() }); err != nil {
		return nil, fmt.Errorf("listen for requests of %s: %w", name, err)
	}
	return q, nil
}

// open opens the stream and its consumer.
func (q *Requests) open(ctx context.Context, name string, limit int64) error {
	stream := "REQUESTS-" + strings.ToUpper(strings.ReplaceAll(name, ".", "-"))
	_, err := q.conn.ensureStream(ctx, jetstream.StreamConfig{
		Name: stream, Description: "requests that wait for a worker",
		Subjects: []string{q.subject}, Retention: jetstream.WorkQueuePolicy, Storage: jetstream.MemoryStorage,
		MaxMsgs: limit, MaxBytes: requestsBytes, MaxAge: requestsAge, Discard: jetstream.DiscardNew, Duplicates: requestsWindow, AllowMsgTTL: true,
	})
	if err != nil {
		return err
	}
	consumer, err := q.conn.ensureConsumer(ctx, stream, jetstream.ConsumerConfig{
		Durable: "workers", AckPolicy: jetstream.AckExplicitPolicy, AckWait: q.ackWait, MaxDeliver: -1, MemoryStorage: true,
	})
	if err == nil && q.consumer == nil { // otherwise it is as good for what was made again
		q.consumer = consumer
	}
	return err
}

// wakeOne wakes one worker of this process.
func (q *Requests) wakeOne() {
	select {
	case q.wake <- struct{}{}:
	default: // one is about to look already
	}
}

// Woken is ready to be received from when there may be a request.
func (q *Requests) Woken() <-chan struct{} { return q.wake }

// Close ends the listening for requests.
func (q *Requests) Close() error { return q.wakeup.Unsubscribe() }

// Forward lets the requests of the endpoint wait in q, where workers of any
// instance Take them. Their payload stays where it is until then.
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

// forward lets a request wait in q, or answers that it cannot.
func (s *Server) forward(m *nats.Msg, q *Requests) {
	ctx, cancel, _, err := readHeader(s.ctx, m.Header)
	if err == nil {
		defer cancel()
		err = q.put(ctx, m)
	} else {
		ctx = s.ctx
	}
	if err != nil {
		s.conn.dropClaim(m.Header.Get(headerClaim)) // nobody redeems it any more
		s.respondError(ctx, m, err)
	}
}

// put stores a request in the queue, for as long as its caller waits.
func (q *Requests) put(ctx context.Context, m *nats.Msg) error {
	waiting := &nats.Msg{Subject: q.subject, Header: nats.Header{}, Data: m.Data}
	for name, values := range m.Header {
		waiting.Header[name] = values
	}
	waiting.Header.Set(headerReply, m.Reply)
	if left, err := strconv.ParseInt(m.Header.Get(headerTimeout), 10, 64); err == nil {
		seconds := max(1, (time.Duration(left)*time.Millisecond+time.Second-1).Truncate(time.Second)/time.Second)
		waiting.Header.Set(headerTTL, fmt.Sprintf("%ds", seconds))
	}
	if _, err := q.conn.store(ctx, waiting, nuid.Next()); err != nil {
		return storeProblem(err, "Too many requests of this kind are waiting.")
	}
	_ = q.conn.nc.Publish("wakeup."+q.subject, nil) // without it, it is found a little later
	return nil
}

// Take answers the next request with h, and reports whether there was one. It
// returns when that is answered. Take of several goroutines takes several.
func Take[Req, Res any](ctx context.Context, s *Server, q *Requests, h func(context.Context, contract.Principal, Req) (Res, error)) (bool, error) {
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	d, err := s.conn.fetch(q.consumer)
	if err != nil || d == nil {
		return false, err
	}
	q.wakeOne() // where one is, there may be more: for the other workers
	stop := keepWorking(d, q.ackWait/3)
	defer stop()
	header := d.Headers()
	if !timeLeft(d, header) { // its caller is gone
		s.conn.dropClaim(header.Get(headerClaim))
		return true, d.Ack()
	}
	m := &nats.Msg{Subject: d.Subject(), Reply: header.Get(headerReply), Header: header, Data: d.Data()}
	s.handle(m, handler(s, h))
	if err := d.Ack(); err != nil {
		return true, fmt.Errorf("acknowledge a request: %w", err)
	}
	return true, nil
}

// timeLeft takes the time that a request has waited, by the clock of the server
// and this one, off the time that it had, and reports whether there is any left.
func timeLeft(d jetstream.Msg, header nats.Header) bool {
	left, err := strconv.ParseInt(header.Get(headerTimeout), 10, 64)
	meta, metaErr := d.Metadata()
	if err != nil || metaErr != nil {
		return true // it had none
	}
	if waited := time.Since(meta.Timestamp).Milliseconds(); waited > 0 {
		left -= waited
	}
	header.Set(headerTimeout, strconv.FormatInt(left, 10))
	return left > 0
}

// keepWorking says from time to time that the worker of a message lives, until
// the function that it returns is called.
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
				_ = m.InProgress() // without it, another worker takes it
			}
		}
	})
	return func() {
		close(done)
		beating.Wait()
	}
}

// fetch returns the next message of a consumer, or nil if there is none now. It
// waits for no context: a message that arrives is to be dealt with.
func (c *Conn) fetch(consumer jetstream.Consumer) (jetstream.Msg, error) {
	if !c.nc.IsConnected() { // where none can be asked, each question would leave a subscription behind
		return nil, errors.New("fetch a message: there is no connection to NATS")
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
