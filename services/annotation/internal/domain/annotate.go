package domain

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/annotationapi"
	"github.com/rectohq/recto/libs/formats/filetype"
	"github.com/rectohq/recto/libs/formats/pdf"
	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/libs/scratch"
	"github.com/rectohq/recto/libs/telemetry"
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
	result, err := s.annotate(ctx, p, o, body, name, func(float64) {})
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

// The progress of a request when its file has been read, when it has been filled, and when
// the filled file has been converted.
const (
	progressRead      = 0.3
	progressFilled    = 0.7
	progressConverted = 0.9
)

// annotate executes the order with the values of the body. The caller provides a unique
// name for the result. The pictures of the values are read from body, which must not
// change before annotate returns.
func (s *Service) annotate(ctx context.Context, p contract.Principal, o order, body []byte, name string, report func(progress float64)) (filled, error) {
	values, err := judge.ParseFieldValues(body, o.problems)
	if err != nil {
		return filled{}, err
	}
	if o.PDF && !o.DryRun {
		release, err := s.conversions.Acquire(ctx)
		if err != nil {
			return filled{}, err
		}
		defer release()
	}
	result, c, err := s.fill(ctx, p.Organization, o, values, report)
	defer func() { c.close() }()
	if err != nil || o.DryRun {
		return filled{}, err
	}
	if o.PDF && c.kind != filetype.PDF {
		err := s.convert(ctx, p, &c, result.Name)
		if err == nil && o.Flatten {
			err = s.flatten(ctx, &c, result.Name)
		}
		if err != nil {
			return filled{}, err
		}
		result.Name, result.Type = pdfName(result.Name), pdfType
		report(progressConverted)
	}
	result.Key = s.filled.Of(p.Organization, o.DocumentID) + name
	return result, s.filled.Put(ctx, result.Key, c.file, c.size, result.Type)
}

// fill validates the values and writes them into a copy of the file, while it holds a slot.
// A dry run makes no copy. The caller closes the copy.
func (s *Service) fill(ctx context.Context, organization string, o order, values judge.FieldValues, report func(float64)) (filled, copied, error) {
	release, err := s.slots.Acquire(ctx)
	if err != nil {
		return filled{}, copied{}, err
	}
	defer release()
	source, err := s.readTraced(ctx, organization, o)
	var refused *refusal
	if errors.As(err, &refused) {
		if err := values.Err(); err != nil { // invalid values take precedence over an unusable file
			return filled{}, copied{}, err
		}
		return filled{}, copied{}, refused.answer
	}
	if err != nil {
		return filled{}, copied{}, err
	}
	defer source.close()
	report(progressRead)
	valid, err := s.judge(ctx, organization, o.DocumentID, source, values)
	if err != nil || o.DryRun {
		return filled{}, copied{}, err
	}
	result, c, err := s.copyTraced(ctx, o, source, valid)
	report(progressFilled)
	return result, c, err
}

// readTraced is pick within a span.
func (s *Service) readTraced(ctx context.Context, organization string, o order) (*source, error) {
	ctx, span := telemetry.Child(ctx, "read fields", trace.SpanKindInternal)
	source, err := s.pick(ctx, organization, o)
	telemetry.End(span, err)
	return source, err
}

// copyTraced is copy within a span.
func (s *Service) copyTraced(ctx context.Context, o order, source *source, valid judged) (filled, copied, error) {
	ctx, span := telemetry.Child(ctx, "fill document", trace.SpanKindInternal, attribute.Int("recto.fields", len(valid.fillings)))
	result, c, err := s.copy(ctx, o, source, valid)
	telemetry.End(span, err)
	return result, c, err
}

// judge validates the values against the fields of the source, as the registry defines
// them. Fields that have no place in the file are none of its fields.
func (s *Service) judge(ctx context.Context, organization, documentID string, source *source, values judge.FieldValues) (judged, error) {
	registered, err := s.Store.Registry(ctx, organization, documentID)
	if err != nil {
		return judged{}, err
	}
	known := registry.Fillable(source.found, registered.Definitions)
	var fonts judge.Fonts
	if len(source.found.Pages) > 0 {
		fonts = s.Fonts
	}
	fillings, err := values.Judge(ctx, &s.checker, known, fonts)
	return judged{values, known, fillings}, err
}

// copy writes the values into a copy of the source.
func (s *Service) copy(ctx context.Context, o order, source *source, values judged) (filled, copied, error) {
	result := filled{Fields: len(values.fillings), Result: annotationapi.Result{
		Name: source.file.Name, Type: source.file.Type, DocumentID: o.DocumentID,
	}}
	if source.kind == "" { // its fields were stored, so the file was not loaded yet
		if err := s.load(ctx, source); err != nil {
			return result, copied{}, err
		}
	}
	out, err := scratch.File(s.Scratch)
	if err != nil {
		return result, copied{}, err
	}
	c := copied{kind: source.kind, file: out}
	if c.size, result.Warnings, err = s.write(ctx, source, out, o, values); err != nil {
		c.close()
		return result, copied{}, err
	}
	for _, v := range values.fillings {
		s.Count(v.Type)
	}
	return result, c, nil
}

// write writes the filled file to out and returns its size. Out is then at its beginning.
func (s *Service) write(ctx context.Context, source *source, out *os.File, o order, values judged) (size int64, warnings []annotationapi.Warning, err error) {
	bound := &boundWriter{ctx, out}
	if source.kind == filetype.PDF {
		var filled pdf.Filled
		filled, err = s.fillPDF(ctx, source, values, o.Flatten, bound)
		if filled.Calculations {
			warnings = append(warnings, notCalculated)
		}
		warnings = append(warnings, tooSmall(values.known, filled.Illegible)...)
	} else if err = source.word.Fill(values.fillings); err == nil {
		_, err = source.word.WriteTo(bound)
	}
	if err != nil {
		return 0, nil, scratch.Fault(err, source.fault(err))
	}
	if size, err = out.Seek(0, io.SeekCurrent); err == nil {
		_, err = out.Seek(0, io.SeekStart)
	}
	return size, warnings, err
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
	return annotationapi.AnnotateResponse{DownloadURL: u.URL, ExpiresAt: u.Expires.UnixMilli(), Warnings: r.Warnings, Result: r}, nil
}
