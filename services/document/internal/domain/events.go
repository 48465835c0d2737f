package domain

import (
	"context"
	"fmt"
	"time"

	"github.com/rectohq/recto/libs/contract"
)

// Events tells others what has happened.
type Events interface {
	// PublishEvent stores an event, for every consumer to get, and returns its
	// place. One that is published again does no harm.
	PublishEvent(ctx context.Context, e contract.Event) (sequence uint64, err error)
	// PublishEvents stores events in their order. After an error some of them
	// may be stored.
	PublishEvents(ctx context.Context, events []contract.Event) error
	// EventSettled reports whether all consumers of the type are done with the
	// event of it at the place.
	EventSettled(ctx context.Context, kind string, sequence uint64) (bool, error)
	// ForgetEvents removes all events of a subject.
	ForgetEvents(ctx context.Context, organization, subject string) error
}

// publishBatch is how many records are published and then cleared at a time.
const publishBatch = 200

// publishGap is how long events may gather: to store and clear many at a time
// costs little more than one, and takes the disk from nobody.
const publishGap = 20 * time.Millisecond

// publishTimeout bounds the publishing of one batch.
const publishTimeout = 30 * time.Second

// Changed is ready to be received from when there are events to publish.
func (s *Service) Changed() <-chan struct{} { return s.changed }

// notify says that there are events to publish.
func (s *Service) notify() {
	select {
	case s.changed <- struct{}{}:
	default: // it was said
	}
}

// PublishEvents publishes the events that wait in records, and removes them from
// there. What happens between the two is published again.
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
			return fmt.Errorf("publish what happened to documents: %w", err)
		}
		if err := s.store.Published(ctx, documents); err != nil {
			return fmt.Errorf("clear outboxes: %w", err)
		}
	}
}
