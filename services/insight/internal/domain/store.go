package domain

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
)

// MaxSize is the maximum size of an Analysis, in bytes of JSON. MongoDB holds no record
// larger than 16 MiB.
const MaxSize = 12 << 20

// Insight is the result of a job. Times are Unix milliseconds.
type Insight struct {
	// DocumentID is the stored document that was read, "" if it was not a stored one.
	DocumentID string
	Analysis   Analysis
	CreatedAt  int64
	// ExpiresAt is when the insight expires.
	ExpiresAt int64
}

// Store stores insights. Package storetest is its specification: every implementation
// passes that suite. What a method has accepted outlives the process.
type Store interface {
	// Insight returns the insight that Keep stored for a job, or ErrNotFound.
	Insight(ctx context.Context, organization, jobID string) (Insight, error)
	// Keep stores the insight of a job, replacing an earlier one. It returns ErrTooLarge
	// if the analysis exceeds MaxSize.
	Keep(ctx context.Context, organization, jobID string, i Insight) error
	// Forget removes all insights of a document, and whatever else the store has of it.
	Forget(ctx context.Context, organization, documentID string) error
	// Expire removes up to limit insights, and other records, that expired before the
	// given time, and returns how many.
	Expire(ctx context.Context, before int64, limit int) (int, error)
}

// The errors of a Store, other than those of its database.
var (
	ErrNotFound = errors.New("no such record")
	ErrTooLarge = fmt.Errorf("the analysis exceeds %d bytes", MaxSize)
)

// Encode returns an analysis as every Store stores it, or ErrTooLarge if that exceeds
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

// Decode is the inverse of Encode.
func Decode(data []byte) (a Analysis, err error) {
	if err := json.Unmarshal(data, &a); err != nil {
		return a, fmt.Errorf("decode an analysis: %w", err)
	}
	return a, nil
}
