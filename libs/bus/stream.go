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
	// setupTimeout bounds one question to JetStream about a stream.
	setupTimeout = 5 * time.Second
	// setupEvery is how often JetStream is asked that is not ready.
	setupEvery = time.Second
)

// Codes of errors of JetStream that the client has no names for.
const (
	codeNoPeers         = 10005 // no servers for so many replicas, as yet
	codeNotAssigned     = 10007
	codeNotLeader       = 10009
	codeInvalidConfig   = 10052
	codeNoResources     = 10023
	codeNoMemory        = 10028
	codeNoStorage       = 10047
	codeNotClustered    = 10074 // replicas without a cluster
	codeStoreFailed     = 10077 // the stream is full
	codeStreamOffline   = 10118
	codeConsumerOffline = 10119
	codeDuplicate       = 10158 // the first one is being stored
)

// setup is what hears that the user of NATS may not do what is being asked for:
// the answer to that is silence, and the refusal comes by another way.
type setup struct {
	turn sync.Mutex // one question at a time

	mu     sync.Mutex
	stream string
	refuse context.CancelCauseFunc
}

// ask does something with a stream, and returns soon if NATS says that its user
// may not.
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

func (s *setup) watch(stream string, refuse context.CancelCauseFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stream, s.refuse = stream, refuse
}

// deny hands a refusal to who waits for an answer, and reports whether there was
// somebody: the text of the error names the subject, which names the stream.
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

// untilReady does something with a stream, and does it again for as long as
// JetStream is not ready: a cluster has no leader at first, and its streams have
// none while one is elected.
func (c *Conn) untilReady(ctx context.Context, stream string, do func(context.Context) error) error {
	for attempt := 0; ; attempt++ {
		bounded, cancel := context.WithTimeout(ctx, setupTimeout)
		err := c.setup.ask(bounded, stream, do)
		cancel()
		if err == nil {
			return nil
		}
		if ctx.Err() != nil || !notReady(err) {
			return fmt.Errorf("%w%s", err, remedy(err, stream))
		}
		if attempt%sayEvery == 0 {
			c.log.WarnContext(ctx, "a stream is waited for", "stream", stream, "error", err)
		}
		if sleep(ctx, setupEvery) != nil {
			return fmt.Errorf("%w (%w)", err, ctx.Err())
		}
	}
}

// errNotMade says that a stream is not there which this part may not make.
var errNotMade = errors.New("it is not there, and this user of NATS may not make it: the part that may has to be started")

// notReady reports whether an error of JetStream passes by itself.
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

// remedy says what to do about an error that does not pass by itself.
func remedy(err error, stream string) string {
	var api *jetstream.APIError
	switch {
	case errors.Is(err, nats.ErrPermissionViolation):
		return ": give the user of NATS the permissions of deploy/nats/recto.conf"
	case !errors.As(err, &api):
		return ""
	case api.ErrorCode == codeNotClustered:
		return ": NATS_REPLICAS needs a cluster of that many servers; set it to 1 for a single one"
	case slices.Contains([]jetstream.ErrorCode{codeNoResources, codeNoMemory, codeNoStorage}, api.ErrorCode):
		return ": give the server more with max_memory_store and max_file_store, or take less with NATS_CLAIM_BYTES"
	case api.ErrorCode == codeInvalidConfig:
		return fmt.Sprintf(": the stream %s is there with settings that cannot be changed; when nothing is left in it, remove it with: nats stream rm %[1]s", stream)
	}
	return ""
}

// ensureStream returns the stream, which it makes if it is not there, and whose
// settings it changes if they are not those of want; what want leaves open stays
// as its operator has it. A user that may only look waits for a stream and takes
// it as it is.
func (c *Conn) ensureStream(ctx context.Context, want jetstream.StreamConfig) (stream jetstream.Stream, err error) {
	want.Replicas = c.replicas
	denied := false // to make it
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

// adaptStream changes the settings of a stream that are not those of want.
func (c *Conn) adaptStream(ctx context.Context, have, want jetstream.StreamConfig) error {
	adapted := adapt(have, want)
	if reflect.DeepEqual(have, adapted) {
		return nil
	}
	_, err := c.js.UpdateStream(ctx, adapted)
	if err != nil && errors.Is(context.Cause(ctx), nats.ErrPermissionViolation) {
		c.log.WarnContext(ctx, "a stream has other settings than those of this part, which may not change them", "stream", want.Name, "error", context.Cause(ctx))
		return nil
	}
	if err == nil {
		c.log.InfoContext(ctx, "the settings of a stream were changed", "stream", want.Name)
	}
	return err
}

// adapt returns the settings of have with those that want decides.
func adapt(have, want jetstream.StreamConfig) jetstream.StreamConfig {
	have.Subjects, have.Storage, have.Retention, have.Discard = want.Subjects, want.Storage, want.Retention, want.Discard
	have.MaxAge, have.Duplicates, have.Replicas = want.MaxAge, want.Duplicates, want.Replicas
	have.MaxBytes, have.MaxMsgs = orUnlimited(want.MaxBytes), orUnlimited(want.MaxMsgs)
	have.AllowDirect, have.AllowMsgTTL = want.AllowDirect, want.AllowMsgTTL
	return have
}

// orUnlimited is n as the server writes it.
func orUnlimited(n int64) int64 {
	if n == 0 {
		return -1
	}
	return n
}

// ensureConsumer returns the durable consumer of a stream, which it makes or
// changes if need be. It has the replicas of its stream.
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
	// storeTimeout bounds the storing of a message: within it a leader is elected
	// where one has gone.
	storeTimeout = 5 * time.Second
	// storeAttempt is when a message is sent again that nobody has confirmed.
	storeAttempt = 2 * time.Second
	// storeRetry is the pause after a refusal that passes.
	storeRetry = 100 * time.Millisecond
)

// store stores a message in a stream and returns when it is there, on the disk
// if that is where the stream is. It is sent again under its id until it is
// confirmed: the stream takes one of them.
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

// storeProblem is what a caller is told whose request was not stored: full, if
// the stream has answered.
func storeProblem(err error, full string) error {
	if notReady(err) {
		full = "The message bus is unavailable."
	}
	return problem.New(problem.Unavailable, "%s Retry later.", full).After(retryAfter).Because(err)
}
