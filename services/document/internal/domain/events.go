package domain

import (
	"context"
	"fmt"

	"github.com/rectohq/recto/libs/contract"
)

// Events tells others what has happened.
type Events interface {
	// PublishEvent stores an event, for every consumer to get, and returns its
	// place. One that is published again does no harm.
	PublishEvent(ctx context.Context, e contract.Event) (sequence uint64, err error)
	// EventSettled reports whether all consumers are done with the event at the
	// place.
	EventSettled(ctx context.Context, sequence uint64) (bool, error)
	// ForgetEvents removes all events of a subject.
	ForgetEvents(ctx context.Context, organization, subject string) error
}

// publishBatch is how many records are published and then cleared at a time.
const publishBatch = 100

// Changed is ready to be received from when there are events to publish.
func (s *Service) Changed() <-chan struct{} { return s.changed }

// poke says that there are events to publish.
func (s *Service) poke() {
	select {
	case s.changed <- struct{}{}:
	default: // it was said
	}
}

// PublishEvents publishes the events that wait in records, and removes them from
// there. What happens between the two is published again.
func (s *Service) PublishEvents(ctx context.Context) error {
	for {
		documents, err := s.store.Unpublished(ctx, publishBatch)
		if err != nil || len(documents) == 0 {
			return err
		}
		for _, d := range documents {
			for _, e := range d.Outbox {
				_, err := s.events.PublishEvent(ctx, contract.Event{
					ID: e.ID, Type: e.Type, Organization: d.Organization, Subject: d.ID, At: e.At,
				})
				if err != nil {
					return fmt.Errorf("publish what happened to document %s: %w", d.ID, err)
				}
			}
		}
		if err := s.store.Published(ctx, documents); err != nil {
			return fmt.Errorf("clear outboxes: %w", err)
		}
	}
}
