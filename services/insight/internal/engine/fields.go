package engine

import (
	"context"
	"slices"
	"strconv"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/services/insight/internal/ground"
	"github.com/rectohq/recto/services/insight/internal/rules"
	"github.com/rectohq/recto/services/insight/internal/source"
)

// findFields answers document_fields with the fields of a Word document or a PDF, which
// include its blanks, or with the blanks in the text of any other file.
func (a *analysis) findFields(ctx context.Context) error {
	if a.fields == nil {
		var known []source.Field
		err := a.told.Idle(ctx, func() (err error) { // the annotation service may have to read the document
			known, err = a.reading.Fields(ctx)
			return err
		})
		if err != nil {
			return err
		}
		a.fields = []insightapi.Field{}
		blocks := rules.NewBlocks(a.document)
		for _, f := range known {
			a.sign(blocks, &f)
			a.fields = append(a.fields, a.placed(f))
		}
		if known == nil {
			a.fields = ground.Items(a.ground, rules.Fields(a.document))
		}
	}
	a.answer.DocumentFields = &a.fields
	return nil
}

// findFieldsPages answers document_fields_pages: the ids of the fields by page.
func (a *analysis) findFieldsPages(ctx context.Context) error {
	asked := a.answer.DocumentFields
	if err := a.findFields(ctx); err != nil {
		return err
	}
	a.answer.DocumentFields = asked
	pages := map[string][]string{}
	for _, f := range a.fields {
		if f.PageNumber == nil {
			continue
		}
		if page := strconv.Itoa(*f.PageNumber); !slices.Contains(pages[page], f.FieldID) {
			pages[page] = append(pages[page], f.FieldID)
		}
	}
	a.answer.DocumentFieldsPages = &pages
	return nil
}

// sign sets the signer of a field to the one whose signature block the field is in. A
// widget is not part of the text: it belongs to the block of the text within it, or else
// to the block of its label.
func (a *analysis) sign(blocks *rules.Blocks, f *source.Field) {
	if f.Box == nil {
		blocks.Sign(&f.Field, f.Span)
		return
	}
	if span := a.ground.Within(f.Page, *f.Box); span.Len() > 0 && blocks.Sign(&f.Field, span) {
		return
	}
	if label, ok := a.ground.Label(f.Page, *f.Box); ok {
		blocks.Sign(&f.Field, label)
	}
}

// placed sets the place of a field of the file. The field is reported even if it is on no
// page, since the file itself declares it.
func (a *analysis) placed(f source.Field) insightapi.Field {
	span := f.Span
	if f.Box != nil {
		span = a.ground.Within(f.Page, *f.Box)
	}
	place, quoted := a.ground.Place(span)
	if f.Box != nil {
		place.PageNumber, place.BoundingBox = &f.Page, ground.Outward(f.Page, *f.Box)
	} else if page, box, ok := a.ground.Beside(f.Span.Start); !quoted && ok {
		place.PageNumber, place.BoundingBox = &page, box
	}
	place.XMLPath = f.XMLPath
	place.Reasoning, place.ConfidenceScore = &f.Reasoning, ground.Confidence(f.Confidence)
	f.Place = place
	return f.Field
}
