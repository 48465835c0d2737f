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
	// queueWindow is how long a message that is published again is recognized as a
	// duplicate.
	queueWindow = 15 * time.Minute
	// queuePoll is how often a worker polls for work without a wakeup.
	queuePoll = time.Second
)

// QueueConfig describes a work queue.
type QueueConfig struct {
	// Name is the kind of work, in lower case, for example "convert".
	Name string
	// Limit is how many messages may wait; more are rejected.
	Limit int64
	// AckWait is how long a worker may be silent about its message before the message is
	// redelivered to another worker.
	AckWait time.Duration
}

// Queue is a work queue: a stream that hands each message to one worker and removes it
// when the worker has acknowledged it.
type Queue struct {
	conn   *Conn
	cfg    QueueConfig
	lanes  []jetstream.Consumer // highest priority first
	wakeup *wakeups
}

// Delivery is a message handed to a worker.
type Delivery struct {
	// Organization and ID are those passed to Publish.
	Organization, ID string
	Lane             jobapi.Lane

	msg jetstream.Msg
}

// OpenQueue opens the work queue, creating it or updating its limits as needed. The
// caller closes it.
func (c *Conn) OpenQueue(ctx context.Context, cfg QueueConfig) (*Queue, error) {
	q := &Queue{conn: c, cfg: cfg}
	if err := c.keep(ctx, q.open); err != nil {
		return nil, err
	}
	var err error
	if q.wakeup, err = c.wakeups("jobs." + cfg.Name + ".wakeup"); err != nil {
		return nil, err
	}
	return q, nil
}

// open opens the stream and the consumer of each lane.
func (q *Queue) open(ctx context.Context) error {
	name := q.stream()
	_, err := q.conn.ensureStream(ctx, jetstream.StreamConfig{
		Name: name, Subjects: []string{"jobs." + q.cfg.Name + ".*.*.*"}, Retention: jetstream.WorkQueuePolicy,
		Storage: jetstream.FileStorage, MaxMsgs: q.cfg.Limit, Discard: jetstream.DiscardNew, Duplicates: queueWindow,
	})
	if err != nil {
		return err
	}
	var lanes []jetstream.Consumer
	for _, lane := range []jobapi.Lane{jobapi.Interactive, jobapi.Bulk} {
		// Deliveries are not limited here: the number of tries is kept with the job,
		// where a redelivered message does not count twice.
		consumer, err := q.conn.ensureConsumer(ctx, name, jetstream.ConsumerConfig{
			Durable: string(lane), FilterSubject: fmt.Sprintf("jobs.%s.%s.>", q.cfg.Name, lane),
			AckPolicy: jetstream.AckExplicitPolicy, AckWait: q.cfg.AckWait, MaxDeliver: -1,
		})
		if err != nil {
			return err
		}
		lanes = append(lanes, consumer)
	}
	if q.lanes == nil { // the existing handles also work for recreated consumers
		q.lanes = lanes
	}
	return nil
}

// stream returns the name of the queue's stream.
func (q *Queue) stream() string { return "JOBS-" + strings.ToUpper(q.cfg.Name) }

// Depth returns how many messages are in the queue: those that wait, and those that workers
// have not finished.
func (q *Queue) Depth(ctx context.Context) (uint64, error) {
	stream, err := q.conn.js.Stream(ctx, q.stream())
	if err != nil {
		return 0, fmt.Errorf("count the jobs in the queue: %w", err)
	}
	return stream.CachedInfo().State.Msgs, nil
}

// Publish stores a message in the queue. The message is on disk when Publish returns. A
// job is stored only once in each lane for the same value of attempt; the caller chooses
// the value.
func (q *Queue) Publish(ctx context.Context, lane jobapi.Lane, organization, id, attempt string) error {
	m := &nats.Msg{Subject: fmt.Sprintf("jobs.%s.%s.%s.%s", q.cfg.Name, lane, organization, id)}
	if _, err := q.conn.store(ctx, m, fmt.Sprintf("%s.%s.%s.%s", lane, organization, id, attempt)); err != nil {
		return fmt.Errorf("queue the job %s: %w", id, err)
	}
	q.wakeup.all()
	return nil
}

// Woken returns a channel that receives when there may be work.
func (q *Queue) Woken() <-chan struct{} { return q.wakeup.woken }

// PollEvery returns how often to poll for work without a wakeup.
func (q *Queue) PollEvery() time.Duration { return queuePoll }

// TryNext returns the next message, or nil if there is none. The worker must finish it
// with Done or Later, and call Working regularly until then.
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
			q.wakeup.one() // there may be more messages for the other workers
			return newDelivery(m)
		}
	}
	return nil, nil
}

// newDelivery parses a message's subject: jobs.<name>.<lane>.<organization>.<id>.
func newDelivery(m jetstream.Msg) (*Delivery, error) {
	tokens := strings.Split(m.Subject(), ".")
	if len(tokens) != 5 { // the stream accepts no other subjects
		return nil, errors.Join(fmt.Errorf("a job has the subject %s", m.Subject()), m.Term())
	}
	return &Delivery{Lane: jobapi.Lane(tokens[2]), Organization: tokens[3], ID: tokens[4], msg: m}, nil
}

// Working reports that the worker is still busy: it restarts AckWait.
func (d *Delivery) Working() error { return d.msg.InProgress() }

// Done removes the message from the queue. It returns when the server has confirmed the
// removal.
func (d *Delivery) Done(ctx context.Context) error { return d.msg.DoubleAck(ctx) }

// Later has the message redelivered after the delay.
func (d *Delivery) Later(delay time.Duration) error { return d.msg.NakWithDelay(delay) }

// Close stops listening for wakeups. Deliveries that are not finished are redelivered.
func (q *Queue) Close() error { return q.wakeup.close() }

// Await returns a channel that is closed at the first notice on the subject, and a
// function that stops waiting. A caller that calls Await before checking the state cannot
// miss a change.
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
	if err := c.nc.FlushTimeout(flushTimeout); err != nil { // the server must have the subscription before the caller checks the state
		return nil, nil, errors.Join(fmt.Errorf("await %s: %w", subject, err), sub.Unsubscribe())
	}
	return ch, func() { _ = sub.Unsubscribe() }, nil // the connection may be gone
}
