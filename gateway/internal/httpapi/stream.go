package httpapi

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"runtime/debug"
	"strconv"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/gofiber/fiber/v2"
	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/semaphore"

	"github.com/rectohq/recto/gateway/internal/negotiate"
	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/problem"
)

const (
	headerLastEventID = "Last-Event-ID"
	// streamRetry is how long to wait for a place for a stream.
	streamRetry = 5 * time.Second
	// copies is about how often a result is in memory while it is told: as it came, as
	// events, and as what is being written.
	copies = 3
	// maxEventHead is about what is written of an event beside its data.
	maxEventHead = 64
)

// streams are the places of streams of events, which hold a connection each for
// as long as a job takes.
type streams struct {
	places *semaphore.Weighted
	// memory is that of the results that are being told, which a client that reads
	// slowly, or not at all, keeps there.
	memory *semaphore.Weighted
	size   int64 // of memory, in bytes
	open   prometheus.Gauge
	// ending ends when the server does: every stream ends then, and goes on at
	// another server.
	ending context.Context
	end    context.CancelFunc
}

// newStreams returns places for n streams, whose results may take the memory together.
func newStreams(n int, memory int64, open prometheus.Gauge) streams {
	s := streams{places: semaphore.NewWeighted(int64(n)), memory: semaphore.NewWeighted(memory), size: memory, open: open}
	s.ending, s.end = context.WithCancel(context.Background())
	return s
}

// enter takes a place and reports whether there was one.
func (s streams) enter() bool {
	if s.ending.Err() != nil || !s.places.TryAcquire(1) {
		return false
	}
	s.open.Inc()
	return true
}

// leave gives a place back.
func (s streams) leave() {
	s.places.Release(1)
	s.open.Dec()
}

// hold takes the memory that a result of n bytes needs while it is told, and reports
// whether there is as much. A result that needs more than all of it is told alone.
func (s streams) hold(n int) (release func(), ok bool) {
	n64 := min(int64(n)*copies, s.size)
	return func() { s.memory.Release(n64) }, s.memory.TryAcquire(n64)
}

// framing is how events are written one after the other.
type framing interface {
	contentType() string
	// appendEvent appends an event, whose data is an object on one line.
	appendEvent(to []byte, e insightapi.Event) []byte
	// pause is what is written while there are no events, and means nothing.
	pause() string
}

// serverSentEvents is text/event-stream of the HTML standard, section 9.2.
type serverSentEvents struct{}

func (serverSentEvents) contentType() string { return "text/event-stream" }
func (serverSentEvents) pause() string       { return ": still at work\n\n" }

func (serverSentEvents) appendEvent(to []byte, e insightapi.Event) []byte {
	to = fmt.Appendf(to, "id: %d\nevent: %s\ndata: ", e.Sequence, e.Kind)
	to = append(to, e.Data...)
	return append(to, "\n\n"...)
}

// jsonLines is the members of the data on a line each, behind the name and the id
// of the event.
type jsonLines struct{}

func (jsonLines) contentType() string { return "application/x-ndjson" }

// pause is white space before the next line: who reads line by line does not notice.
func (jsonLines) pause() string { return " " }

func (jsonLines) appendEvent(to []byte, e insightapi.Event) []byte {
	to = fmt.Appendf(to, `{"event":%q,"id":%d`, e.Kind, e.Sequence)
	if members := bytes.TrimPrefix(e.Data, []byte("{")); len(members) > 1 {
		to = append(append(to, ','), members...)
	} else {
		to = append(to, '}')
	}
	return append(to, '\n')
}

// framingOf returns what the client asks for by Accept headers (RFC 9110, section
// 12.5.1): lines of JSON, if they are named and server-sent events are not liked as
// well. Whoever names neither is not refused: the request has said stream.
func framingOf(accept []string) framing {
	liked := negotiate.Qualities(accept)
	if q := liked[jsonLines{}.contentType()]; q > 0 && q > liked[serverSentEvents{}.contentType()] {
		return jsonLines{}
	}
	return serverSentEvents{}
}

