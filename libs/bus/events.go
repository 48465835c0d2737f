package bus

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/rectohq/recto/libs/contract"
)

const (
	// eventStream holds the events of all services, on disk.
	eventStream = "EVENTS"
	// eventWindow is how long an event that is published again is recognized as a
	// duplicate. If a publisher is down for longer and republishes, its events are
	// delivered twice.
	eventWindow = 24 * time.Hour
	// eventAckWait is how long a consumer may take for one event before it is
	// redelivered.
	eventAckWait = 30 * time.Second
	// eventsPending is how many failed events a consumer may have awaiting redelivery
	// while others continue.
	eventsPending = 256
	// eventRetry is the redelivery delay of an event that could not be handled.
	eventRetry = 5 * time.Second
	// eventHeartbeat is how often NATS sends a heartbeat while it has no event.
	eventHeartbeat = 2 * time.Second
)

// openEvents opens the stream of events, creating it or updating its limits as needed.
func (c *Conn) openEvents(ctx context.Context, cfg Config) error {
	events, err := c.ensureStream(ctx, jetstream.StreamConfig{
		Name: eventStream, Description: "what happened to documents", Subjects: []string{"events.>"},
		Storage: jetstream.FileStorage, MaxAge: cfg.EventTTL, Duplicates: min(eventWindow, cfg.EventTTL),
	})
	if err == nil && c.events == nil { // the existing handle also works for a recreated stream
		c.events = events
	}
	return err
}

// eventSubject returns the subject of an event. An event type contains exactly one dot,
// so events.*.*.<organization>.<subject> matches all events of one subject.
func eventSubject(e contract.Event) (string, error) {
	for _, token := range append(strings.Split(e.Type, "."), e.Organization, e.Subject) {
		if !isToken(token) {
			return "", fmt.Errorf("the event %s has the token %q, which is not allowed in a subject", e.ID, token)
		}
	}
	return fmt.Sprintf("events.%s.%s.%s", e.Type, e.Organization, e.Subject), nil
}

// isToken reports whether text can be a literal token of a subject.
func isToken(text string) bool { return text != "" && !strings.ContainsAny(text, ".*> \t\r\n") }

// eventFilter returns the subject filter that matches all events of a type.
func eventFilter(kind string) string { return "events." + kind + ".>" }

// PublishEvent stores an event in the stream and returns its sequence number. The event
// is on disk when PublishEvent returns. Publishing the same event again within a day has
// no effect.
func (c *Conn) PublishEvent(ctx context.Context, e contract.Event) (sequence uint64, err error) {
	m, err := eventMessage(e)
	if err != nil {
		return 0, err
	}
	ack, err := c.store(ctx, m, e.ID)
	if err != nil {
		return 0, fmt.Errorf("publish the event %s: %w", e.ID, err)
	}
	return ack.Sequence, nil
}

// PublishEvents publishes many events in order, without waiting for each one. After an
// error some of them may be stored.
func (c *Conn) PublishEvents(ctx context.Context, events []contract.Event) error {
	acks := make([]jetstream.PubAckFuture, 0, len(events))
	for _, e := range events {
		m, err := eventMessage(e)
		if err != nil {
			return err
		}
		ack, err := c.js.PublishMsgAsync(m, jetstream.WithMsgID(e.ID))
		if err != nil {
			return fmt.Errorf("publish the event %s: %w", e.ID, err)
		}
		acks = append(acks, ack)
	}
	for i, ack := range acks {
		select {
		case <-ack.Ok():
		case err := <-ack.Err():
			return fmt.Errorf("publish the event %s: %w", events[i].ID, err)
		case <-ctx.Done():
			return fmt.Errorf("publish the event %s: %w", events[i].ID, ctx.Err())
		}
	}
	return nil
}

// eventMessage encodes an event as a message.
func eventMessage(e contract.Event) (*nats.Msg, error) {
	subject, err := eventSubject(e)
	if err != nil {
		return nil, err
	}
	data, err := json.Marshal(e)
	if err != nil {
		return nil, fmt.Errorf("encode the event %s: %w", e.ID, err)
	}
	return &nats.Msg{Subject: subject, Data: data}, nil
}

