package domain

import (
	"context"
	"errors"
)

// expireBatch is how many records are removed in one go.
const expireBatch = 500

// Forget removes all that was found in a document that is gone, and what is told of
// its jobs, whose ids these are.
func (s *Service) Forget(ctx context.Context, organization, documentID string, jobs []string) error {
	err := s.Store.Forget(ctx, organization, documentID)
	for _, id := range jobs {
		err = errors.Join(err, s.Progress.Remove(ctx, organization, id))
	}
	return err
}

// Expire lets the object store remove what was sent where Sweep does not, after the
// last insight service was taken away. It may return blob.ErrNoLifecycle.
func (s *Service) Expire(ctx context.Context) error {
	return s.Objects.ExpireAfter(ctx, sentPrefix, s.KeepSent)
}

// Sweep removes what is kept no longer: what was found, and what was sent.
func (s *Service) Sweep(ctx context.Context) error {
	now := s.now()
	return errors.Join(s.expireInsights(ctx, now.UnixMilli()), s.sweepSent(ctx, now))
}

// expireInsights removes what has expired before the time.
func (s *Service) expireInsights(ctx context.Context, before int64) error {
	for {
		n, err := s.Store.Expire(ctx, before, expireBatch)
		if err != nil || n < expireBatch {
			return err
		}
	}
}
