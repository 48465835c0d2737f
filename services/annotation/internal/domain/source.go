package domain

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/rectohq/recto/libs/blob"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/formats/docx"
	"github.com/rectohq/recto/libs/formats/fields/docxfields"
	"github.com/rectohq/recto/libs/formats/fields/pdffields"
	"github.com/rectohq/recto/libs/formats/filetype"
	"github.com/rectohq/recto/libs/formats/pdf"
	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/libs/scratch"
	"github.com/rectohq/recto/services/annotation/internal/registry"
)

// source is the file of a version that is to be filled.
type source struct {
	file documentapi.Content
	// found is what was found in the file, now or earlier.
	found registry.File
	// kind is "" until the file is loaded. Then it has size bytes in scratch.
	kind    filetype.Type
	size    int64
	scratch *os.File
	// word is set if the file is a Word document that was loaded.
	word *docxfields.Document
}

// close releases the scratch file.
func (s *source) close() {
	if s.scratch != nil {
		_ = s.scratch.Close() // the file has no name: closing removes it
	}
}

// refusal says why a version has no file that can be filled.
type refusal struct {
	answer *problem.Error
	// unreadable is set if a file should have fields, but cannot be read.
	unreadable bool
}

func (r *refusal) Error() string { return r.answer.Error() }
func (r *refusal) Unwrap() error { return r.answer }

// pick returns the first file of the order that can be filled, judged by its content. The
// error is a *refusal if there is none. The caller must hold a slot, and closes the
// source.
func (s *Service) pick(ctx context.Context, organization string, o order) (*source, error) {
	var reasons []string
	damaged := false
	for _, file := range o.Files {
		if file.Fault != "" {
			reasons = append(reasons, file.Name+" "+file.Fault)
			continue
		}
		source, err := s.look(ctx, organization, o.DocumentID, file)
		if err == nil {
			return source, nil
		}
		var skipped *skip
		if !errors.As(err, &skipped) {
			return nil, err
		}
		damaged = damaged || skipped.damaged
		reasons = append(reasons, file.Name+" "+skipped.reason)
	}
	return nil, &refusal{o.refuse(reasons), damaged}
}

// refuse returns the error for a version without a file that can be filled.
func (o order) refuse(reasons []string) *problem.Error {
	return problem.New(problem.InvalidRequest, "Version %d of the document has no file that can be filled: %s.", o.VersionNumber, strings.Join(reasons, "; "))
}

// faults returns why files cannot be opened at all.
func (o order) faults() (reasons []string) {
	for _, f := range o.Files {
		if f.Fault != "" {
			reasons = append(reasons, f.Name+" "+f.Fault)
		}
	}
	return reasons
}

// absent reports whether a file was not uploaded yet.
func (o order) absent() bool {
	return slices.ContainsFunc(o.Files, func(f documentapi.Content) bool { return f.Fault == documentapi.NotUploaded })
}

// useless reports whether an upload is unusable.
func (o order) useless() bool {
	return slices.ContainsFunc(o.Files, func(f documentapi.Content) bool { return f.Fault != "" && f.Fault != documentapi.NotUploaded })
}

// skip says why a file is skipped. The reason continues a sentence that begins with the
// file's name.
type skip struct {
	reason  string
	damaged bool
}

func (s *skip) Error() string { return s.reason }

// foundVersion identifies the code that finds fields, in files of every type: a file's type
// is known only when it is opened.
const foundVersion = "docx-" + docxfields.Version + " pdf-" + pdffields.Version

// look returns a file with its fields. The error is a *skip for a file of a type without
// fields, and a *refusal for a file that has fields but cannot be filled.
func (s *Service) look(ctx context.Context, organization, documentID string, file documentapi.Content) (*source, error) {
	content := Content{DocumentID: documentID, SHA256: file.SHA256, Version: foundVersion}
	known, err := s.Store.Found(ctx, organization, content)
	if err == nil {
		s.keepUsed(ctx, organization, content, known)
		return &source{file: file, found: registry.File{Fields: known.Fields, Pages: known.Pages}}, nil
	}
	if !errors.Is(err, ErrNotFound) {
		return nil, err
	}
	source := &source{file: file}
	if err := s.find(pdf.WithOwner(ctx, organization), source); err != nil {
		source.close()
		return nil, err
	}
	s.keepUsed(ctx, organization, content, Found{Fields: source.found.Fields, Pages: source.found.Pages})
	return source, nil
}

// find loads the file and finds its fields.
func (s *Service) find(ctx context.Context, source *source) error {
	err := s.load(ctx, source)
	switch {
	case err != nil:
		return err
	case source.kind == filetype.PDF:
		return s.findInPDF(ctx, source)
	}
	source.found.Fields = source.word.Fields()
	return nil
}

// usedStep is the precision with which the last use of fields is stored.
const usedStep = 24 * time.Hour

// keepUsed stores the fields for the next request. Requests still succeed if it fails.
func (s *Service) keepUsed(ctx context.Context, organization string, c Content, f Found) {
	now := s.now()
	if now.Sub(time.UnixMilli(f.UsedAt)) < usedStep {
		return
	}
	f.UsedAt = now.UnixMilli()
	if err := s.Store.KeepFound(ctx, organization, c, f); err != nil && ctx.Err() == nil {
		s.Log.WarnContext(ctx, "the fields of a document were not stored, and will be searched for again", "document", c.DocumentID, "error", err)
	}
}

// load fetches the file. It opens a Word document; a PDF is opened only by other processes.
func (s *Service) load(ctx context.Context, source *source) error {
	size, err := s.fetch(ctx, source)
	if err != nil {
		return err
	}
	t, err := filetype.Detect(source.scratch, size)
	source.kind, source.size = t, size
	var damaged *filetype.Error
	switch {
	case errors.As(err, &damaged):
		return &skip{damaged.Reason, true}
	case err != nil:
		return err
	case t == filetype.PDF:
		return nil
	case t == filetype.Empty:
		return &skip{reason: "is empty"}
	case t == filetype.Encrypted:
		return &skip{reason: "is encrypted; remove its password first"}
	case !t.IsWord():
		return &skip{reason: fmt.Sprintf("is %s, not DOCX or PDF", t)}
	}
	return source.open(ctx, size)
}

// open opens a Word document and finds its fields.
func (s *source) open(ctx context.Context, size int64) error {
	p, err := docx.Open(s.scratch, size, docx.DefaultLimits())
	if err == nil {
		err = p.Check(ctx)
	}
	if err == nil {
		s.word, err = docxfields.Open(ctx, p)
	}
	return s.fault(err)
}

// fault turns an error caused by the file itself into a refusal.
func (s *source) fault(err error) error {
	var word *docx.Error
	if errors.As(err, &word) {
		return s.refuse(word.Reason, err)
	}
	var page *pdf.Error
	if errors.As(err, &page) {
		return s.refuse(page.Reason, err)
	}
	return err
}

// refuse returns the refusal of a file. The reason completes a sentence that begins with the
// file's name.
func (s *source) refuse(reason string, err error) error {
	return &refusal{problem.New(problem.InvalidRequest, "The file %s %s.", s.file.Name, reason).Because(err), true}
}

// fetch copies the object to a scratch file and returns its size.
func (s *Service) fetch(ctx context.Context, source *source) (int64, error) {
	file, size, err := scratch.Fetch(ctx, s.Scratch, s.Objects, source.file.Key)
	if errors.Is(err, blob.ErrNotFound) {
		return 0, &skip{reason: "no longer exists"}
	}
	source.scratch = file
	return size, err
}