// Consume passes the events of the types to handle, one at a time, until stop is called;
// stop waits for the event being handled. A failed event is redelivered later, so it does
// not block the others. All instances that consume under one name share the events: each
// event goes to one of them. Events published while no instance is running are delivered
// later.
func (c *Conn) Consume(ctx context.Context, name string, types []string, handle func(context.Context, contract.Event) error) (stop func(), err error) {
	var filters []string
	for _, t := range types {
		filters = append(filters, eventFilter(t))
	}
	cfg := jetstream.ConsumerConfig{
		Durable: name, FilterSubjects: filters, AckPolicy: jetstream.AckExplicitPolicy, AckWait: eventAckWait,
		DeliverPolicy: jetstream.DeliverAllPolicy, MaxAckPending: eventsPending,
	}
	if len(filters) == 1 { // then NATS permissions can restrict which events a consumer may ask for
		cfg.FilterSubject, cfg.FilterSubjects = filters[0], nil
	}
	ensure := func(ctx context.Context) error {
		_, err := c.ensureConsumer(ctx, eventStream, cfg)
		return err
	}
	if err := c.keep(ctx, ensure); err != nil {
		return nil, err
	}
	handling, cancel := context.WithCancel(context.WithoutCancel(ctx))
	running, end := context.WithCancel(c.life)
	var work sync.WaitGroup
	work.Go(func() {
		for running.Err() == nil {
			err := c.consumeUntil(running, cfg, func(m jetstream.Msg) { c.consume(handling, name, m, handle) })
			if running.Err() == nil {
				c.log.Warn("event consumer stopped; restarting it", "consumer", name, "error", err)
				_ = sleep(running, eventRetry)
			}
		}
	})
	return func() {
		end()
		work.Wait()
		cancel()
	}, nil
}

// consumeUntil hands out events until ctx ends and the current event is handled, or until
// the consumer no longer exists in NATS.
func (c *Conn) consumeUntil(ctx context.Context, cfg jetstream.ConsumerConfig, handle func(jetstream.Msg)) error {
	consumer, err := c.ensureConsumer(ctx, eventStream, cfg)
	if err != nil {
		return err
	}
	// The heartbeat soon reveals that a leader has silently disappeared.
	consumption, err := consumer.Consume(handle, jetstream.PullMaxMessages(1), jetstream.PullHeartbeat(eventHeartbeat))
	if err != nil {
		return fmt.Errorf("consume events as %s: %w", cfg.Durable, err)
	}
	select {
	case <-ctx.Done():
		consumption.Drain()
		<-consumption.Closed()
		return nil
	case <-consumption.Closed():
		return errors.New("the consumer is gone")
	}
}

// consume handles one event. An event that cannot be decoded is dropped, because it would
// be redelivered forever.
func (c *Conn) consume(ctx context.Context, name string, m jetstream.Msg, handle func(context.Context, contract.Event) error) {
	var e contract.Event
	if err := json.Unmarshal(m.Data(), &e); err != nil {
		c.log.ErrorContext(ctx, "dropping an event that cannot be decoded", "consumer", name, "subject", m.Subject(), "error", err)
		_ = m.Term() // if this fails, the event is redelivered and dropped then
		return
	}
	bounded, cancel := context.WithTimeout(ctx, eventAckWait)
	defer cancel()
	if err := handle(bounded, e); err != nil {
		c.metrics.events.WithLabelValues(name, e.Type, "failed").Inc()
		c.log.WarnContext(ctx, "handling an event failed; it will be redelivered", "consumer", name, "event", e.ID, "type", e.Type, "error", err)
		_ = m.NakWithDelay(eventRetry) // if this fails, it is redelivered after AckWait
		return
	}
	c.metrics.events.WithLabelValues(name, e.Type, "ok").Inc()
	_ = m.Ack() // if this fails, it is redelivered, which is harmless
}

// EventSettled reports whether every consumer of the event type is done with the event at
// the sequence number, so that it will not be delivered again. It asks for each consumer
// individually, because a list omits consumers whose server is down.
func (c *Conn) EventSettled(ctx context.Context, kind string, sequence uint64) (bool, error) {
	names := c.events.ConsumerNames(ctx)
	var consumers []string
	for name := range names.Name() {
		consumers = append(consumers, name)
	}
	if err := names.Err(); err != nil && !errors.Is(err, jetstream.ErrEndOfData) {
		return false, fmt.Errorf("list the consumers of events: %w", err)
	}
	for _, name := range consumers {
		consumer, err := c.events.Consumer(ctx, name)
		if errors.Is(err, jetstream.ErrConsumerNotFound) {
			continue // it was removed meanwhile
		}
		if err != nil {
			return false, fmt.Errorf("inspect the consumer %s of events: %w", name, err)
		}
		info := consumer.CachedInfo()
		concerned := slices.Contains(info.Config.FilterSubjects, eventFilter(kind)) || info.Config.FilterSubject == eventFilter(kind)
		if concerned && info.AckFloor.Stream < sequence {
			return false, nil
		}
	}
	return true, nil
}

// ForgetEvents removes all events of a subject from the stream.
func (c *Conn) ForgetEvents(ctx context.Context, organization, subject string) error {
	if _, err := eventSubject(contract.Event{Type: "x", Organization: organization, Subject: subject}); err != nil {
		return err
	}
	if err := c.events.Purge(ctx, jetstream.WithPurgeSubject("events.*.*."+organization+"."+subject)); err != nil {
		return fmt.Errorf("remove the events of %s: %w", subject, err)
	}
	return nil
}
