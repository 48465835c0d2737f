package domain

import (
	"context"
	"fmt"
	"time"

	"github.com/rectohq/recto/libs/contract"
)

// Events publishes events.
type Events interface {
	// PublishEvent stores an event for every consumer, and returns its sequence number.
	// Publishing it again does no harm.
	PublishEvent(ctx context.Context, e contract.Event) (sequence uint64, err error)
	// PublishEvents stores events in order. After an error some of them may be stored.
	PublishEvents(ctx context.Context, events []contract.Event) error
	// EventSettled reports whether all consumers of the event type have processed the
	// event with this sequence number.
	EventSettled(ctx context.Context, kind string, sequence uint64) (bool, error)
	// ForgetEvents removes all events of a subject.
	ForgetEvents(ctx context.Context, organization, subject string) error
}

// publishBatch is how many records are published and cleared together.
const publishBatch = 200

// publishGap is how long events may accumulate. Storing and clearing many events together
// costs little more than one event, and leaves the disk free for other work.
const publishGap = 20 * time.Millisecond

// publishTimeout bounds the publishing of one batch.
const publishTimeout = 30 * time.Second

// Changed returns a channel that receives a value when there are events to publish.
func (s *Service) Changed() <-chan struct{} { return s.changed }

// notify signals that there are events to publish.
func (s *Service) notify() {
	select {
	case s.changed <- struct{}{}:
	default: // already signaled
	}
}

// PublishEvents publishes the events in the outboxes of records, and then removes them.
// If it fails in between, the events are published again.
func (s *Service) PublishEvents(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(publishGap):
		}
		documents, err := s.store.Unpublished(ctx, publishBatch)
		if err != nil || len(documents) == 0 {
			return err
		}
		var events []contract.Event
		for _, d := range documents {
			for _, e := range d.Outbox {
				events = append(events, contract.Event{ID: e.ID, Type: e.Type, Organization: d.Organization, Subject: d.ID, At: e.At})
			}
		}
		bounded, cancel := context.WithTimeout(ctx, publishTimeout)
		err = s.events.PublishEvents(bounded, events)
		cancel()
		if err != nil {
			return fmt.Errorf("publish the events of documents: %w", err)
		}
		if err := s.store.Published(ctx, documents); err != nil {
			return fmt.Errorf("clear outboxes: %w", err)
		}
	}
}
