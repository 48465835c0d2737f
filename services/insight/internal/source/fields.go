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

// Field is a field of a file, and where it stands.
type Field struct {
	// Field is complete but for its Place.
	insightapi.Field
	// Span is the text that a value takes the place of. It is empty where a value is
	// put in, and docxtext.Nowhere for a field that the text does not have.
	Span layout.Span
	// Box and Page are those of a widget, which stands beside the text; nil and 0
	// for what is text.
	Box  *layout.Box
	Page int
	// XMLPath leads to the element of the field, "" where there is no XML.
	XMLPath    string
	Reasoning  string
	Confidence float64
}

// Fields returns the fields of the file in the order of reading, those of a stored
// Word document as the annotation service knows them. It is nil where the file has no
// fields of its own, so that its text may be searched for blanks.
func (r *Reading) Fields(ctx context.Context) ([]Field, error) {
	if r.word != nil {
		found, err := r.wordFields(ctx)
		return found, fault(r.file.Name, err)
	}
	if r.kind == filetype.PDF {
		return formFields(r.pages.Fields), nil
	}
	return nil, nil
}

// wordFields returns the fields of a Word document. What is registered alone stands
// nowhere, and cannot be filled: it is left out.
func (r *Reading) wordFields(ctx context.Context) ([]Field, error) {
	file, err := docxfields.Open(ctx, r.word)
	if err != nil {
		return nil, err
	}
	known, err := r.knownFields(ctx, file)
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

// knownFields asks the annotation service for the fields of a stored document, of
// whose registry nobody else knows. A file that nobody stores has what it says
// itself, and so does one of a version that annotation refuses for a file before
// it.
func (r *Reading) knownFields(ctx context.Context, file *docxfields.Document) ([]annotationapi.Field, error) {
	if r.material.DocumentID != "" {
		answer, err := r.reader.Neighbours.Fields(ctx, r.material.Principal, annotationapi.FieldsRequest{
			DocumentID: r.material.DocumentID, Version: documentapi.Version{Number: r.material.VersionNumber, Given: true},
		})
		if !problem.Is(err, problem.InvalidRequest) {
			return answer.Items, err
		}
	}
	var known []annotationapi.Field
	for _, f := range file.Fields() {
		known = append(known, annotationapi.Show(f))
	}
	return known, nil
}

// wordField returns a field of a Word document that stands nowhere yet.
func wordField(k annotationapi.Field) Field {
	f := Field{
		Field: insightapi.Field{FieldID: k.FieldID, FieldType: k.FieldType, FieldLabel: k.Label, FieldValue: shownValue(k.Value)},
		Span:  docxtext.Nowhere(), XMLPath: k.XMLPath, Confidence: 1,
	}
	switch fields.Source(k.Source) {
	case fields.ContentControl:
		f.Reasoning = "The document has a content control here."
	case fields.TextTag:
		f.Reasoning = "The text has a tag of a field here."
	default:
		f.Reasoning, f.Confidence = "The text leaves a place to fill in here.", detectedConfidence
	}
	return f
}

// detectedConfidence is how many of the blanks that detection finds are some, as
// make bench-fields measures it.
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

// near is how far boxes of one question stand apart at most, in bytes of text.
const near = 200

// stretch sets where the field stands, or makes it reach to the next of its boxes.
// Other places of one field, as a name has in every copy of a form, are not shown.
func (f *Field) stretch(s layout.Span) {
	switch {
	case s == docxtext.Nowhere():
	case f.Span == docxtext.Nowhere():
		f.Span = s
	case f.FieldType == fields.Checkbox.InsightName() && s.Start >= f.Span.End && s.Start-f.Span.End <= near:
		f.Span.End = s.End
	}
}
