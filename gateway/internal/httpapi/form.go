package httpapi

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"mime"
	"mime/multipart"

	"github.com/valyala/fasthttp"

	"github.com/rectohq/recto/libs/problem"
)

// The parts of a multipart/form-data body.
const (
	partDocument = "document" // JSON
	partFiles    = "files"    // the bytes of one file; repeated for each file
)

const (
	// maxPartHead bounds the headers of a part, and the preamble before the first part,
	// in bytes.
	maxPartHead = 64 << 10
	// maxFormDocument bounds the part document, in bytes.
	maxFormDocument = 1 << 20
	// formMemory is the memory that reading a form takes, in bytes, in addition to what the
	// caller keeps.
	formMemory = maxPartHead + maxFormDocument
)

// form reads a multipart/form-data body (RFC 7578), part by part.
type form struct {
	reader   *multipart.Reader
	input    *boundedReader
	document []byte // the part document, nil until it has been read
	files    int    // number of file parts so far
	problems problem.List
}

// isForm reports whether the Content-Type of a request is multipart/form-data.
func isForm(h *fasthttp.RequestHeader) bool {
	mediaType, _, _ := mime.ParseMediaType(string(h.ContentType()))
	return mediaType == "multipart/form-data"
}

// maxSpace is how many bytes of white space may precede the JSON of a body whose
// Content-Type is that of a form.
const maxSpace = 512

// sendsForm reports whether the body of a request is a form. A body that begins with a
// JSON object is JSON, whatever its Content-Type says.
func (r *request) sendsForm() (bool, error) {
	if !isForm(&r.Request().Header) {
		return false, nil
	}
	body, err := r.server.openPassing(r.Context(), r.server.cfg.MaxUpload, 0)
	if err != nil {
		return false, err
	}
	head := make([]byte, 0, maxSpace)
	for err == nil && len(head) < cap(head) && len(bytes.TrimSpace(head)) == 0 {
		var n int
		n, err = body.Read(head[len(head):cap(head)])
		head = head[:len(head)+n]
	}
	r.exchange.head = head
	if err != nil && !errors.Is(err, io.EOF) {
		return false, err
	}
	return !bytes.HasPrefix(bytes.TrimSpace(head), []byte("{")), nil
}

// openForm opens a form of at most limit bytes. The memory, in bytes, is what the caller
// uses to read the files.
func (r *request) openForm(limit, memory int64) (*form, error) {
	_, parameters, _ := mime.ParseMediaType(string(r.Request().Header.ContentType()))
	boundary := parameters["boundary"]
	if boundary == "" {
		return nil, problem.New(problem.InvalidRequest, "The Content-Type multipart/form-data has no boundary. Let your HTTP library set the header.")
	}
	body, err := r.server.openPassing(r.Context(), limit, formMemory+memory)
	if err != nil {
		return nil, err
	}
	input := &boundedReader{body, 0}
	return &form{reader: multipart.NewReader(input, boundary), input: input}, nil
}

// nextFile returns the next part with a file, or io.EOF after the last one. The caller
// reads the part to its end. On the way, nextFile keeps the part document and records
// unknown parts as problems.
func (f *form) nextFile() (*multipart.Part, error) {
	for {
		part, err := f.next()
		if err != nil {
			return nil, err
		}
		switch name := part.FormName(); name {
		case partFiles:
			f.files++
			return part, nil
		case partDocument:
			err = f.readDocument(part)
		default:
			f.problems.Check(cmp.Or(name, "part"), part.FileName(), &problem.Fault{
				Code: problem.CodeUnrecognizedKey, Message: "is not a part of this request",
				Resolution: "Send the JSON in a part named document and each file in a part named files.",
			})
			err = f.skip(part)
		}
		if err != nil {
			return nil, err
		}
	}
}

// next returns the next part, and io.EOF after the last one.
func (f *form) next() (*multipart.Part, error) {
	f.input.left = maxPartHead
	part, err := f.reader.NextRawPart()
	f.input.left = math.MaxInt64
	if err == io.EOF { //nolint:errorlint // a wrapped io.EOF means that the final boundary is missing
		// Read the epilogue, so that the connection can be reused.
		_, err = io.Copy(io.Discard, io.LimitReader(f.input, maxPartHead))
		return nil, cmp.Or(err, io.EOF)
	}
	return part, damagedForm(err)
}

// readDocument keeps the JSON of the part document.
func (f *form) readDocument(part io.Reader) error {
	if f.document != nil {
		f.problems.Check(partDocument, "", &problem.Fault{
			Code: problem.CodeDuplicateKey, Message: "appears more than once", Resolution: "Send one part named document.",
		})
		return f.skip(part)
	}
	document, err := io.ReadAll(io.LimitReader(part, maxFormDocument+1))
	if err != nil {
		return damagedForm(err)
	}
	if len(document) > maxFormDocument {
		return problem.New(problem.TooLarge, "The part document exceeds the limit of %s. Send only the JSON in it, and the files in parts named files.", problem.Bytes(maxFormDocument))
	}
	f.document = append(make([]byte, 0, len(document)), document...) // not nil, even when empty
	return nil
}

// skip reads and drops a part.
func (f *form) skip(part io.Reader) error {
	_, err := io.Copy(io.Discard, part)
	return damagedForm(err)
}

// fill reads from a part until the buffer is full or the part ends. It returns the number
// of bytes read, and whether the part has ended.
func fill(buffer []byte, part io.Reader) (n int, ended bool, err error) {
	for n < len(buffer) {
		m, err := part.Read(buffer[n:])
		n += m
		if err == io.EOF { // a wrapped io.EOF means that the part is truncated
			return n, true, nil
		}
		if err != nil {
			return n, false, damagedForm(err)
		}
	}
	return n, false, nil
}

// checkContent records a problem for an empty file. The index of the first file is 0.
func (f *form) checkContent(index int, size int64, name string) {
	if size == 0 {
		f.problems.Check(fmt.Sprintf("%s.%d", partFiles, index), name, &problem.Fault{
			Code: problem.CodeTooShort, Message: "has no content", Resolution: "Send a file of at least one byte.",
		})
	}
}

// withProblems adds the problems of the parts to err, the error for the JSON in the form.
func (f *form) withProblems(err error) error {
	var known *problem.Error
	switch {
	case f.problems.Len() == 0:
		return err
	case err == nil:
		return f.problems.Err()
	case !errors.As(err, &known) || len(known.Entries) == 0:
		return err
	}
	var all problem.List
	for _, e := range append(known.Entries, f.problems.Entries()...) {
		all.Add(e)
	}
	return all.Err()
}

// damagedForm returns the error for a body that is not a valid form. It returns errors of
// reading the body unchanged.
func damagedForm(err error) error {
	var known *problem.Error
	if err == nil || errors.As(err, &known) {
		return err
	}
	return problem.New(problem.InvalidRequest,
		"The multipart body is damaged: a part is truncated or has malformed headers. Let your HTTP library write the body.").
		Because(errors.New(err.Error())) // not err itself: if it is an io.EOF, callers would see the end of the form
}

// boundedReader fails after reading left bytes.
type boundedReader struct {
	io.Reader
	left int64
}

// Read implements io.Reader.
func (b *boundedReader) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, problem.New(problem.InvalidRequest, "The headers of a part exceed the limit of %s. Send shorter part headers.", problem.Bytes(maxPartHead))
	}
	n, err := b.Reader.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}
