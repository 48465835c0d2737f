package bus

import (
	"context"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/nats-io/nats.go"

	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/problem"
)

// respond sends a result.
func (s *Server) respond(ctx context.Context, m *nats.Msg, res any) {
	reply := nats.NewMsg(m.Reply)
	claim, err := s.conn.putPayload(ctx, m.Header.Get(headerCaller), reply, res)
	if stream, ok := res.(contract.Stream); ok {
		_ = stream.Close() // it was read to its end, or reading it failed
	}
	if err != nil {
		s.respondError(ctx, m, err)
		return
	}
	if err := s.send(ctx, reply); err != nil {
		s.conn.dropClaim(claim)
		s.conn.log.WarnContext(ctx, "could not send a reply", "subject", m.Subject, "error", err)
	}
}

// respondError sends an error. It logs internal errors and failing dependencies, such as
// an unavailable database, but logs errors of the caller only at debug level.
func (s *Server) respondError(ctx context.Context, m *nats.Msg, err error) {
	s.replyError(ctx, m, nats.NewMsg(m.Reply), err)
}

// replyError completes and sends a reply with an error.
func (s *Server) replyError(ctx context.Context, m, reply *nats.Msg, err error) {
	failure := problem.Of(err)
	switch {
	case failure.Code == problem.Internal:
		s.conn.log.ErrorContext(ctx, "a request failed", "subject", m.Subject, "error", err)
	case failure.Code == problem.Unavailable && failure.Unwrap() != nil:
		s.conn.log.WarnContext(ctx, "a request could not be served", "subject", m.Subject, "error", err)
	default:
		s.conn.log.DebugContext(ctx, "a request was refused", "subject", m.Subject, "error", err)
	}
	reply.Header.Set(headerErrorCode, strconv.Itoa(int(failure.Code)))
	reply.Header.Set(headerError, failure.Code.Message())
	claim, err := s.conn.putPayload(ctx, m.Header.Get(headerCaller), reply, failure)
	if err != nil {
		// If the error cannot be sent in full, send a shorter one so that the caller does
		// not wait for its whole timeout.
		small := problem.Error{Code: failure.Code, Detail: failure.Detail, RetryAfter: failure.RetryAfter}
		reply.Data, _ = json.Marshal(small) // numbers and a string always encode
	}
	if err := s.send(ctx, reply); err != nil {
		s.conn.dropClaim(claim)
		s.conn.log.WarnContext(ctx, "could not send an error reply", "subject", m.Subject, "error", err)
	}
}

const (
	// sendTimeout bounds how long a reply waits for a connection.
	sendTimeout = 5 * time.Second
	// sendRetry is the interval between attempts to send a reply.
	sendRetry = 20 * time.Millisecond
	// sendDoubt is how long it may take to notice that the server has closed the
	// connection. Replies sent in that time are lost.
	sendDoubt = 250 * time.Millisecond
)

// send sends a reply. If the connection is down, the reply goes over the next one,
// provided that it comes up while the caller waits. If the connection is lost just after
// sending, the reply is sent again over the next one; the caller takes the first to
// arrive.
func (s *Server) send(ctx context.Context, reply *nats.Msg) error {
	link := s.conn.connection()
	if err := s.sendOnce(ctx, reply); err != nil {
		return err
	}
	settled := context.AfterFunc(link, func() { _ = s.sendOnce(s.conn.life, reply) })
	time.AfterFunc(sendDoubt, func() { settled() })
	return nil
}

// sendOnce sends a reply as soon as there is a connection.
func (s *Server) sendOnce(ctx context.Context, reply *nats.Msg) error {
	ctx, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()
	for {
		err := s.conn.nc.PublishMsg(reply)
		if err == nil || !unsent(err) || sleep(ctx, sendRetry) != nil {
			return err
		}
	}
}
