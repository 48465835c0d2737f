package bus

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/rectohq/recto/libs/contract/jobapi"
)

const (
	// queueWindow is how long a message that is published again is told from a
	// new one.
	queueWindow = 15 * time.Minute
	// queuePoll is how often a worker looks for work that nobody told it of.
	queuePoll = time.Second
)

// QueueConfig describes a work queue.
type QueueConfig struct {
	// Name is the kind of work, in lower case, for example "convert".
	Name string
	// Limit is how many messages may wait; more are refused.
	Limit int64
	// AckWait is how long a worker may be silent about its message before
	// another one is handed it.
	AckWait time.Duration
}

// Queue is a work queue: a stream from which each message goes to one worker,
// and leaves it when that has acknowledged it.
type Queue struct {
	conn   *Conn
	cfg    QueueConfig
	lanes  []jetstream.Consumer // in the order of precedence
	wake   chan struct{}
	wakeup *nats.Subscription
}

// Delivery is a message that a worker is to deal with.
type Delivery struct {
	// Organization and ID are those that Publish was given.
	Organization, ID string
	Lane             jobapi.Lane

	msg jetstream.Msg
}

// OpenQueue opens the work queue, and makes it or adapts its limits if need be.
// The caller closes it.
func (c *Conn) OpenQueue(ctx context.Context, cfg QueueConfig) (*Queue, error) {
	q := &Queue{conn: c, cfg: cfg, wake: make(chan struct{}, 1)}
	if err := c.keep(ctx, q.open); err != nil {
		return nil, err
	}
	var err error
	if q.wakeup, err = c.nc.Subscribe(q.wakeupSubject(), func(*nats.Msg) { q.wakeOne() }); err != nil {
		return nil, fmt.Errorf("listen for work on %s: %w", cfg.Name, err)
	}
	return q, nil
}

// open opens the stream and the consumer of each lane.
func (q *Queue) open(ctx context.Context) error {
	name := "JOBS-" + strings.ToUpper(q.cfg.Name)
	_, err := q.conn.ensureStream(ctx, jetstream.StreamConfig{
		Name: name, Subjects: []string{"jobs." + q.cfg.Name + ".*.*.*"}, Retention: jetstream.WorkQueuePolicy,
		Storage: jetstream.FileStorage, MaxMsgs: q.cfg.Limit, Discard: jetstream.DiscardNew, Duplicates: queueWindow,
	})
	if err != nil {
		return err
	}
	var lanes []jetstream.Consumer
	for _, lane := range []jobapi.Lane{jobapi.Interactive, jobapi.Bulk} {
		// No bound of deliveries: how often a job was tried is kept with the
		// job, where a message that comes twice does not count twice.
		consumer, err := q.conn.ensureConsumer(ctx, name, jetstream.ConsumerConfig{
			Durable: string(lane), FilterSubject: fmt.Sprintf("jobs.%s.%s.>", q.cfg.Name, lane),
			AckPolicy: jetstream.AckExplicitPolicy, AckWait: q.cfg.AckWait, MaxDeliver: -1,
		})
		if err != nil {
			return err
		}
		lanes = append(lanes, consumer)
	}
	if q.lanes == nil { // otherwise they are as good for what was made again
		q.lanes = lanes
	}
	return nil
}

// wakeupSubject is where it is told that there is something to do: to ask for
// work once a second is cheap, and too slow for who waits.
func (q *Queue) wakeupSubject() string { return "jobs." + q.cfg.Name + ".wakeup" }

// wakeOne wakes one worker of this process.
func (q *Queue) wakeOne() {
	select {
	case q.wake <- struct{}{}:
	default: // one is about to look already
	}
}

// Publish stores a message in the queue. It is on the disk when Publish
// returns. The same try of the same job is stored once in each lane: what tells tries
// apart is the caller's to say.
func (q *Queue) Publish(ctx context.Context, lane jobapi.Lane, organization, id, try string) error {
	m := &nats.Msg{Subject: fmt.Sprintf("jobs.%s.%s.%s.%s", q.cfg.Name, lane, organization, id)}
	if _, err := q.conn.store(ctx, m, fmt.Sprintf("%s.%s.%s.%s", lane, organization, id, try)); err != nil {
		return fmt.Errorf("queue the job %s: %w", id, err)
	}
	_ = q.conn.nc.Publish(q.wakeupSubject(), nil) // without it, it is found a little later
	return nil
}

// Woken is ready to be received from when there may be work.
func (q *Queue) Woken() <-chan struct{} { return q.wake }

// PollEvery is how often to ask for work when nobody tells of any.
func (q *Queue) PollEvery() time.Duration { return queuePoll }

// TryNext returns the next message, or nil if there is none. The worker has to
// end it with Done or Later, and to say with Working that it lives.
func (q *Queue) TryNext(ctx context.Context) (*Delivery, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	for _, lane := range q.lanes {
		m, err := q.conn.fetch(lane)
		if err != nil {
			return nil, err
		}
		if m != nil {
			q.wakeOne() // where one is, there may be more: for the other workers
			return newDelivery(m)
		}
	}
	return nil, nil
}

// newDelivery reads what a message is about from its subject:
// jobs.<name>.<lane>.<organization>.<id>.
func newDelivery(m jetstream.Msg) (*Delivery, error) {
	tokens := strings.Split(m.Subject(), ".")
	if len(tokens) != 5 { // the stream takes no others
		return nil, errors.Join(fmt.Errorf("a job has the subject %s", m.Subject()), m.Term())
	}
	return &Delivery{Lane: jobapi.Lane(tokens[2]), Organization: tokens[3], ID: tokens[4], msg: m}, nil
}

// Working says that the worker is at it: AckWait begins anew.
func (d *Delivery) Working() error { return d.msg.InProgress() }

// Done removes the message from the queue. It returns when the queue has said
// that it did.
func (d *Delivery) Done(ctx context.Context) error { return d.msg.DoubleAck(ctx) }

// Later hands the message out again after the delay.
func (d *Delivery) Later(delay time.Duration) error { return d.msg.NakWithDelay(delay) }

// Close ends the listening for work. What was handed out and not ended is
// handed out again.
func (q *Queue) Close() error { return q.wakeup.Unsubscribe() }

// Await returns a channel that is closed at the first notice on the subject, and
// a function that ends the waiting. Who awaits before they look cannot miss what
// happens between.
func (c *Conn) Await(subject string) (noticed <-chan struct{}, stop func(), err error) {
	ch := make(chan struct{})
	var once atomic.Bool
	sub, err := c.nc.Subscribe(subject, func(*nats.Msg) {
		if once.CompareAndSwap(false, true) {
			close(ch)
		}
	})
	if err != nil {
		return nil, nil, fmt.Errorf("await %s: %w", subject, err)
	}
	if err := c.nc.FlushTimeout(flushTimeout); err != nil { // the server has to know before anybody looks
		return nil, nil, errors.Join(fmt.Errorf("await %s: %w", subject, err), sub.Unsubscribe())
	}
	return ch, func() { _ = sub.Unsubscribe() }, nil // the connection may be gone
}
