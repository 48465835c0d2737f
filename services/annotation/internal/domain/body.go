package domain

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/annotationapi"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/problem"
)

// order describes what to fill: the first file of a version that can be filled.
type order struct {
	DocumentID    string                `json:"document_id"`
	VersionNumber int                   `json:"version_number"`
	Files         []documentapi.Content `json:"files"`
	// DryRun stops after the values were validated.
	DryRun bool `json:"dry_run,omitzero"`
	// Flatten makes the form of a resulting PDF part of its pages. PDF asks for a PDF as the result.
	Flatten bool `json:"flatten,omitzero"`
	PDF     bool `json:"pdf,omitzero"`

	// problems are the problems of the query. The order of a job has none.
	problems []problem.Entry
}

// receive reads a request: first the document it is about, which must exist, then its
// body. The body is held in memory until release is called.
func (s *Service) receive(ctx context.Context, p contract.Principal, payload contract.Stream) (o order, body []byte, release func(), err error) {
	r, rest, err := annotationapi.ReadAnnotate(payload)
	if err != nil {
		return o, nil, nil, err
	}
	o, err = s.orderOf(ctx, p, documentapi.GetRequest{DocumentID: r.DocumentID, Version: r.Version})
	if err != nil {
		return o, nil, nil, err
	}
	o.DryRun, o.Flatten, o.PDF, o.problems = r.DryRun, r.Flatten, r.PDF, r.Problems
	body, release, err = s.hold(ctx, rest)
	_ = payload.Close() // the transport need not hold it while the request is processed
	return o, body, release, err
}

// orderOf returns the order for a version that the principal may see.
func (s *Service) orderOf(ctx context.Context, p contract.Principal, r documentapi.GetRequest) (order, error) {
	contents, err := s.Contents(ctx, p, r)
	return order{DocumentID: contents.DocumentID, VersionNumber: contents.VersionNumber, Files: contents.Files}, err
}

// roomWait is how long a body waits for room in memory.
const roomWait = 2 * time.Second

// hold reads a body into memory as one slice, and counts it against the memory limit
// until release is called.
func (s *Service) hold(ctx context.Context, body contract.Stream) (data []byte, release func(), err error) {
	room := body.Size
	if room < 0 {
		room = s.cfg.Memory // the size is unknown
	}
	if room > s.cfg.Memory {
		return nil, nil, problem.New(problem.TooLarge, "The body has %d bytes; the limit is %d. Send smaller images, or the values in several requests.", body.Size, s.cfg.Memory)
	}
	if err := s.makeRoom(ctx, room); err != nil {
		return nil, nil, err
	}
	release = func() { s.memory.Release(room) }
	if data, err = read(body, room); err != nil {
		release()
		return nil, nil, err
	}
	return data, release, nil
}

// makeRoom waits for memory, but only briefly, because the caller holds a connection.
func (s *Service) makeRoom(ctx context.Context, room int64) error {
	bounded, cancel := context.WithTimeout(ctx, roomWait)
	defer cancel()
	if err := s.memory.Acquire(bounded, room); err != nil {
		return problem.New(problem.Unavailable, "The service has no memory left for a body of %d bytes. Retry later.", room).
			After(busyRetry).Because(err)
	}
	return nil
}

// read reads a body of up to limit bytes. If its size is known, the buffer has exactly
// that size.
func read(body contract.Stream, limit int64) ([]byte, error) {
	if body.Size < 0 {
		data, err := io.ReadAll(io.LimitReader(body.Body, limit+1))
		if err == nil && int64(len(data)) > limit {
			err = problem.New(problem.TooLarge, "The body has more than %d bytes. Send smaller images, or the values in several requests.", limit)
		}
		return data, err
	}
	data := make([]byte, body.Size)
	if _, err := io.ReadFull(body.Body, data); err != nil {
		var known *problem.Error
		if errors.As(err, &known) {
			return nil, known
		}
		return nil, fmt.Errorf("read the body: %w", err)
	}
	return data, nil
}
