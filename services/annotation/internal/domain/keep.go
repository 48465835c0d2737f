package domain

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/rectohq/recto/libs/blob"
	"github.com/rectohq/recto/libs/job"
)

// Forget removes everything stored for a purged document except its jobs.
func (s *Service) Forget(ctx context.Context, organization, documentID string, _ []string) error {
	if err := s.Store.Forget(ctx, organization, documentID); err != nil {
		return err
	}
	err := s.filled.Forget(ctx, organization, documentID)
	if err == nil {
		err = s.Objects.RemoveAll(ctx, pendingOf(organization, documentID))
	}
	if err != nil {
		return fmt.Errorf("remove the objects of document %s: %w", documentID, err)
	}
	return nil
}

const (
	// pendingTTL is the age from which Sweep checks whether the body of a job is still
	// needed. A process that dies after it has stored a body leaves it without a job, and a
	// body contains what people type into forms, so the age is short. A replica may still be
	// creating the job of a younger body: the request for it takes 30 seconds by default, and
	// the clock of the object store differs by at most 15 minutes from that of its clients.
	pendingTTL = 30 * time.Minute
	// expireBatch is how many records are removed at once.
	expireBatch = 500
)

// Expire sets up the object store to remove filled files and bodies of jobs on its own, in
// case no annotation service remains that calls Sweep. It may return blob.ErrNoLifecycle.
func (s *Service) Expire(ctx context.Context) error {
	if err := s.filled.Expire(ctx); err != nil {
		return err
	}
	return s.Objects.ExpireAfter(ctx, pendingPrefix, s.KeepBodies)
}

// Sweep removes what has expired: filled files, bodies that no job needs, and stored
// fields that were not used for a long time.
func (s *Service) Sweep(ctx context.Context) error {
	now := s.now()
	filled := s.filled.Sweep(ctx, now)
	pending := s.Objects.List(ctx, pendingPrefix, func(o blob.Object) error {
		if now.Sub(o.Modified) <= pendingTTL {
			return nil
		}
		return s.sweepPending(ctx, o.Key)
	})
	return errors.Join(filled, pending, s.expireFields(ctx, now.Add(-s.cfg.KeepFields)))
}

// sweepPending removes the body of a job that has finished, no longer exists or was never
// created. A dead-lettered job keeps its body, because it may be retried.
func (s *Service) sweepPending(ctx context.Context, key string) error {
	parts := strings.Split(strings.TrimPrefix(key, pendingPrefix), ".") // the format of pendingKey
	r, err := s.Jobs.Get(ctx, parts[0], parts[len(parts)-1])
	if err != nil && !errors.Is(err, job.ErrNotFound) {
		return err
	}
	if err == nil && (!r.Ended() || r.Dead) {
		return nil
	}
	return s.Objects.Remove(ctx, key)
}

// expireFields removes fields that were last used before the given time.
func (s *Service) expireFields(ctx context.Context, before time.Time) error {
	for {
		n, err := s.Store.Expire(ctx, before.UnixMilli(), expireBatch)
		if err != nil || n < expireBatch {
			return err
		}
	}
}
