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
	// streamRetry is the Retry-After of a request that would exceed the stream limit.
	streamRetry = 5 * time.Second
	// copies is the approximate number of copies of a result in memory while it is sent:
	// as received, as events, and in the write buffer.
	copies = 3
	// maxEventHead is the approximate size of an event without its data, in bytes.
	maxEventHead = 64
)

// streams limits the open streams of events, each of which holds a connection until its
// job finishes.
type streams struct {
	places *semaphore.Weighted
	// memory is the memory for results that are being sent. A client that reads slowly, or
	// not at all, holds its share of it.
	memory *semaphore.Weighted
	size   int64 // the total memory, in bytes
	open   prometheus.Gauge
	// ending is canceled when the server shuts down. Every stream then ends, and clients
	// continue it with another server.
	ending context.Context
	end    context.CancelFunc
}

// newStreams returns a limit of n streams, whose results share the memory, in bytes.
func newStreams(n int, memory int64, open prometheus.Gauge) streams {
	s := streams{places: semaphore.NewWeighted(int64(n)), memory: semaphore.NewWeighted(memory), size: memory, open: open}
	s.ending, s.end = context.WithCancel(context.Background())
	return s
}

// enter reserves a place for a stream and reports whether there was one.
func (s streams) enter() bool {
	if s.ending.Err() != nil || !s.places.TryAcquire(1) {
		return false
	}
	s.open.Inc()
	return true
}

// leave returns a place.
func (s streams) leave() {
	s.places.Release(1)
	s.open.Dec()
}

// hold reserves the memory that sending a result of n bytes needs, and reports whether it
// was available. A result that needs more than the total reserves all of it.
func (s streams) hold(n int) (release func(), ok bool) {
	n64 := min(int64(n)*copies, s.size)
	return func() { s.memory.Release(n64) }, s.memory.TryAcquire(n64)
}

// framing is a format for streams of events.
type framing interface {
	contentType() string
	// appendEvent appends an event. Its data is a JSON object on one line.
	appendEvent(to []byte, e insightapi.Event) []byte
	// pause returns meaningless output that keeps the connection alive between events.
	pause() string
}

// serverSentEvents is the format text/event-stream (HTML standard, section 9.2).
type serverSentEvents struct{}

func (serverSentEvents) contentType() string { return "text/event-stream" }
func (serverSentEvents) pause() string       { return ": still at work\n\n" }

func (serverSentEvents) appendEvent(to []byte, e insightapi.Event) []byte {
	to = fmt.Appendf(to, "id: %d\nevent: %s\ndata: ", e.Sequence, e.Kind)
	to = append(to, e.Data...)
	return append(to, "\n\n"...)
}

// jsonLines is the format application/x-ndjson: one JSON object a line, with the name and
// the id of the event followed by the members of its data.
type jsonLines struct{}

func (jsonLines) contentType() string { return "application/x-ndjson" }

// pause returns white space, which precedes the JSON of the next line and does not matter
// to parsers.
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

// framingOf returns the format that the Accept headers request (RFC 9110, section 12.5.1).
// It is JSON lines if they are named with a higher quality than server-sent events.
// Otherwise, it is server-sent events, even if Accept names neither.
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
	// errEnding is the cause of the end of streams when the server shuts down.
	errEnding = errors.New("the server is shutting down")
	// errClientGone is the cause of the end of a stream whose client disconnected.
	errClientGone = errors.New("the client disconnected")
)

// stream sends t's events to the client after the handler has returned. The exchange ends
// with the stream.
func (s *Server) stream(r *request, f framing, t *eventStreamer) {
	fctx, x := r.Context(), r.exchange
	reader, writer := io.Pipe()
	t.out = eventWriter{to: writer, conn: fctx.Conn(), patience: s.cfg.WriteTimeout, framing: f}
	ctx, cancel := context.WithCancelCause(x.ctx)
	stop := context.AfterFunc(s.streams.ending, func() { cancel(errEnding) })
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		writer.CloseWithError(s.send(ctx, t))
	}()
	x.detached = true
	fctx.Response.Header.Set(fiber.HeaderContentType, f.contentType())
	fctx.Response.Header.Set("X-Accel-Buffering", "no")
	fctx.Response.ImmediateHeaderFlush = true
	fctx.SetBodyStream(&streamBody{PipeReader: reader, finish: func() {
		stop()
		cancel(errClientGone)
		<-sent
		s.streams.leave()
		x.failure = t.failure
		s.finish(fctx)
	}}, -1)
}

// send runs t for at most the maximum duration of a stream. It returns an error if the
// stream must not look complete.
func (s *Server) send(ctx context.Context, t *eventStreamer) (err error) {
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

// streamBody is the body of a streamed response. It finishes the exchange when fasthttp
// closes it, which also happens when the client disconnects.
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

// pause writes output that keeps the connection alive.
func (w eventWriter) pause() error { return w.write([]byte(w.framing.pause())) }

// write writes data with a deadline of its own. Without it, the write timeout of the HTTP
// library would apply to the whole stream.
func (w eventWriter) write(data []byte) error {
	if err := w.conn.SetWriteDeadline(time.Now().Add(w.patience)); err != nil {
		return errors.Join(errClientGone, err)
	}
	if _, err := w.to.Write(data); err != nil {
		return errors.Join(errClientGone, err)
	}
	return nil
}
