package domain

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"

	"github.com/rectohq/recto/libs/blob"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/documentapi"
)

// purgeBatch is how many documents are purged at a time.
const purgeBatch = 100

// Purge removes the documents that were deleted long ago, and all that is left
// of them. The record goes last, when everybody else has said that they are
// done: whatever ends in between is begun again.
func (s *Service) Purge(ctx context.Context) error {
	before := s.now().Add(-s.cfg.PurgeAfter).UnixMilli()
	documents, err := s.store.Deleted(ctx, before, purgeBatch)
	for _, d := range documents {
		err = errors.Join(err, s.purge(ctx, d))
	}
	return err
}

// purge removes one document as far as it can be: as long as a consumer of
// events has not said that it is done, the record stays.
func (s *Service) purge(ctx context.Context, d Document) error {
	if len(d.Outbox) > 0 {
		return nil // what is published now would be left behind
	}
	for _, kind := range []string{incomingPrefix, contentPrefix} {
		err := s.objects.List(ctx, d.prefix(kind), func(o blob.Object) error { return s.objects.Remove(ctx, o.Key) })
		if err != nil {
			return fmt.Errorf("remove the contents of document %s: %w", d.ID, err)
		}
	}
	data, err := json.Marshal(documentapi.Purged{SHA256: d.hashes()})
	if err != nil {
		return fmt.Errorf("encode the event: %w", err)
	}
	place, err := s.events.PublishEvent(ctx, contract.Event{
		ID: d.ID + ".purged", Type: documentapi.EventPurged, Organization: d.Organization, Subject: d.ID,
		At: s.now().UnixMilli(), Data: data,
	})
	if err != nil {
		return err
	}
	settled, err := s.events.EventSettled(ctx, documentapi.EventPurged, place)
	if err != nil || !settled {
		return err // the next purge looks again
	}
	if err := s.events.ForgetEvents(ctx, d.Organization, d.ID); err != nil {
		return err
	}
	return s.store.Remove(ctx, d.Organization, d)
}

// hashes returns the SHA-256 of all contents, each once.
func (d Document) hashes() []string {
	hashes := []string{}
	for _, v := range d.Versions {
		for _, f := range v.Files {
			if f.SHA256 != "" {
				hashes = append(hashes, f.SHA256)
			}
		}
	}
	slices.Sort(hashes)
	return slices.Compact(hashes)
}
