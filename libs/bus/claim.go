package bus

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"

	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/problem"
)

const (
	// claimStream holds what travels as a claim check.
	claimStream = "CLAIMS"
	// claimChunk is how large its messages are: below the 1 MiB that a NATS
	// server takes by default.
	claimChunk = 512 << 10
	// claimWindow is how long a chunk that is sent again is told from a new one.
	claimWindow = time.Minute
	// claimReadTimeout bounds how long a claim is read.
	claimReadTimeout = 5 * time.Minute
	// chunkTimeout bounds the reading of one chunk. Any server may be asked, and
	// what one has not got yet another one has.
	chunkTimeout = 4 * time.Second
	// chunkAttempt is when another one is asked.
	chunkAttempt = 2 * time.Second
	// dropTimeout bounds the deletion of a claim.
	dropTimeout = 2 * time.Second
)

// openClaims opens the stream of claim checks. It is in memory: a claim lives as
// long as one request, and inline files must not reach a disk.
//
// Claims are messages, and not objects of a JetStream object store. In a cluster any
// server may be asked for an object, and one that lags behind says that it has none:
// with three replicas 52 of 400 calls failed that way. A message can be asked for
// again until it is there, which takes a third of the time besides, and its subject
// lets NATS allow the receiver alone to read it.
func (c *Conn) openClaims(ctx context.Context, cfg Config) error {
	claims, err := c.ensureStream(ctx, jetstream.StreamConfig{
		Name: claimStream, Description: "payloads that are too large for a message", Subjects: []string{"claims.*.*.*"},
		Storage: jetstream.MemoryStorage, MaxAge: cfg.ClaimTTL, MaxBytes: cfg.ClaimBytes, Discard: jetstream.DiscardNew,
		Duplicates: min(claimWindow, cfg.ClaimTTL), AllowDirect: true,
	})
	if err == nil && c.claims == nil { // otherwise it is as good for the stream that was made again
		c.claims = claims
	}
	return err
}

// chunkSubject is where a chunk of a claim is. A claim is called
// <receiver>.<random>, so that NATS lets nobody but the receiver read it.
func chunkSubject(claim string, n int) string {
	return "claims." + claim + "." + strconv.Itoa(n)
}

// putClaim stores a body for the part called receiver and lets the message carry
// its name and size. It returns the name. An error of the body's own reader is
// returned as it is, since it may be a refusal that the caller is to see.
func (c *Conn) putClaim(ctx context.Context, receiver string, m *nats.Msg, body io.Reader) (string, error) {
	if !isToken(receiver) {
		return "", fmt.Errorf("%.100q is no receiver of a claim check", receiver)
	}
	claim := receiver + "." + nuid.Next()
	size, source, err := c.putChunks(ctx, claim, body)
	if source != nil || err != nil {
		c.dropClaim(claim)
	}
	switch {
	case source != nil:
		c.metrics.claims.WithLabelValues("source_failed").Inc()
		return "", source
	case err != nil && ctx.Err() != nil:
		return "", context.Cause(ctx)
	case err != nil:
		c.metrics.claims.WithLabelValues("refused").Inc()
		return "", storeProblem(err, "The message bus has no memory for a body of this size.")
	}
	c.metrics.claims.WithLabelValues("stored").Inc()
	m.Header.Set(headerClaim, claim)
	m.Header.Set(headerClaimSize, strconv.FormatInt(size, 10))
	return claim, nil
}

// putChunks stores a body chunk by chunk and returns its size. What reading the
// body says is told from what storing it says.
func (c *Conn) putChunks(ctx context.Context, claim string, body io.Reader) (size int64, source, err error) {
	chunk := make([]byte, claimChunk)
	for n, end := 0, error(nil); end == nil; n++ {
		var length int
		if length, end = fill(body, chunk); end != nil && !errors.Is(end, io.EOF) {
			return size, end, nil
		}
		if length == 0 {
			break
		}
		m := &nats.Msg{Subject: chunkSubject(claim, n), Data: chunk[:length]}
		if _, err := c.store(ctx, m, fmt.Sprintf("%s.%d", claim, n)); err != nil {
			return size, nil, err
		}
		size += int64(length)
	}
	return size, nil, nil
}

