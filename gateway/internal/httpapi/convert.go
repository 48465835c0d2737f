package httpapi

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/gofiber/fiber/v2"

	"github.com/rectohq/recto/gateway/internal/idempotency"
	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/conversionapi"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/problem"
)

// derivedFile is what a client sees of a file derived from a document. It leaves out
// internal members such as its storage key.
type derivedFile struct {
	DownloadURL string `json:"download_url"`
	// ExpiresAt is when the URL expires, in Unix milliseconds.
	ExpiresAt int64 `json:"expires_at"`
}

// convertedFile is what a client sees of a converted file.
type convertedFile struct {
	derivedFile
	conversionapi.Details
}

// convertStored is POST /documents/{document_id}/convert. A body is ignored.
func (s *Server) convertStored(r *request) error {
	if r.prefersAsync() {
		return s.submitConversion(r)
	}
	converted, err := once(r, operation[conversionapi.StoredResponse]{
		document: r.documentID(), resign: r.signConversion,
		run: func(idempotency.Record) (conversionapi.StoredResponse, error) {
			convert, err := r.storedRequest()
			if err != nil {
				return conversionapi.StoredResponse{}, err
			}
			return bus.Call(bus.WithTimeout(r.ctx, s.cfg.LongBudget), s.bus, conversionapi.Stored, r.principal, convert)
		},
	})
	return r.answer(convertedFile{derivedFile{converted.DownloadURL, converted.ExpiresAt}, converted.Details}, err)
}

// submitConversion submits a conversion job and does not wait for its result.
func (s *Server) submitConversion(r *request) error {
	return r.accepted(once(r, operation[acceptedJob]{
		document: r.documentID(), async: true,
		run: func(idempotency.Record) (acceptedJob, error) {
			convert, err := r.storedRequest()
			if err != nil {
				return acceptedJob{}, err
			}
			job, err := bus.Call(bus.WithTimeout(r.ctx, s.cfg.Budget), s.bus, conversionapi.Submit, r.principal, convert)
			return acceptedJob{ID: job.ID, State: job.State}, err
		},
	}))
}

// storedRequest parses the path and query of a conversion.
func (r *request) storedRequest() (conversionapi.StoredRequest, error) {
	var problems problem.List
	format := parseFormat(r.parameter(paramFormat), &problems)
	profile := parseProfile(r.parameter(paramProfile), &problems)
	version := documentapi.ParseVersion(r.parameter(paramVersion), &problems)
	return conversionapi.StoredRequest{DocumentID: r.documentID(), Version: version, Format: format, Profile: profile}, problems.Err()
}

// signConversion returns the conversion with a newly presigned URL, or errStale.
func (r *request) signConversion(c conversionapi.StoredResponse) (conversionapi.StoredResponse, error) {
	signed, err := bus.Call(bus.WithTimeout(r.ctx, r.server.cfg.Budget), r.server.bus, conversionapi.Sign, r.principal, c.Result)
	if problem.Is(err, problem.DocumentNotFound) {
		return c, errStale
	}
	return signed, err
}

// convertInline is POST /documents/convert. It streams the body to the conversion service
// and the response back to the client.
func (s *Server) convertInline(r *request) error {
	body, err := r.inlineBody()
	if err != nil {
		return err
	}
	answer, err := bus.Call(bus.WithTimeout(r.ctx, s.cfg.LongBudget), s.bus, conversionapi.Inline, r.principal, body)
	if err != nil {
		return err
	}
	r.Response().Header.SetContentType(fiber.MIMEApplicationJSON)
	r.Context().SetBodyStream(s.detach(r, answer), int(answer.Size))
	return nil
}

// inlineBody returns the body of an inline conversion as a stream of JSON.
func (r *request) inlineBody() (contract.Stream, error) {
	if form, err := r.sendsForm(); err != nil {
		return contract.Stream{}, err
	} else if form {
		return r.inlineForm()
	}
	body, size, err := r.server.openBody(r.Context(), r.server.cfg.MaxBody)
	return contract.Stream{Body: body, Size: size}, err
}

// detach keeps the exchange open until the response has been sent. Until then the
// response counts against the memory for bodies.
func (s *Server) detach(r *request, answer contract.Stream) io.Reader {
	if body := r.exchange.body; body != nil && answer.Size > body.reserved {
		// Reserve more memory for the response if possible. It is in memory already, so
		// failing the request now would not help.
		if body.memory.take(answer.Size - body.reserved) {
			body.reserved = answer.Size
		}
	}
	fctx := r.Context()
	r.exchange.detached = true
	return &detachedBody{Stream: answer, finish: func() { s.finish(fctx) }}
}

