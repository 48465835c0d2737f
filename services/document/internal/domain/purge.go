package domain

import (
	"context"
	"errors"
	"fmt"

	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/documentapi"
)

// purgeBatch is how many documents are purged together.
const purgeBatch = 100

// Purge removes documents deleted longer ago than PurgeAfter, and everything that belongs
// to them. It removes the record last, after all consumers have confirmed the purge, so
// that an interrupted purge starts over.
func (s *Service) Purge(ctx context.Context) error {
	before := s.now().Add(-s.cfg.PurgeAfter).UnixMilli()
	for {
		documents, err := s.store.Deleted(ctx, before, purgeBatch)
		gone := 0
		for _, d := range documents {
			removed, failed := s.purge(ctx, d)
			err = errors.Join(err, failed)
			if removed {
				gone++
			}
		}
		if err != nil || gone == 0 {
			return err // the others wait for a consumer until the next purge
		}
	}
}

// purge removes one document as far as possible: the record stays until all consumers
// have processed the event. It reports whether the document is gone.
func (s *Service) purge(ctx context.Context, d Document) (bool, error) {
	if len(d.Outbox) > 0 {
		return false, nil // events published now would be left behind
	}
	for _, prefix := range []string{d.incoming(), d.content()} {
		if err := s.objects.RemoveAll(ctx, prefix); err != nil {
			return false, fmt.Errorf("remove the contents of document %s: %w", d.ID, err)
		}
	}
	place, err := s.events.PublishEvent(ctx, contract.Event{
		ID: d.ID + ".purged", Type: documentapi.EventPurged, Organization: d.Organization, Subject: d.ID,
		At: s.now().UnixMilli(),
	})
	if err != nil {
		return false, err
	}
	settled, err := s.events.EventSettled(ctx, documentapi.EventPurged, place)
	if err != nil || !settled {
		return false, err
	}
	if err := s.events.ForgetEvents(ctx, d.Organization, d.ID); err != nil {
		return false, err
	}
	err = s.store.Remove(ctx, d.Organization, d)
	return err == nil, err
}
