package domain

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/conversionapi"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/formats/filetype"
	"github.com/rectohq/recto/libs/formats/pdf"
	"github.com/rectohq/recto/libs/jsonbody"
	"github.com/rectohq/recto/libs/problem"
)

// Inline converts the file in a request body and returns the response body. The
// file is never written to a disk, a cache or a log: it is held in memory and in
// scratch, which is also memory, and removed when the response is closed. The
// caller must hold a slot.
func (s *Service) Inline(ctx context.Context, who contract.Principal, body contract.Stream) (contract.Stream, error) {
	dir, err := s.Scratch.Make()
	if err != nil {
		return contract.Stream{}, err
	}
	answer, err := s.inline(pdf.WithOwner(ctx, who.Organization), body, dir)
	if err != nil {
		s.Scratch.Remove(dir)
		return contract.Stream{}, err
	}
	return answer, nil
}

// inline converts the file in a body within dir, which is in memory. Closing the
// result removes dir.
func (s *Service) inline(ctx context.Context, body contract.Stream, dir string) (contract.Stream, error) {
	in, l, profile, err := readInline(body, dir)
	if err != nil {
		return contract.Stream{}, err
	}
	defer in.Close()
	pdf, err := s.inlinePDF(ctx, dir, in, l, profile)
	var refused *refusal
	if errors.As(err, &refused) {
		return contract.Stream{}, problem.New(problem.InvalidRequest, "The file %s.", refused.reason).Because(err)
	}
	if err != nil {
		return contract.Stream{}, err
	}
	out, err := os.Open(pdf)
	if err != nil {
		return contract.Stream{}, err
	}
	return s.inlineAnswer(out, pdfName(l.name), dir)
}

// inlinePDF returns the path of the result, which is the input file if that is a PDF.
func (s *Service) inlinePDF(ctx context.Context, dir string, in *os.File, l label, profile conversionapi.Profile) (string, error) {
	t, err := s.admit(ctx, in, l)
	if err == nil {
		err = checkProfile(t, profile)
	}
	switch {
	case t == filetype.PDF:
		return in.Name(), unopened(ctx, err)
	case err != nil:
		return "", err
	case t.IsPicture():
		path, err := s.convert(ctx, dir, in, l, t, profile)
		return path, unopened(ctx, err)
	}
	return s.convert(ctx, dir, in, l, t, profile)
}

// unopened returns the error for an inline PDF or picture that could not be opened because of
// err. Unless the file is at fault, it asks the client to retry, because inline
// conversions, unlike jobs, are not retried automatically.
func unopened(ctx context.Context, err error) error {
	var refused *refusal
	if err == nil || errors.As(err, &refused) || ctx.Err() != nil {
		return err
	}
	return problem.New(problem.Unavailable, "The file could not be opened. Retry the request.").After(time.Second).Because(err)
}

// readInline parses the request and writes its file into dir.
func readInline(body contract.Stream, dir string) (in *os.File, l label, profile conversionapi.Profile, err error) {
	var data bytes.Buffer
	data.Grow(int(max(body.Size, 0)) + bytes.MinRead)
	if _, err := data.ReadFrom(body.Body); err != nil {
		return nil, l, "", fmt.Errorf("read the body: %w", err)
	}
	if in, err = os.Create(filepath.Join(dir, "input")); err != nil {
		return nil, l, "", err
	}
	var writeErr error
	err = jsonbody.Read(data.Bytes(), func(o *jsonbody.Object) {
		if v, ok := o.Required("file_base64"); ok {
			l.charset, writeErr = decodeFile(v, in)
		}
		if v, text, ok := o.RequiredString("filename"); ok {
			l.name = strings.TrimSpace(text)
			v.Check(checkInlineName(l.name))
		}
		if v, text, ok := o.OptionalString("final_format"); ok {
			v.Check(conversionapi.CheckFormat(text))
		}
		if v, text, ok := o.OptionalString("profile"); ok {
			var fault *problem.Fault
			profile, fault = conversionapi.ParseProfile(text)
			v.Check(fault)
		}
	})
	if err = errors.Join(writeErr, err); err != nil {
		return nil, l, "", errors.Join(err, in.Close())
	}
	return in, l, profile, nil
}

