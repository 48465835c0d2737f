package domain

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
)

// MaxSize is how large an Analysis may be, in bytes of JSON: a database holds no
// larger record than 16 MiB.
const MaxSize = 12 << 20

// Insight is what was found by a job. Times are Unix milliseconds.
type Insight struct {
	// DocumentID is the stored document that it was found in, "" for none.
	DocumentID string
	Analysis   Analysis
	CreatedAt  int64
	// ExpiresAt is when it is kept no longer.
	ExpiresAt int64
}

// Store keeps what was found. The suite in package storetest is the specification
// that every implementation passes. What a method has accepted outlives the
// process.
type Store interface {
	// Insight returns what Keep has kept of a job, or ErrNotFound.
	Insight(ctx context.Context, organization, jobID string) (Insight, error)
	// Keep keeps what a job has found, in place of what it found before. ErrTooLarge
	// if the analysis is over MaxSize.
	Keep(ctx context.Context, organization, jobID string, i Insight) error
	// Forget removes all that was found in a document.
	Forget(ctx context.Context, organization, documentID string) error
	// Expire removes up to limit Insights that have expired before the time, and
	// returns how many.
	Expire(ctx context.Context, before int64, limit int) (int, error)
}

// The errors of a Store, beside those of its database.
var (
	ErrNotFound = errors.New("no such record")
	ErrTooLarge = fmt.Errorf("the analysis has more than %d bytes", MaxSize)
)

// Encode returns an analysis as every Store keeps it. ErrTooLarge if that is over
// MaxSize.
func Encode(a Analysis) ([]byte, error) {
	data, err := json.Marshal(a, json.Deterministic(true))
	if err != nil {
		return nil, fmt.Errorf("encode an analysis: %w", err)
	}
	if len(data) > MaxSize {
		return nil, ErrTooLarge
	}
	return data, nil
}

// Decode is the reverse of Encode.
func Decode(data []byte) (a Analysis, err error) {
	if err := json.Unmarshal(data, &a); err != nil {
		return a, fmt.Errorf("decode an analysis: %w", err)
	}
	return a, nil
}
