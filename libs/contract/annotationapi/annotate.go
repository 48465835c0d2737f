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

// maxHead bounds the length of an encoded AnnotateRequest, in bytes.
const maxHead = 64 << 10

// NewAnnotate returns the payload of Annotate and Submit. Size is the size of body in
// bytes, or -1 if it is unknown.
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

// ReadAnnotate parses a payload of NewAnnotate and returns the request and the body. The
// returned body reads from s.
func ReadAnnotate(s contract.Stream) (AnnotateRequest, contract.Stream, error) {
	var r AnnotateRequest
	head := bufio.NewReaderSize(s.Body, maxHead)
	line, err := head.ReadSlice('\n')
	if err == nil {
		err = json.Unmarshal(line, &r)
	}
	if err != nil {
		return r, contract.Stream{}, errors.Join(errors.New("the payload does not begin with an annotate request"), err)
	}
	size := s.Size
	if size >= 0 {
		size -= int64(len(line))
	}
	return r, contract.Stream{Body: head, Size: size}, nil
}