// decodeFile decodes file_base64 and writes the bytes to w. It accepts base64 with
// or without a data header, and ignores white space. It returns the charset that the header
// declares, or "". Every fault of the value, even a wrong type, is reported on v as an invalid
// request. decodeFile returns only errors of w.
func decodeFile(v jsonbody.Value, w io.Writer) (charset string, err error) {
	text, ok := v.Bytes()
	if !ok {
		v.Check(&problem.Fault{
			Code: problem.CodeInvalidType, Message: "must be a string",
			Resolution: "Send the file as a base64 string.",
		})
		return "", nil
	}
	mediaType, encoded, ok := cutDataHeader(text)
	n, err := io.Copy(faultlessWriter{w}, base64.NewDecoder(base64.StdEncoding, &spaceless{r: bytes.NewReader(encoded)}))
	if failed := new(writeError); errors.As(err, &failed) {
		return "", failed.err
	}
	if !ok || err != nil || n == 0 {
		v.Check(&problem.Fault{
			Code: problem.CodeCustom, Message: "must be a file in valid base64 that is not empty",
			Resolution: "Encode the file in base64 (RFC 4648, section 4), with padding.",
		})
	}
	return filetype.Charset(mediaType), nil
}

// cutDataHeader separates "data:<type>;base64," from what follows. It returns false for a
// data header that does not declare base64.
func cutDataHeader(text []byte) (mediaType string, encoded []byte, ok bool) {
	if !bytes.HasPrefix(text, []byte("data:")) {
		return "", text, true
	}
	header, encoded, found := bytes.Cut(text, []byte(","))
	declared, isBase64 := strings.CutSuffix(strings.TrimPrefix(string(header), "data:"), ";base64")
	return declared, encoded, found && isBase64
}

// spaceless removes white space. The decoder of the standard library ignores only
// line breaks.
type spaceless struct{ r io.Reader }

// Read implements io.Reader.
func (s *spaceless) Read(p []byte) (int, error) {
	for {
		n, err := s.r.Read(p)
		kept := p[:0]
		for _, c := range p[:n] {
			if c != ' ' && c != '\t' && c != '\r' && c != '\n' {
				kept = append(kept, c)
			}
		}
		if len(kept) > 0 || err != nil {
			return len(kept), err
		}
	}
}

// faultlessWriter marks errors of w with the type *writeError, to distinguish them
// from errors of the source. A full disk is not the client's fault.
type faultlessWriter struct{ w io.Writer }

type writeError struct{ err error }

func (e *writeError) Error() string { return e.err.Error() }

// Write implements io.Writer.
func (f faultlessWriter) Write(p []byte) (int, error) {
	n, err := f.w.Write(p)
	if err != nil {
		err = &writeError{fmt.Errorf("write the file to scratch: %w", err)}
	}
	return n, err
}

const maxInlineName = 255

// checkInlineName checks that name is a base name. It becomes the name of the result.
func checkInlineName(name string) *problem.Fault {
	f := &problem.Fault{Code: problem.CodeInvalidFileName, Resolution: `Send only the name of the file, for example "contract.docx".`}
	switch n := utf8.RuneCountInString(name); {
	case n == 0:
		f.Code, f.Message = problem.CodeTooShort, "must not be empty"
	case n > maxInlineName:
		f.Code, f.Message = problem.CodeTooLong, fmt.Sprintf("has %d characters; the limit is %d", n, maxInlineName)
	case strings.ContainsAny(name, `/\`):
		f.Message = "must not contain a path separator"
	case strings.ContainsFunc(name, documentapi.IsControl):
		f.Message = "must not contain control characters"
	default:
		return nil
	}
	return f
}

// inlineAnswer returns the response body {"file_base64": …, "filename": …} as a
// stream. Closing it removes dir.
func (s *Service) inlineAnswer(pdf *os.File, name, dir string) (contract.Stream, error) {
	quoted, err := jsontext.AppendQuote(nil, name)
	if err != nil {
		return contract.Stream{}, errors.Join(err, pdf.Close())
	}
	r, w := io.Pipe()
	go func() {
		encoder := base64.NewEncoder(base64.StdEncoding, w)
		_, err := io.Copy(encoder, pdf)
		w.CloseWithError(errors.Join(err, encoder.Close()))
	}()
	return contract.Stream{Size: -1, Body: &inlineBody{
		Reader: io.MultiReader(strings.NewReader(`{"file_base64":"`), r, strings.NewReader(`","filename":`), bytes.NewReader(quoted), strings.NewReader("}")),
		close: func() error {
			_ = r.Close() // ends the encoder
			err := pdf.Close()
			s.Scratch.Remove(dir)
			return err
		},
	}}, nil
}

// inlineBody is the response body of an inline conversion. Close removes the files
// that it is read from.
type inlineBody struct {
	io.Reader
	once  sync.Once
	close func() error
	err   error
}

// Close implements io.Closer. Further calls return the same error.
func (b *inlineBody) Close() error {
	b.once.Do(func() { b.err = b.close() })
	return b.err
}