// fill reads until p is full or r has no more: each chunk becomes a message, and
// many sources come in small pieces. It returns the error as r says it: where
// one in the midst of a body is an unexpected EOF, the body is broken.
func fill(r io.Reader, p []byte) (n int, err error) {
	for n < len(p) && err == nil {
		var more int
		more, err = r.Read(p[n:])
		n += more
	}
	return n, err
}

// dropClaim deletes a claim that has been redeemed. What it cannot delete goes
// by its age.
func (c *Conn) dropClaim(claim string) {
	if claim == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), dropTimeout)
	defer cancel()
	if err := c.claims.Purge(ctx, jetstream.WithPurgeSubject("claims."+claim+".*")); err != nil {
		c.log.Warn("a claim check was not deleted and goes by its age", "claim", claim, "error", err)
	}
}

// openClaim returns the body that a message has a claim for. Who reads it closes
// it, which ends the claim.
func (c *Conn) openClaim(ctx context.Context, m *nats.Msg) (contract.Stream, error) {
	claim := m.Header.Get(headerClaim)
	if receiver, random, _ := strings.Cut(claim, "."); !isToken(receiver) || !isToken(random) {
		return contract.Stream{}, fmt.Errorf("the claim %.100q is no name", claim)
	}
	size, err := strconv.ParseInt(m.Header.Get(headerClaimSize), 10, 64)
	if err != nil || size < 0 {
		return contract.Stream{}, fmt.Errorf("the claim %s has the size %.100q", claim, m.Header.Get(headerClaimSize))
	}
	// Reading may go on after the call has returned, so it has a time of its own.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), claimReadTimeout)
	r := &claimReader{ctx: ctx, cancel: cancel, conn: c, claim: claim, left: size}
	if err := r.fetch(); err != nil { // a claim that is lost is told at once, not in the midst of the answer
		cancel()
		return contract.Stream{}, err
	}
	return contract.Stream{Body: r, Size: size}, nil
}

// claimReader reads the chunks of a claim, and deletes them when it is closed:
// whoever redeems a claim is its only reader.
type claimReader struct {
	ctx    context.Context
	cancel context.CancelFunc
	conn   *Conn
	claim  string
	next   int    // chunk to be fetched
	chunk  []byte // what is left of the one before
	left   int64  // bytes to be fetched
	once   sync.Once
}

// Read implements io.Reader.
func (r *claimReader) Read(p []byte) (int, error) {
	if len(r.chunk) == 0 {
		if r.left == 0 {
			return 0, io.EOF
		}
		if err := r.fetch(); err != nil {
			return 0, err
		}
	}
	n := copy(p, r.chunk)
	r.chunk = r.chunk[n:]
	return n, nil
}

// fetch gets the next chunk, of whichever server has it: one may lag behind the
// others, and one that goes away answers nothing.
func (r *claimReader) fetch() error {
	ctx, cancel := context.WithTimeout(r.ctx, chunkTimeout)
	defer cancel()
	for wait := time.Millisecond; ; wait = min(2*wait, storeRetry) {
		attempt, cancel := context.WithTimeout(ctx, chunkAttempt)
		m, err := r.conn.claims.GetLastMsgForSubject(attempt, chunkSubject(r.claim, r.next))
		cancel()
		if err == nil && len(m.Data) > 0 && int64(len(m.Data)) <= r.left {
			r.chunk, r.next, r.left = m.Data, r.next+1, r.left-int64(len(m.Data))
			return nil
		}
		if err == nil {
			return fmt.Errorf("the claim %s has a chunk of %d bytes where %d are left", r.claim, len(m.Data), r.left)
		}
		if sleep(ctx, wait) != nil {
			// Memory does not outlive the last server that has it: what is lost
			// has to be sent again.
			return problem.New(problem.Unavailable, "The body was lost between services. Retry the request.").
				After(retryAfter).Because(fmt.Errorf("redeem the claim check %s: %w", r.claim, err))
		}
	}
}

// Close ends the reading and removes the chunks: a claim is redeemed once.
func (r *claimReader) Close() error {
	r.once.Do(func() {
		r.cancel()
		r.conn.dropClaim(r.claim)
	})
	return nil
}
