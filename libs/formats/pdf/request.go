package pdf

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"syscall"

	"github.com/go-json-experiment/json"

	"github.com/rectohq/recto/libs/formats/fields"
)

// request is a task for a process.
type request struct {
	task       task
	parameters parameters
	file       io.ReaderAt
	size       int64
	// pictures belong to the order of the parameters, in the same order.
	pictures []fields.Picture
	// begun, unless it is nil, is set once a part of the answer has been written to the caller's
	// writer. The request cannot be tried again then.
	begun *bool
}

// bare reports whether the task needs no PDFium, unless the file is damaged.
func (q request) bare() bool {
	return q.task == taskFill || q.task == taskShow || q.task == taskFlaws
}

// outsideError is an error of what the caller passes to a Reader: of the file or the
// pictures that are sent to a process, or of the writer of the outcome.
type outsideError struct{ err error }

func (e *outsideError) Error() string { return e.err.Error() }

// source wraps the errors of r in an outsideError.
type source struct{ r io.Reader }

func (s source) Read(b []byte) (int, error) {
	n, err := s.r.Read(b)
	if err != nil && err != io.EOF {
		err = &outsideError{err}
	}
	return n, err
}

// sink wraps the errors of w in an outsideError, and notes that something was written.
type sink struct {
	w     io.Writer
	begun *bool
}

func (s sink) Write(b []byte) (int, error) {
	*s.begun = true
	n, err := s.w.Write(b)
	if err == nil && n < len(b) {
		err = io.ErrShortWrite
	}
	if err != nil {
		err = &outsideError{err}
	}
	return n, err
}

// unansweredError means that the process ended before it had answered, and that the caller has
// seen nothing of the answer.
type unansweredError struct{ err error }

func (e *unansweredError) Error() string { return e.err.Error() }
func (e *unansweredError) Unwrap() error { return e.err }

// do sends the request and reads the answer with receive. The process is killed when ctx
// ends. The error is an *unansweredError if another process may perform the request.
func (p *process) do(ctx context.Context, q request, receive func(io.Reader) error) error {
	defer context.AfterFunc(ctx, p.kill)()
	err := send(p.in, q)
	if err == nil {
		err = receive(p.out)
	}
	var outside *outsideError
	if !isEnd(err) || ctx.Err() != nil || errors.As(err, &outside) || q.begun != nil && *q.begun {
		return err
	}
	return &unansweredError{err}
}

// isEnd reports whether err is the end of the pipes of a process that has ended.
func isEnd(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.EPIPE)
}

// send sends the request.
func send(w io.Writer, q request) error {
	raw, err := json.Marshal(q.parameters)
	if err != nil {
		return &outsideError{fmt.Errorf("encode the parameters: %w", err)}
	}
	if len(raw) > maxParameters {
		return &outsideError{fmt.Errorf("the values have %d bytes; the limit is %d", len(raw), maxParameters)}
	}
	if err := binary.Write(w, binary.BigEndian, header{q.task, uint32(len(raw)), q.size}); err != nil {
		return err
	}
	if _, err := w.Write(raw); err != nil {
		return err
	}
	if err := sendExactly(w, io.NewSectionReader(q.file, 0, q.size), q.size, "file"); err != nil {
		return err
	}
	for _, picture := range q.pictures {
		if err := sendExactly(w, picture.Open(), picture.Size, "picture"); err != nil {
			return err
		}
	}
	return nil
}

// sendExactly sends size bytes of r, which is called name in errors.
func sendExactly(w io.Writer, r io.Reader, size int64, name string) error {
	n, err := io.CopyN(w, source{r}, size)
	if errors.Is(err, io.EOF) {
		return &outsideError{fmt.Errorf("the %s has %d bytes of %d: %w", name, n, size, io.ErrUnexpectedEOF)}
	}
	return err
}

// job is a request as received by a process.
type job struct {
	task task
	parameters
	file     []byte
	pictures [][]byte
}

// readJob reads a request. It returns neither a job nor an error if the reader no longer
// needs the process.
func readJob(in io.Reader, limit uint64) (*job, error) {
	var h header
	err := binary.Read(in, binary.BigEndian, &h)
	switch {
	case errors.Is(err, io.EOF):
		return nil, nil
	case err != nil:
		return nil, err
	case h.Size < 0 || uint64(h.Size) > limit || h.Parameters > maxParameters:
		return nil, fmt.Errorf("a file of %d bytes with %d bytes of parameters", h.Size, h.Parameters)
	}
	j := &job{task: h.Task}
	if err := json.UnmarshalRead(io.LimitReader(in, int64(h.Parameters)), &j.parameters); err != nil {
		return nil, fmt.Errorf("decode the parameters: %w", err)
	}
	if j.file, err = readExactly(in, h.Size); err != nil {
		return nil, err
	}
	return j, j.readPictures(in, limit)
}

// readPictures reads the pictures of the order, which have at most limit bytes together.
func (j *job) readPictures(in io.Reader, limit uint64) error {
	for _, p := range j.Order.Pictures {
		if p.Size < 0 || uint64(p.Size) > limit {
			return fmt.Errorf("a picture of %d bytes", p.Size)
		}
		limit -= uint64(p.Size)
		picture, err := readExactly(in, p.Size)
		if err != nil {
			return err
		}
		j.pictures = append(j.pictures, picture)
	}
	return nil
}

func readExactly(in io.Reader, size int64) ([]byte, error) {
	b := make([]byte, size)
	_, err := io.ReadFull(in, b)
	return b, err
}
