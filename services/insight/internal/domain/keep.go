package domain

import (
	"context"
	"errors"
)

// expireBatch is how many records are removed per call.
const expireBatch = 500

// Forget removes all insights of a purged document, and the progress of its jobs. jobs
// holds the ids of the jobs.
func (s *Service) Forget(ctx context.Context, organization, documentID string, jobs []string) error {
	err := s.Store.Forget(ctx, organization, documentID)
	for _, id := range jobs {
		err = errors.Join(err, s.Progress.Remove(ctx, organization, id))
	}
	return err
}

// Expire sets up the object store to remove sent material on its own, in case no insight
// service remains that calls Sweep. It may return blob.ErrNoLifecycle.
func (s *Service) Expire(ctx context.Context) error {
	return s.Objects.ExpireAfter(ctx, sentPrefix, s.KeepSent)
}

// Sweep removes expired insights and sent material.
func (s *Service) Sweep(ctx context.Context) error {
	now := s.now()
	return errors.Join(s.expireInsights(ctx, now.UnixMilli()), s.sweepSent(ctx, now))
}

// expireInsights removes the insights that expired before the given time, in Unix
// milliseconds.
func (s *Service) expireInsights(ctx context.Context, before int64) error {
	for {
		n, err := s.Store.Expire(ctx, before, expireBatch)
		if err != nil || n < expireBatch {
			return err
		}
	}
}
