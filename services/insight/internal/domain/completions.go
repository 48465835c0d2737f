package domain

import (
	"context"
	"fmt"
)

// MaxCompletion is the maximum size of the data of a Completion, in bytes.
const MaxCompletion = 1 << 20

// Completion is the answer of a language model to a prompt of a job. It is kept until the
// job ends, so that a prompt is not paid for again if another worker continues the job.
type Completion struct {
	JobID string
	// DocumentID is the stored document that the job reads, "" if it is not a stored one.
	DocumentID string
	// Key identifies the prompt among those of the job. It has no line breaks.
	Key string
	// Data is the answer as JSON.
	Data []byte
	// ExpiresAt is when the completion expires, in Unix milliseconds.
	ExpiresAt int64
}

// Completions stores completions. Every implementation is also a Store, whose Forget
// removes the completions of a document as well, and whose Expire removes those that
// expired as well. Package storetest is its specification.
type Completions interface {
	// KeepCompletion stores a completion, replacing an earlier one with the same job and
	// key. It returns ErrCompletionTooLarge if its data exceeds MaxCompletion.
	//
	// The store does not know whether the document still exists. To leave nothing of a
	// purged document, the caller must look at the job again after its last call, and
	// call Forget if the job is gone.
	KeepCompletion(ctx context.Context, organization string, c Completion) error
	// Completion returns the data of the completion with a job and key, or ErrNotFound.
	Completion(ctx context.Context, organization, jobID, key string) ([]byte, error)
	// ForgetCompletions removes all completions of a job.
	ForgetCompletions(ctx context.Context, organization, jobID string) error
}

// ErrCompletionTooLarge is the error of KeepCompletion for too much data.
var ErrCompletionTooLarge = fmt.Errorf("the completion exceeds %d bytes", MaxCompletion)

// Check returns ErrCompletionTooLarge if the data exceeds MaxCompletion.
func (c Completion) Check() error {
	if len(c.Data) > MaxCompletion {
		return ErrCompletionTooLarge
	}
	return nil
}
