package bus

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"

	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/problem"
)

const (
	// claimThreshold is the largest payload that travels inside a message.
	claimThreshold = 256 << 10
	// claimChunk is how large the messages of an object are: below the 1 MiB
	// that a NATS server takes by default.
	claimChunk = 512 << 10
	// claimReadTimeout bounds how long a claim is read.
	claimReadTimeout = 5 * time.Minute
	// dropTimeout bounds the deletion of a claim.
	dropTimeout = 5 * time.Second
)

// putPayload makes payload, a value for JSON or a contract.Stream, the payload
// of m, as a claim check if it is large. It returns the name of the claim's
// object, "" if there is none.
func (c *Conn) putPayload(ctx context.Context, m *nats.Msg, payload any) (claim string, err error) {
	body, ok := payload.(contract.Stream)
	if !ok {
		data, err := json.Marshal(payload)
		if err != nil {
			return "", fmt.Errorf("encode the payload: %w", err)
		}
		body = contract.Stream{Body: bytes.NewReader(data)}
	}
	head, err := io.ReadAll(io.LimitReader(body.Body, claimThreshold+1))
	if err != nil {
		return "", err
	}
	if len(head) <= claimThreshold {
		m.Data = head
		return "", nil
	}
	return c.putClaim(ctx, m, io.MultiReader(bytes.NewReader(head), body.Body))
}

// putClaim stores a body and lets the message carry its name and size. It
// returns the name. An error of the body's own reader is returned as it is,
// since it may be a refusal that the caller is to see.
func (c *Conn) putClaim(ctx context.Context, m *nats.Msg, body io.Reader) (string, error) {
	name := nuid.Next()
	// What reading the body says must be told from what storing it says.
	source := &sourceReader{r: body}
	info, err := c.claims.Put(ctx, jetstream.ObjectMeta{
		Name: name, Opts: &jetstream.ObjectMetaOptions{ChunkSize: claimChunk},
	}, source)
	if err != nil {
		// Chunks are acknowledged late: the object may be announced by the time
		// that one of them turns out to be refused.
		c.dropClaim(name)
	}
	switch {
	case source.err != nil:
		c.metrics.claims.WithLabelValues("source_failed").Inc()
		return "", source.err
	case err != nil && ctx.Err() != nil:
		return "", context.Cause(ctx)
	case err != nil:
		c.metrics.claims.WithLabelValues("refused").Inc()
		return "", problem.New(problem.Unavailable, "There is no room for a body of this size at the moment. Send the request again later.").
			After(retryAfter).Because(err)
	}
	c.metrics.claims.WithLabelValues("stored").Inc()
	m.Header.Set(headerClaim, name)
	m.Header.Set(headerClaimSize, strconv.FormatUint(info.Size, 10))
	return name, nil
}

// dropClaim deletes a claim that has been redeemed. What it cannot delete goes
// by its age.
func (c *Conn) dropClaim(name string) {
	if name == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), dropTimeout)
	defer cancel()
	if err := c.claims.Delete(ctx, name); err != nil && !errors.Is(err, jetstream.ErrObjectNotFound) {
		c.log.Warn("a claim check was not deleted and goes by its age", "claim", name, "error", err)
	}
}

// sourceReader remembers the error of the reader that it wraps.
type sourceReader struct {
	r   io.Reader
	err error
}

// Read implements io.Reader and keeps the error. It fills p as far as it can be:
// each Read becomes a message, and many sources come in small pieces.
func (s *sourceReader) Read(p []byte) (n int, err error) {
	for n < len(p) && err == nil {
		var more int
		more, err = s.r.Read(p[n:])
		n += more
	}
	if err != nil && !errors.Is(err, io.EOF) {
		s.err = err
	}
	return n, err
}

// getPayload decodes the payload of m into v, a pointer to a value for JSON or
// to a contract.Stream. The body of a stream lives until it is closed.
func (c *Conn) getPayload(ctx context.Context, m *nats.Msg, v any) error {
	s, err := c.openPayload(ctx, m)
	if err != nil {
		return err
	}
	if out, ok := v.(*contract.Stream); ok {
		*out = s
		return nil
	}
	defer s.Close()
	if err := json.UnmarshalRead(s.Body, v); err != nil {
		return fmt.Errorf("decode the payload of %s: %w", m.Subject, err)
	}
	return nil
}

// openPayload returns the payload of a message, from the message itself or from
// the bucket. Who reads it closes it, which ends the claim.
func (c *Conn) openPayload(ctx context.Context, m *nats.Msg) (contract.Stream, error) {
	name := m.Header.Get(headerClaim)
	if name == "" {
		return contract.Stream{Body: bytes.NewReader(m.Data), Size: int64(len(m.Data))}, nil
	}
	size, err := strconv.ParseInt(m.Header.Get(headerClaimSize), 10, 64)
	if err != nil {
		return contract.Stream{}, fmt.Errorf("decode the size of a claim: %w", err)
	}
	// Reading may go on after the call has returned, so it has a time of its own.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), claimReadTimeout)
	object, err := c.claims.Get(ctx, name)
	if err != nil {
		cancel()
		// Memory storage does not outlive the server: what a restart lost has
		// to be sent again.
		return contract.Stream{}, problem.New(problem.Unavailable, "The body was lost on its way. Send the request again.").
			After(retryAfter).Because(fmt.Errorf("redeem the claim check %s: %w", name, err))
	}
	c.readers.Add(1)
	return contract.Stream{Body: &claimReader{ObjectResult: object, conn: c, name: name, cancel: cancel}, Size: size}, nil
}

// claimReader deletes its object when it is closed: whoever redeems a claim is
// its only reader.
type claimReader struct {
	jetstream.ObjectResult
	conn   *Conn
	name   string
	cancel context.CancelFunc
	once   sync.Once
	err    error
}

// Close ends the reading and removes the object: a claim is redeemed once.
func (r *claimReader) Close() error {
	r.once.Do(func() {
		r.conn.readers.Add(-1)
		r.err = r.ObjectResult.Close()
		r.cancel()
		r.conn.dropClaim(r.name)
	})
	return r.err
}
