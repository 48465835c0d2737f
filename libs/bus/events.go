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
	// eventWindow is how long an event that is published again is told from a
	// new one. A publisher that was away for longer has its events seen twice.
	eventWindow = 24 * time.Hour
	// eventAckWait is how long a consumer has for one event before it is
	// delivered again.
	eventAckWait = 30 * time.Second
	// eventsPending is how many events a consumer may have that it could not
	// deal with: they come again, and others go on.
	eventsPending = 256
	// eventRetry is how long an event rests that could not be dealt with.
	eventRetry = 5 * time.Second
	// eventHeartbeat is how often NATS says that it has no event.
	eventHeartbeat = 2 * time.Second
)

// openEvents opens the stream of events, and makes it or adapts its limits if
// need be.
func (c *Conn) openEvents(ctx context.Context, cfg Config) error {
	events, err := c.ensureStream(ctx, jetstream.StreamConfig{
		Name: eventStream, Description: "what happened to documents", Subjects: []string{"events.>"},
		Storage: jetstream.FileStorage, MaxAge: cfg.EventTTL, Duplicates: min(eventWindow, cfg.EventTTL),
	})
	if err == nil && c.events == nil { // otherwise it is as good for the stream that was made again
		c.events = events
	}
	return err
}

// eventSubject is the subject of an event: its type has one dot in it, so that
// all events of one subject can be named by events.*.*.<organization>.<subject>.
func eventSubject(e contract.Event) (string, error) {
	for _, token := range append(strings.Split(e.Type, "."), e.Organization, e.Subject) {
		if !isToken(token) {
			return "", fmt.Errorf("the event %s has the token %q, which no subject can have", e.ID, token)
		}
	}
	return fmt.Sprintf("events.%s.%s.%s", e.Type, e.Organization, e.Subject), nil
}

// isToken reports whether text can be a part of a subject that stands for itself.
func isToken(text string) bool { return text != "" && !strings.ContainsAny(text, ".*> \t\r\n") }

// eventFilter names all events of a type.
func eventFilter(kind string) string { return "events." + kind + ".>" }

// PublishEvent stores an event in the stream and returns its place there. It is
// on the disk when PublishEvent returns. An event that is published again within
// a day is not stored again.
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

// PublishEvents is PublishEvent for many events, in their order, without a wait
// for each. After an error some of them may be stored.
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

// eventMessage returns the message that an event travels as.
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

// Consume hands the events of the types to handle, one at a time, until stop is
// called, which waits for the one in work. One that cannot be dealt with comes
// again after others, so that it holds up none. All instances that consume
// under one name share the events: each goes to one of them. What was published
// while none was there is not missed.
func (c *Conn) Consume(ctx context.Context, name string, types []string, handle func(context.Context, contract.Event) error) (stop func(), err error) {
	var filters []string
	for _, t := range types {
		filters = append(filters, eventFilter(t))
	}
	cfg := jetstream.ConsumerConfig{
		Durable: name, FilterSubjects: filters, AckPolicy: jetstream.AckExplicitPolicy, AckWait: eventAckWait,
		DeliverPolicy: jetstream.DeliverAllPolicy, MaxAckPending: eventsPending,
	}
	if len(filters) == 1 { // then NATS can see who asks for what, and refuse it
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
				c.log.Warn("events are no longer handed out; it is begun again", "consumer", name, "error", err)
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

// consumeUntil hands out events until ctx ends and the one in work is done, or
// until NATS has no such consumer any more.
func (c *Conn) consumeUntil(ctx context.Context, cfg jetstream.ConsumerConfig, handle func(jetstream.Msg)) error {
	consumer, err := c.ensureConsumer(ctx, eventStream, cfg)
	if err != nil {
		return err
	}
	// With the heartbeat a leader that went away without a word is soon missed.
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

// consume deals with one event. One that cannot be read is dropped: it would
// come for ever.
func (c *Conn) consume(ctx context.Context, name string, m jetstream.Msg, handle func(context.Context, contract.Event) error) {
	var e contract.Event
	if err := json.Unmarshal(m.Data(), &e); err != nil {
		c.log.ErrorContext(ctx, "an event cannot be read and is dropped", "consumer", name, "subject", m.Subject(), "error", err)
		_ = m.Term() // it comes again, to end here again
		return
	}
	bounded, cancel := context.WithTimeout(ctx, eventAckWait)
	defer cancel()
	if err := handle(bounded, e); err != nil {
		c.metrics.events.WithLabelValues(name, e.Type, "failed").Inc()
		c.log.WarnContext(ctx, "an event was not dealt with and comes again", "consumer", name, "event", e.ID, "type", e.Type, "error", err)
		_ = m.NakWithDelay(eventRetry) // without it, it comes when its time is over
		return
	}
	c.metrics.events.WithLabelValues(name, e.Type, "ok").Inc()
	_ = m.Ack() // without it, it comes again, which does no harm
}

// EventSettled reports whether every consumer of the type is done with the event
// of it at the place: none of them will be handed it again. Each is asked by
// itself, since a list lacks those whose server is away.
func (c *Conn) EventSettled(ctx context.Context, kind string, sequence uint64) (bool, error) {
	names := c.events.ConsumerNames(ctx)
	var consumers []string
	for name := range names.Name() {
		consumers = append(consumers, name)
	}
	if err := names.Err(); err != nil && !errors.Is(err, jetstream.ErrEndOfData) {
		return false, fmt.Errorf("look for the consumers of events: %w", err)
	}
	for _, name := range consumers {
		consumer, err := c.events.Consumer(ctx, name)
		if errors.Is(err, jetstream.ErrConsumerNotFound) {
			continue // it was removed meanwhile
		}
		if err != nil {
			return false, fmt.Errorf("look at the consumer %s of events: %w", name, err)
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