// detachedBody finishes its exchange when fasthttp closes it.
type detachedBody struct {
	contract.Stream
	once   sync.Once
	finish func()
}

func (b *detachedBody) Read(p []byte) (int, error) { return b.Body.Read(p) }

// Close finishes the exchange. fasthttp calls it when the response has been sent, which is
// after the handler has returned.
func (b *detachedBody) Close() error {
	b.once.Do(b.finish)
	return b.Stream.Close()
}

// inlineBuffer is the number of bytes of a file that are encoded in one step. It is a
// multiple of three, so that base64 pads only the end of the file.
const inlineBuffer = 48 << 10

// inlineForm reads a form with one file as the JSON of an inline conversion:
// {"file_base64": …, "filename": …} and the other members of the part document. It does
// not keep the file in memory.
type inlineForm struct {
	form   *form
	file   *multipart.Part // the file being read, nil before and after it
	name   string
	empty  bool // no byte of the file has been read yet
	buffer []byte
	out    bytes.Buffer // JSON that has not been read yet
	ended  bool
}

// inlineForm opens the body of an inline conversion that is a form. The limit for JSON
// bodies applies to the base64 text, which is a third larger than the file.
func (r *request) inlineForm() (contract.Stream, error) {
	form, err := r.openForm(r.server.cfg.MaxBody/4*3, inlineBuffer*3)
	if err != nil {
		return contract.Stream{}, err
	}
	return contract.Stream{Body: &inlineForm{form: form, buffer: make([]byte, inlineBuffer)}, Size: -1}, nil
}

// Read implements io.Reader.
func (f *inlineForm) Read(p []byte) (int, error) {
	for f.out.Len() == 0 {
		if f.ended {
			return 0, io.EOF
		}
		if err := f.advance(); err != nil {
			return 0, err
		}
	}
	return f.out.Read(p)
}

// advance appends more JSON to the output.
func (f *inlineForm) advance() error {
	if f.file != nil {
		return f.encode()
	}
	file, err := f.form.nextFile()
	switch {
	case errors.Is(err, io.EOF):
		return f.end()
	case err != nil:
		return err
	case f.form.files > 1:
		return problem.New(problem.InvalidRequest, "The body has several parts named files. Send one file for each conversion.")
	}
	f.file, f.name, f.empty = file, file.FileName(), true
	f.out.WriteString(`{"file_base64":"`)
	return nil
}

// encode appends more of the file to the output.
func (f *inlineForm) encode() error {
	n, ended, err := fill(f.buffer, f.file)
	if err != nil {
		return err
	}
	if ended && n == 0 && f.empty {
		f.form.checkContent(0, 0, f.name)
	}
	f.empty = false
	f.out.Write(base64.StdEncoding.AppendEncode(f.out.AvailableBuffer(), f.buffer[:n]))
	if ended {
		f.file = nil
		f.out.WriteByte('"')
	}
	return nil
}

// end appends the members other than the file to the output.
func (f *inlineForm) end() error {
	f.ended = true
	if f.form.files == 0 {
		f.form.problems.Add(problem.Required(partFiles))
	}
	if err := f.form.problems.Err(); err != nil {
		return err
	}
	members, err := f.options()
	if err != nil {
		return err
	}
	if len(members) > 0 {
		f.out.WriteByte(',')
	}
	rest, err := json.Marshal(members, json.Deterministic(true))
	if err != nil {
		return fmt.Errorf("write the members of a conversion: %w", err)
	}
	f.out.Write(rest[1:]) // without its opening brace
	return nil
}

// options returns the members other than the file: those of the part document, and the
// file name if the part document has none.
func (f *inlineForm) options() (map[string]jsontext.Value, error) {
	members := map[string]jsontext.Value{}
	if f.form.document != nil {
		if err := json.Unmarshal(f.form.document, &members); err != nil || members == nil {
			return nil, problem.New(problem.InvalidRequest, "The part document is not a JSON object. Send one, or omit the part.").Because(err)
		}
	}
	if sent, ok := members["file_base64"]; ok {
		var problems problem.List
		problems.Add(problem.Broken("file_base64", sent, problem.Fault{
			Code: problem.CodeUnrecognizedKey, Message: "is not a member of the part document", Resolution: "Send the file only in the part files.",
		}))
		return nil, problems.Err()
	}
	if _, named := members["filename"]; !named && f.name != "" {
		name, err := json.Marshal(f.name)
		if err != nil {
			return nil, problem.New(problem.InvalidRequest, "The name of the file is not UTF-8. Send it in UTF-8.").Because(err)
		}
		members["filename"] = name
	}
	return members, nil
}
