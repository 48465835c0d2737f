package objectserver

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/versity/versitygw/s3response"
)

// HoldRemovals makes requests that remove objects wait until release is called, and
// returns when none is in progress. Other requests continue. An object is a file that
// never changes: a put replaces it as a whole. So, until release, every object that
// existed at the time of HoldRemovals, or the one that replaced it, can be found in
// Buckets. Call release once.
func (s *Server) HoldRemovals() (release func()) {
	s.removals.Lock()
	return s.removals.Unlock
}

// DeleteObject implements backend.Backend.
func (f folders) DeleteObject(ctx context.Context, input *s3.DeleteObjectInput) (*s3.DeleteObjectOutput, error) {
	f.removals.RLock()
	defer f.removals.RUnlock()
	return f.Posix.DeleteObject(ctx, input)
}

// DeleteObjects implements backend.Backend.
func (f folders) DeleteObjects(ctx context.Context, input *s3.DeleteObjectsInput) (s3response.DeleteResult, error) {
	f.removals.RLock()
	defer f.removals.RUnlock()
	return f.Posix.DeleteObjects(ctx, input)
}
