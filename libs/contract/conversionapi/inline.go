package conversionapi

import (
	"bufio"
	"encoding/base64"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rectohq/recto/libs/contract"
)

// NewInline returns the payload of Inline for a file called name. It reads from file while
// it is read. The caller closes the payload, also if the call failed.
func NewInline(name string, file io.Reader) contract.Stream {
	body, write := io.Pipe()
	written := make(chan struct{})
	go func() {
		defer close(written)
		write.CloseWithError(writeInline(write, name, file))
	}()
	return contract.Stream{Size: -1, Body: inlinePayload{body, written}}
}

// inlinePayload is a payload that a goroutine writes.
type inlinePayload struct {
	*io.PipeReader
	written chan struct{}
}

// Close stops the goroutine and waits for its end.
func (p inlinePayload) Close() error {
	err := p.PipeReader.Close()
	<-p.written
	return err
}

// writeInline writes the payload to w.
func writeInline(w io.Writer, name string, file io.Reader) error {
	quoted, err := jsontext.AppendQuote(nil, name)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(w, `{"filename":%s,"file_base64":"`, quoted); err != nil {
		return err
	}
	encoder := base64.NewEncoder(base64.StdEncoding, w)
	if _, err := io.Copy(encoder, file); err != nil {
		return err
	}
	if err := encoder.Close(); err != nil {
		return err
	}
	_, err = io.WriteString(w, `"}`)
	return err
}

// inlineBegin begins the response of Inline, which the conversion service writes without
// spaces. The file follows.
const inlineBegin = `{"file_base64":"`

// ReadInline writes the file in the response of Inline to w and returns its size in bytes.
// It never holds the whole file in memory. The error is io.ErrUnexpectedEOF for a response
// that broke off.
func ReadInline(response contract.Stream, w io.Writer) (size int64, err error) {
	in := bufio.NewReader(response.Body)
	begin := make([]byte, len(inlineBegin))
	if _, err := io.ReadFull(in, begin); err != nil || string(begin) != inlineBegin {
		return 0, errors.Join(errors.New("the response does not begin with a file"), err)
	}
	encoded := &untilQuote{in: in}
	size, err = io.Copy(w, base64.NewDecoder(base64.StdEncoding, encoded))
	if err == nil && !encoded.ended {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return size, err
	}
	return size, readRest(in)
}

// readRest reads the response behind the file. It fails if the response broke off.
func readRest(in io.Reader) error {
	var last byte
	part := make([]byte, 1024)
	for {
		n, err := in.Read(part)
		if n > 0 {
			last = part[n-1]
		}
		switch {
		case err == io.EOF && last == '}':
			return nil
		case err == io.EOF:
			return io.ErrUnexpectedEOF
		case err != nil:
			return err
		}
	}
}

// untilQuote reads up to the closing quote of a JSON string without escapes.
type untilQuote struct {
	in    *bufio.Reader
	ended bool
}

// Read implements io.Reader.
func (q *untilQuote) Read(p []byte) (n int, err error) {
	for n < len(p) && !q.ended {
		c, err := q.in.ReadByte()
		switch {
		case err != nil && n > 0 && err == io.EOF:
			return n, nil
		case err != nil:
			return n, err
		case c == '"':
			q.ended = true
		default:
			p[n] = c
			n++
		}
	}
	if n == 0 && q.ended {
		return 0, io.EOF
	}
	return n, nil
}
