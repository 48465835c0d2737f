package bus

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/rectohq/recto/libs/problem"
)

const (
	// setupTimeout bounds one JetStream request about a stream.
	setupTimeout = 5 * time.Second
	// setupEvery is the interval between such requests while JetStream is not ready.
	setupEvery = time.Second
)

// JetStream error codes that the client does not name.
const (
	codeNoPeers         = 10005 // not enough servers for the replicas yet
	codeNotAssigned     = 10007
	codeNotLeader       = 10009
	codeInvalidConfig   = 10052
	codeNoResources     = 10023
	codeNoMemory        = 10028
	codeNoStorage       = 10047
	codeNotClustered    = 10074 // replicas require a cluster
	codeStoreFailed     = 10077 // the stream is full
	codeStreamOffline   = 10118
	codeConsumerOffline = 10119
	codeDuplicate       = 10158 // the first message is still being stored
)

// setup detects that the NATS user lacks a permission for a request to JetStream. Such a
// request gets no reply; NATS reports the violation asynchronously instead.
type setup struct {
	turn sync.Mutex // one request at a time

	mu     sync.Mutex
	stream string
	refuse context.CancelCauseFunc
}

// ask calls do, and returns early if NATS reports that the user lacks the permission.
func (s *setup) ask(ctx context.Context, stream string, do func(context.Context) error) error {
	s.turn.Lock()
	defer s.turn.Unlock()
	ctx, refuse := context.WithCancelCause(ctx)
	defer refuse(nil)
	s.watch(stream, refuse)
	defer s.watch("", nil)
	err := do(ctx)
	if errors.Is(err, context.Canceled) {
		return context.Cause(ctx)
	}
	return err
}

// watch sets the stream of the pending ask, and refuse, which cancels it.
func (s *setup) watch(stream string, refuse context.CancelCauseFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stream, s.refuse = stream, refuse
}

// deny passes a permission error to the pending ask and reports whether there was one for
// its stream. The error text contains the subject, which contains the name of the stream.
func (s *setup) deny(err error) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.refuse == nil || !errors.Is(err, nats.ErrPermissionViolation) {
		return false
	}
	_, subject, _ := strings.Cut(err.Error(), `"`)
	subject, _, _ = strings.Cut(subject, `"`)
	if !strings.HasPrefix(subject, "$JS.API.") || !slices.Contains(strings.Split(subject, "."), s.stream) {
		return false
	}
	s.refuse(err)
	return true
}

// untilReady calls do, and retries as long as JetStream is not ready: a starting cluster
// has no leader, and neither do its streams during an election.
func (c *Conn) untilReady(ctx context.Context, stream string, do func(context.Context) error) error {
	var reason error // of the last failed attempt: ctx may end in the next one, which says less
	for attempt := 0; ; attempt++ {
		bounded, cancel := context.WithTimeout(ctx, setupTimeout)
		err := c.setup.ask(bounded, stream, do)
		cancel()
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil && reason != nil:
			return fmt.Errorf("%w (%w)", reason, ctx.Err())
		case ctx.Err() != nil || !notReady(err):
			return fmt.Errorf("%w%s", err, remedy(err, stream))
		}
		reason = err
		if attempt%sayEvery == 0 {
			c.log.WarnContext(ctx, "waiting for a stream", "stream", stream, "error", err)
		}
		if sleep(ctx, setupEvery) != nil {
			return fmt.Errorf("%w (%w)", err, ctx.Err())
		}
	}
}

// errNotMade means that a stream does not exist and this part may not create it.
var errNotMade = errors.New("it does not exist, and this NATS user may not create it: start the part that may create it")

// notReady reports whether a JetStream error is transient.
func notReady(err error) bool {
	var api *jetstream.APIError
	if errors.As(err, &api) {
		passing := []jetstream.ErrorCode{codeNoPeers, codeNotAssigned, codeNotLeader, codeStreamOffline, codeConsumerOffline, codeDuplicate, jetstream.JSErrCodeStreamNotFound}
		return api.Code == 503 && api.ErrorCode != codeStoreFailed && api.ErrorCode != codeNoResources || slices.Contains(passing, api.ErrorCode)
	}
	return unsent(err) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, nats.ErrTimeout) ||
		errors.Is(err, nats.ErrNoResponders) || errors.Is(err, jetstream.ErrNoStreamResponse) ||
		errors.Is(err, nats.ErrDisconnected) || errors.Is(err, errNotMade)
}

