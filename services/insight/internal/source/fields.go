package source

import (
	"context"
	"fmt"
	"strings"

	"github.com/rectohq/recto/libs/contract/annotationapi"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/docx/docxtext"
	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/formats/fields/docxfields"
	"github.com/rectohq/recto/libs/formats/filetype"
	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/libs/problem"
)

// Field is a field of a file with its position.
type Field struct {
	// Field is complete except for its Place.
	insightapi.Field
	// Span is the text that a value replaces. It is empty where a value is inserted, and
	// docxtext.Nowhere for a field that is not in the text.
	Span layout.Span
	// Box and Page are the position of a widget, which is not part of the text. They are
	// nil and 0 for other fields.
	Box  *layout.Box
	Page int
	// XMLPath is the path of the field's element, "" if the file has no XML.
	XMLPath    string
	Reasoning  string
	Confidence float64
}

// Fields returns the fields of the file in reading order. Those of stored Word documents
// and PDFs are as the annotation service knows them. Fields returns nil if the file is of
// another kind, so that its text may be searched for blanks. It is never nil for a Word
// document or a PDF, whose fields already include the blanks.
func (r *Reading) Fields(ctx context.Context) ([]Field, error) {
	if r.word != nil {
		found, err := r.wordFields(ctx)
		return found, fault(r.file.Name, err)
	}
	if r.kind == filetype.PDF {
		return r.pdfFields(ctx)
	}
	return nil, nil
}

// wordFields returns the fields of a Word document. It leaves out fields that are only in
// the registry: they have no place in the file and cannot be filled.
func (r *Reading) wordFields(ctx context.Context) ([]Field, error) {
	file, err := docxfields.Open(ctx, r.word)
	if err != nil {
		return nil, err
	}
	known, err := r.knownFields(ctx, file.Fields())
	if err != nil {
		return nil, err
	}
	found := []Field{}
	var places []docxtext.Place
	var owners []int
	for _, k := range known {
		at := file.Places(k.FieldID)
		if len(at) == 0 {
			continue
		}
		for _, p := range at {
			places, owners = append(places, p), append(owners, len(found))
		}
		found = append(found, wordField(k))
	}
	_, spans, err := docxtext.ReadPlaces(ctx, r.word, places)
	if err != nil {
		return nil, err
	}
	for i, s := range spans {
		found[owners[i]].stretch(s)
	}
	return found, nil
}

// knownFields asks the annotation service for the fields of a stored document, since only
// that service knows its registry. It returns the fields found in the file itself if the
// file is not stored, or if the annotation service refuses the version because of another
// file.
func (r *Reading) knownFields(ctx context.Context, inFile []fields.Field) ([]annotationapi.Field, error) {
	if r.material.DocumentID != "" {
		answer, err := r.reader.Neighbours.Fields(ctx, r.material.Principal, annotationapi.FieldsRequest{
			DocumentID: r.material.DocumentID, Version: documentapi.Version{Number: r.material.VersionNumber, Given: true},
		})
		if !problem.Is(err, problem.InvalidRequest) {
			return answer.Items, err
		}
	}
	var known []annotationapi.Field
	for _, f := range inFile {
		known = append(known, annotationapi.Show(f))
	}
	return known, nil
}

// insightField returns a field as insights show it, without its place.
func insightField(k annotationapi.Field) insightapi.Field {
	return insightapi.Field{FieldID: k.FieldID, FieldType: k.FieldType, FieldLabel: k.Label, FieldValue: shownValue(k.Value)}
}

// wordField returns a field of a Word document that has no position yet.
func wordField(k annotationapi.Field) Field {
	f := Field{Field: insightField(k), Span: docxtext.Nowhere(), XMLPath: k.XMLPath, Confidence: 1}
	switch fields.Source(k.Source) {
	case fields.ContentControl:
		f.Reasoning = "The document has a content control here."
	case fields.TextTag:
		f.Reasoning = "The document has a text tag here."
	default:
		f.Reasoning, f.Confidence = "The text has a blank to fill in here.", detectedConfidence
	}
	return f
}

// detectedConfidence is the precision of blank detection, as measured by
// make bench-fields.
const detectedConfidence = 0.9

// shownValue returns the value of a field as insights show it.
func shownValue(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case []string:
		return strings.Join(v, ", ")
	case []any:
		var all []string
		for _, e := range v {
			all = append(all, fmt.Sprint(e))
		}
		return strings.Join(all, ", ")
	}
	return fmt.Sprint(v)
}

// near is the maximum distance between the boxes of one question, in bytes of text.
const near = 200

// stretch sets the span of the field, or extends it to the next of its boxes. It ignores
// other places of the field, such as a name's in another copy of the form.
func (f *Field) stretch(s layout.Span) {
	switch {
	case s == docxtext.Nowhere():
	case f.Span == docxtext.Nowhere():
		f.Span = s
	case f.FieldType == fields.Checkbox.InsightName() && s.Start >= f.Span.End && s.Start-f.Span.End <= near:
		f.Span.End = s.End
	}
}
