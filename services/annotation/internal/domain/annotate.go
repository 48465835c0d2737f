package domain

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/annotationapi"
	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/libs/scratch"
	"github.com/rectohq/recto/services/annotation/internal/judge"
	"github.com/rectohq/recto/services/annotation/internal/registry"
)

// annotatedPrefix begins the keys of filled files:
// annotated/<organization>/<document>/<name>.
const annotatedPrefix = "annotated/"

// Annotate fills the first fillable file of a version into a new object. A dry run only
// validates the values.
func (s *Service) Annotate(ctx context.Context, p contract.Principal, payload contract.Stream) (annotationapi.AnnotateResponse, error) {
	o, body, release, err := s.receive(ctx, p, payload)
	if err != nil {
		return annotationapi.AnnotateResponse{}, err
	}
	defer release()
	name := strings.ToLower(rand.Text())
	result, err := s.annotate(ctx, p.Organization, o, body, name, func(float64) {})
	if err != nil {
		return annotationapi.AnnotateResponse{}, err
	}
	if o.DryRun {
		return annotationapi.AnnotateResponse{Valid: true}, nil
	}
	// The caller gets the file even if the event is lost.
	err = s.Tell(ctx, Filled{Organization: p.Organization, DocumentID: o.DocumentID, Name: name, Fields: result.Fields, At: s.now()})
	if err != nil {
		s.Log.WarnContext(ctx, "the event of a filled document was not published", "document", o.DocumentID, "error", err)
	}
	return s.sign(ctx, result.Result)
}

// filled is the outcome of filling a document, and the result of a job.
type filled struct {
	annotationapi.Result
	// Fields is how many fields were filled.
	Fields int `json:"fields,omitzero"`
}

// The progress of a request when its file has been read, and when it has been filled.
const (
	progressRead   = 0.3
	progressFilled = 0.7
)

// annotate executes the order with the values of the body. The caller provides a unique
// name for the result. The pictures of the values are read from body, which must not
// change before annotate returns.
func (s *Service) annotate(ctx context.Context, organization string, o order, body []byte, name string, report func(progress float64)) (filled, error) {
	values, err := judge.ParseFieldValues(body, o.problems)
	if err != nil {
		return filled{}, err
	}
	release, err := s.slots.Acquire(ctx)
	if err != nil {
		return filled{}, err
	}
	defer release()
	source, err := s.pick(ctx, organization, o)
	var refused *refusal
	if errors.As(err, &refused) {
		if err := values.Err(); err != nil { // invalid values take precedence over an unusable file
			return filled{}, err
		}
		return filled{}, refused.answer
	}
	if err != nil {
		return filled{}, err
	}
	defer source.close()
	report(progressRead)
	fillings, err := s.judge(ctx, organization, o.DocumentID, source, values)
	if err != nil || o.DryRun {
		return filled{}, err
	}
	return s.fill(ctx, organization, o, source, fillings, name, report)
}

// judge validates the values against the fields of the source, as the registry defines
// them.
func (s *Service) judge(ctx context.Context, organization, documentID string, source *source, values judge.FieldValues) (map[string]fields.Filling, error) {
	registered, err := s.Store.Registry(ctx, organization, documentID)
	if err != nil {
		return nil, err
	}
	// Fields that exist only in the registry cannot be written to the file.
	known := registry.Merge(source.fields, registered.Definitions)[:len(source.fields)]
	return values.Judge(ctx, &s.checker, known)
}

// fill writes the values into a copy of the source, and stores the copy in the object
// store.
func (s *Service) fill(ctx context.Context, organization string, o order, source *source, values map[string]fields.Filling, name string, report func(float64)) (filled, error) {
	result := filled{Fields: len(values), Result: annotationapi.Result{
		Key: s.filled.Of(organization, o.DocumentID) + name, Name: source.file.Name, Type: source.file.Type, DocumentID: o.DocumentID,
	}}
	if source.word == nil { // its fields were stored, so the file was not opened yet
		if err := s.load(ctx, source); err != nil {
			return result, err
		}
	}
	out, err := scratch.File(s.Scratch)
	if err != nil {
		return result, err
	}
	defer out.Close()
	size, err := source.write(ctx, out, values)
	if err != nil {
		return result, err
	}
	report(progressFilled)
	if err := s.filled.Put(ctx, result.Key, out, size, result.Type); err != nil {
		return result, err
	}
	for _, v := range values {
		s.Count(v.Type)
	}
	return result, nil
}

// write fills the fields, writes the file to out, and returns its size.
func (s *source) write(ctx context.Context, out *os.File, values map[string]fields.Filling) (int64, error) {
	err := s.word.Fill(values)
	if err == nil {
		_, err = s.word.WriteTo(&boundWriter{ctx, out})
	}
	if err != nil {
		return 0, scratch.Fault(err, s.fault(err))
	}
	size, err := out.Seek(0, io.SeekCurrent)
	if err == nil {
		_, err = out.Seek(0, io.SeekStart)
	}
	return size, err
}

// boundWriter writes until ctx ends, then returns the cause.
type boundWriter struct {
	ctx context.Context
	w   io.Writer
}

// Write implements io.Writer.
func (b *boundWriter) Write(p []byte) (int, error) {
	if b.ctx.Err() != nil {
		return 0, context.Cause(b.ctx)
	}
	return b.w.Write(p)
}

// Sign returns a new presigned URL for a result of the principal's organization.
func (s *Service) Sign(ctx context.Context, p contract.Principal, r annotationapi.Result) (annotationapi.AnnotateResponse, error) {
	if !strings.HasPrefix(r.Key, s.filled.Of(p.Organization, r.DocumentID)) {
		return annotationapi.AnnotateResponse{}, fmt.Errorf("the result %q does not belong to document %s", r.Key, r.DocumentID)
	}
	if err := s.MayRead(ctx, p, r.DocumentID); err != nil {
		return annotationapi.AnnotateResponse{}, err
	}
	kept, err := s.filled.Kept(ctx, r.Key, s.now())
	if err != nil {
		return annotationapi.AnnotateResponse{}, err
	}
	if !kept {
		return annotationapi.AnnotateResponse{}, problem.New(problem.DocumentNotFound, "The filled file has expired. Annotate the document again.")
	}
	return s.sign(ctx, r)
}

// sign returns a presigned URL for a result.
func (s *Service) sign(ctx context.Context, r annotationapi.Result) (annotationapi.AnnotateResponse, error) {
	u, err := s.Objects.PresignGet(ctx, r.Key, s.cfg.DownloadTTL, r.Name, r.Type)
	if err != nil {
		return annotationapi.AnnotateResponse{}, err
	}
	return annotationapi.AnnotateResponse{DownloadURL: u.URL, ExpiresAt: u.Expires.UnixMilli(), Result: r}, nil
}