// remedy says what to do about an error that is not transient.
func remedy(err error, stream string) string {
	var api *jetstream.APIError
	switch {
	case errors.Is(err, nats.ErrPermissionViolation):
		return ": give the NATS user the permissions in deploy/nats/recto.conf"
	case !errors.As(err, &api):
		return ""
	case api.ErrorCode == codeNotClustered:
		return ": NATS_REPLICAS needs a cluster of at least that many servers; set it to 1 for a single server"
	case slices.Contains([]jetstream.ErrorCode{codeNoResources, codeNoMemory, codeNoStorage}, api.ErrorCode):
		return ": raise max_memory_store and max_file_store on the server, or lower NATS_CLAIM_BYTES"
	case api.ErrorCode == codeInvalidConfig:
		return fmt.Sprintf(": the stream %s exists with settings that cannot be changed; when it is empty, remove it with: nats stream rm %[1]s", stream)
	}
	return ""
}

// ensureStream returns the stream. It creates the stream if it does not exist, and
// updates settings that differ from want; settings that want does not specify stay as the
// operator left them. If the NATS user may only read, ensureStream waits for the stream
// to exist and uses it as it is.
func (c *Conn) ensureStream(ctx context.Context, want jetstream.StreamConfig) (stream jetstream.Stream, err error) {
	want.Replicas = c.replicas
	denied := false // the permission to create it
	err = c.untilReady(ctx, want.Name, func(ctx context.Context) (err error) {
		stream, err = c.js.Stream(ctx, want.Name)
		switch {
		case err == nil:
			return c.adaptStream(ctx, stream.CachedInfo().Config, want)
		case !errors.Is(err, jetstream.ErrStreamNotFound):
			return err
		case denied:
			return errNotMade
		}
		stream, err = c.js.CreateStream(ctx, want)
		if err != nil && errors.Is(context.Cause(ctx), nats.ErrPermissionViolation) {
			denied = true
			return errNotMade
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("open the stream %s: %w", want.Name, err)
	}
	return stream, nil
}

// adaptStream updates the settings of a stream that differ from want.
func (c *Conn) adaptStream(ctx context.Context, have, want jetstream.StreamConfig) error {
	adapted := adapt(have, want)
	if reflect.DeepEqual(have, adapted) {
		return nil
	}
	_, err := c.js.UpdateStream(ctx, adapted)
	if err != nil && errors.Is(context.Cause(ctx), nats.ErrPermissionViolation) {
		c.log.WarnContext(ctx, "a stream's settings differ from this part's, which may not change them", "stream", want.Name, "error", context.Cause(ctx))
		return nil
	}
	if err == nil {
		c.log.InfoContext(ctx, "updated the settings of a stream", "stream", want.Name)
	}
	return err
}

// adapt returns have with the settings that want specifies.
func adapt(have, want jetstream.StreamConfig) jetstream.StreamConfig {
	have.Subjects, have.Storage, have.Retention, have.Discard = want.Subjects, want.Storage, want.Retention, want.Discard
	have.MaxAge, have.Duplicates, have.Replicas = want.MaxAge, want.Duplicates, want.Replicas
	have.MaxBytes, have.MaxMsgs = orUnlimited(want.MaxBytes), orUnlimited(want.MaxMsgs)
	have.AllowDirect, have.AllowMsgTTL = want.AllowDirect, want.AllowMsgTTL
	return have
}

// orUnlimited returns n as the server represents it: -1 for no limit.
func orUnlimited(n int64) int64 {
	if n == 0 {
		return -1
	}
	return n
}

// ensureConsumer returns the durable consumer of a stream, creating or updating it as
// needed. It has as many replicas as its stream.
func (c *Conn) ensureConsumer(ctx context.Context, stream string, want jetstream.ConsumerConfig) (consumer jetstream.Consumer, err error) {
	err = c.untilReady(ctx, stream, func(ctx context.Context) (err error) {
		consumer, err = c.js.CreateOrUpdateConsumer(ctx, stream, want)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("open the consumer %s of %s: %w", want.Durable, stream, err)
	}
	return consumer, nil
}

const (
	// storeTimeout bounds the storing of a message. It is long enough for the election of
	// a new leader.
	storeTimeout = 5 * time.Second
	// storeAttempt is how long an acknowledgement is awaited before a message is sent
	// again.
	storeAttempt = 2 * time.Second
	// storeRetry is the pause after a transient error.
	storeRetry = 100 * time.Millisecond
)

// store stores a message in a stream and returns when it is stored, on disk if the stream
// is on disk. The message is resent under its ID until it is acknowledged; the stream
// keeps only one copy.
func (c *Conn) store(ctx context.Context, m *nats.Msg, id string) (*jetstream.PubAck, error) {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	for {
		attempt, cancel := context.WithTimeout(ctx, storeAttempt)
		ack, err := c.js.PublishMsg(attempt, m, jetstream.WithMsgID(id))
		cancel()
		if err == nil || !notReady(err) || sleep(ctx, storeRetry) != nil {
			return ack, err
		}
	}
}

// storeProblem returns the error for a caller whose request was not stored: full, if the
// stream has answered.
func storeProblem(err error, full string) error {
	if notReady(err) {
		full = "The message bus is unavailable."
	}
	return problem.New(problem.Unavailable, "%s Retry later.", full).After(retryAfter).Because(err)
}
