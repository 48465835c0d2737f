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
	// claimStream holds the payloads of claim checks.
	claimStream = "CLAIMS"
	// claimChunk is the size of its messages, in bytes: below the 1 MiB that a NATS
	// server accepts by default.
	claimChunk = 512 << 10
	// claimWindow is how long a resent chunk is recognized as a duplicate.
	claimWindow = time.Minute
	// claimReadTimeout bounds the reading of one claim.
	claimReadTimeout = 5 * time.Minute
	// chunkTimeout bounds the reading of one chunk. Any replica may be asked, and one
	// that lags behind may not have the chunk yet.
	chunkTimeout = 4 * time.Second
	// chunkAttempt is how long to wait for one replica before the chunk is requested
	// again.
	chunkAttempt = 2 * time.Second
	// dropTimeout bounds the deletion of a claim.
	dropTimeout = 2 * time.Second
)

// openClaims opens the stream of claim checks. It is in memory: a claim lives only as
// long as one request, and inline files must not reach a disk.
//
// Claims are plain messages rather than objects in a JetStream object store. In a cluster
// any replica may serve an object, and one that lags behind reports that the object does
// not exist: with three replicas, 52 of 400 calls failed that way. A message can be
// requested repeatedly until it arrives, and reading messages takes a third of the time.
// The subject of a message also lets NATS permissions restrict reading it to the receiver.
func (c *Conn) openClaims(ctx context.Context, cfg Config) error {
	claims, err := c.ensureStream(ctx, jetstream.StreamConfig{
		Name: claimStream, Description: "payloads that are too large for a message", Subjects: []string{"claims.*.*.*"},
		Storage: jetstream.MemoryStorage, MaxAge: cfg.ClaimTTL, MaxBytes: cfg.ClaimBytes, Discard: jetstream.DiscardNew,
		Duplicates: min(claimWindow, cfg.ClaimTTL), AllowDirect: true,
	})
	if err == nil && c.claims == nil { // the existing handle also works for a recreated stream
		c.claims = claims
	}
	return err
}

// chunkSubject returns the subject of a chunk of a claim. A claim is named
// <receiver>.<random>, so that NATS permissions allow only the receiver to read it.
func chunkSubject(claim string, n int) string {
	return "claims." + claim + "." + strconv.Itoa(n)
}

// putClaim stores a body for the part called receiver, puts the claim's name and size
// into the headers of m, and returns the name. An error from reading the body is returned
// unchanged, since it may be a refusal meant for the caller.
func (c *Conn) putClaim(ctx context.Context, receiver string, m *nats.Msg, body io.Reader) (string, error) {
	if !isToken(receiver) {
		return "", fmt.Errorf("%.100q cannot be the receiver of a claim check", receiver)
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

// putChunks stores a body chunk by chunk and returns its size. Errors from reading the
// body are returned as source, errors from storing it as err.
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

// fill reads until p is full or r is exhausted: each chunk becomes a message, and many
// sources deliver small pieces. It returns r's error unchanged. (io.ReadFull would turn
// an io.EOF after some bytes into io.ErrUnexpectedEOF, which here means that the body is
// broken.)
func fill(r io.Reader, p []byte) (n int, err error) {
	for n < len(p) && err == nil {
		var more int
		more, err = r.Read(p[n:])
		n += more
	}
	return n, err
}

// dropClaim deletes a claim that was redeemed or will not be. A claim that cannot be
// deleted expires.
func (c *Conn) dropClaim(claim string) {
	if claim == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), dropTimeout)
	defer cancel()
	if err := c.claims.Purge(ctx, jetstream.WithPurgeSubject("claims."+claim+".*")); err != nil {
		c.log.Warn("could not delete a claim check; it will expire", "claim", claim, "error", err)
	}
}

// openClaim returns the body that the claim in a message refers to. The caller must close
// the body, which deletes the claim.
func (c *Conn) openClaim(ctx context.Context, m *nats.Msg) (contract.Stream, error) {
	claim := m.Header.Get(headerClaim)
	if receiver, random, _ := strings.Cut(claim, "."); !isToken(receiver) || !isToken(random) {
		return contract.Stream{}, fmt.Errorf("invalid claim name %.100q", claim)
	}
	size, err := strconv.ParseInt(m.Header.Get(headerClaimSize), 10, 64)
	if err != nil || size < 0 {
		return contract.Stream{}, fmt.Errorf("the claim %s has the invalid size %.100q", claim, m.Header.Get(headerClaimSize))
	}
	// The caller may keep reading after the call has returned, so reading has its own
	// timeout.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), claimReadTimeout)
	r := &claimReader{ctx: ctx, cancel: cancel, conn: c, claim: claim, left: size}
	if err := r.fetch(); err != nil { // report a lost claim now rather than in the middle of the reply
		cancel()
		return contract.Stream{}, err
	}
	return contract.Stream{Body: r, Size: size}, nil
}

// claimReader reads the chunks of a claim and deletes them when it is closed: a claim has
// only one reader.
type claimReader struct {
	ctx    context.Context
	cancel context.CancelFunc
	conn   *Conn
	claim  string
	next   int    // next chunk to fetch
	chunk  []byte // unread rest of the current chunk
	left   int64  // bytes still to fetch
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

// fetch gets the next chunk from any replica that has it: one may lag behind the others,
// and one that is failing does not answer.
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
			return fmt.Errorf("the claim %s has a chunk of %d bytes where %d remain", r.claim, len(m.Data), r.left)
		}
		if sleep(ctx, wait) != nil {
			// The stream is in memory and is lost with the last server that holds it, so
			// the caller has to send the body again.
			return problem.New(problem.Unavailable, "The body was lost between services. Retry the request.").
				After(retryAfter).Because(fmt.Errorf("redeem the claim check %s: %w", r.claim, err))
		}
	}
}

// Close stops reading and deletes the chunks: a claim is redeemed only once.
func (r *claimReader) Close() error {
	r.once.Do(func() {
		r.cancel()
		r.conn.dropClaim(r.claim)
	})
	return nil
}
