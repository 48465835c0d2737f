package annotationapi

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json"

	"github.com/rectohq/recto/libs/contract"
)

// maxHead bounds the line that an AnnotateRequest takes, in bytes.
const maxHead = 64 << 10

// NewAnnotate returns the payload of Annotate and Submit. Size is that of the
// body in bytes, -1 if it is not known.
func NewAnnotate(r AnnotateRequest, body io.Reader, size int64) (contract.Stream, error) {
	head, err := json.Marshal(r)
	if err != nil {
		return contract.Stream{}, fmt.Errorf("encode the request: %w", err)
	}
	head = append(head, '\n')
	if size >= 0 {
		size += int64(len(head))
	}
	return contract.Stream{Body: io.MultiReader(bytes.NewReader(head), body), Size: size}, nil
}

// ReadAnnotate reads what NewAnnotate has made: the request, and the body with
// its size. The body is read from s afterwards.
func ReadAnnotate(s contract.Stream) (AnnotateRequest, contract.Stream, error) {
	var r AnnotateRequest
	head := bufio.NewReaderSize(s.Body, maxHead)
	line, err := head.ReadSlice('\n')
	if err == nil {
		err = json.Unmarshal(line, &r)
	}
	if err != nil {
		return r, contract.Stream{}, errors.Join(errors.New("the payload does not begin with a request"), err)
	}
	size := s.Size
	if size >= 0 {
		size -= int64(len(line))
	}
	return r, contract.Stream{Body: head, Size: size}, nil
}