// lastEventID returns the id of the last event that the client has, 0 for none.
func lastEventID(values []string) (int, error) {
	if len(values) == 0 || len(values) == 1 && values[0] == "" {
		return 0, nil
	}
	n, err := strconv.ParseUint(values[0], 10, 31)
	if err != nil || len(values) > 1 {
		var problems problem.List
		problems.Add(problem.Unparsable(headerLastEventID, problem.CodeInvalidType, "the id of an event", values[0]))
		return 0, problems.Err()
	}
	return int(n), nil
}

var (
	// errEnding says that this server ends.
	errEnding = errors.New("the server ends")
	// errClientGone says that nobody reads the stream any more.
	errClientGone = errors.New("the client is gone")
)

// stream lets t tell a client its events, once the handler has returned. The exchange
// ends with the stream.
func (s *Server) stream(r *request, f framing, t *eventStreamer) {
	fctx, x := r.Context(), r.exchange
	reader, writer := io.Pipe()
	t.out = eventWriter{to: writer, conn: fctx.Conn(), patience: s.cfg.WriteTimeout, framing: f}
	ctx, cancel := context.WithCancelCause(x.ctx)
	stop := context.AfterFunc(s.streams.ending, func() { cancel(errEnding) })
	told := make(chan struct{})
	go func() {
		defer close(told)
		writer.CloseWithError(s.tell(ctx, t))
	}()
	x.detached = true
	fctx.Response.Header.Set(fiber.HeaderContentType, f.contentType())
	fctx.Response.Header.Set("X-Accel-Buffering", "no")
	fctx.Response.ImmediateHeaderFlush = true
	fctx.SetBodyStream(&streamBody{PipeReader: reader, finish: func() {
		stop()
		cancel(errClientGone)
		<-told
		s.streams.leave()
		x.failure = t.failure
		s.finish(fctx)
	}}, -1)
}

// tell tells the events within the time that a stream has. It returns an error for
// a stream that must not look complete.
func (s *Server) tell(ctx context.Context, t *eventStreamer) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
			s.log.ErrorContext(ctx, "a stream failed", "error", err, "stack", string(debug.Stack()))
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, s.cfg.StreamBudget)
	defer cancel()
	return t.run(ctx)
}

// streamBody is the body of an answer. Its exchange finishes when fasthttp closes
// it, which it does also if nobody reads it any more.
type streamBody struct {
	*io.PipeReader
	once   sync.Once
	finish func()
}

// Close implements io.Closer.
func (e *streamBody) Close() error {
	err := e.PipeReader.Close()
	e.once.Do(e.finish)
	return err
}

// eventWriter writes events to a client.
type eventWriter struct {
	to       io.Writer
	conn     net.Conn
	patience time.Duration
	framing  framing
}

// event writes an event.
func (w eventWriter) event(e insightapi.Event) error {
	if bytes.ContainsAny(e.Data, "\r\n") {
		data := jsontext.Value(bytes.Clone(e.Data))
		if err := data.Compact(); err != nil {
			return fmt.Errorf("write event %d on one line: %w", e.Sequence, err)
		}
		e.Data = data
	}
	return w.write(w.framing.appendEvent(make([]byte, 0, len(e.Data)+maxEventHead), e))
}

// pause writes that there is nothing to tell.
func (w eventWriter) pause() error { return w.write([]byte(w.framing.pause())) }

// write gives the client as long for each piece as for a whole answer: the time of
// the HTTP library is for the whole stream.
func (w eventWriter) write(data []byte) error {
	if err := w.conn.SetWriteDeadline(time.Now().Add(w.patience)); err != nil {
		return errors.Join(errClientGone, err)
	}
	if _, err := w.to.Write(data); err != nil {
		return errors.Join(errClientGone, err)
	}
	return nil
}
