package source

import (
	"context"

	"github.com/rectohq/recto/libs/contract/annotationapi"
	"github.com/rectohq/recto/libs/formats/docx/docxtext"
	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/formats/fields/pdffields"
	"github.com/rectohq/recto/libs/formats/layout"
)

// pdfFields returns the fields of a PDF: its form fields, text tags and blanks. It leaves
// out fields that are only in the registry and have no place.
func (r *Reading) pdfFields(ctx context.Context) ([]Field, error) {
	inFile := pdffields.Find(r.pages)
	known, err := r.knownFields(ctx, inFile)
	if err != nil {
		return nil, err
	}
	byID := make(map[string]fields.Field, len(inFile))
	for _, f := range inFile {
		byID[f.ID] = f
	}
	found := []Field{}
	for _, k := range known {
		f, page, box := pdfField(k, byID[k.FieldID])
		if page >= 1 && page <= len(r.pages.Pages) {
			f.Page, f.Box = page, &box
			found = append(found, f)
		}
	}
	return found, nil
}

// pdfField returns a field of a PDF and its first place. inFile is the field as the file
// defines it, or the zero Field if only the registry knows it. The page is 0 if the field
// has no place.
func pdfField(k annotationapi.Field, inFile fields.Field) (f Field, page int, box layout.Box) {
	f = Field{Field: insightField(k), Span: docxtext.Nowhere(), Confidence: 1}
	switch inFile.Source {
	case fields.AcroForm:
		f.Reasoning = "The PDF has a form field here."
	case fields.TextTag:
		f.Reasoning = "The document has a text tag here."
	case fields.Detected:
		f.Reasoning, f.Confidence = "The page has a blank to fill in here.", pdfBlankConfidence
	default:
		f.Reasoning = "The field registry of the document has a field here."
		page, box = registered(k)
		return f, page, box
	}
	return f, inFile.Places[0].Page, inFile.Places[0].Box
}

// registered returns the place of a field that only the registry knows, or the page 0 if it
// has none.
func registered(k annotationapi.Field) (page int, box layout.Box) {
	if b := k.BoundingBox; b != nil && k.PageNumber != nil {
		return *k.PageNumber, layout.Box{Left: b.Left, Top: b.Top, Right: b.Left + b.Width, Bottom: b.Top + b.Height}
	}
	return 0, layout.Box{}
}

// pdfBlankConfidence is the estimated precision of the blanks of PDFs. It is lower than in
// Word documents, because lines are drawn for many purposes.
const pdfBlankConfidence = 0.8
