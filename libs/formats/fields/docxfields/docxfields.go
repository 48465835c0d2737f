// Package docxfields finds the fields of Word documents and fills them, in the
// files as they are: content controls, text tags in running text, and blanks that
// were meant to be filled by hand. What is not filled stays as it was, byte for
// byte.
package docxfields

import (
	"context"
	"fmt"
	"io"

	"github.com/rectohq/recto/libs/formats/docx"
	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/binding"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/control"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/drawing"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/tabstop"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/wml"
)

// Version names what Open finds and how: it changes when the same file would
// yield other fields, so that what is kept of earlier ones is not used.
const Version = "4"

const (
	// maxPlaces bounds the places that fields stand in; what comes after is
	// running text.
	maxPlaces = 10_000
	// maxXML bounds the text of the parts that are parsed, in bytes, and maxTags
	// their markup: a tree takes about 200 bytes of memory for each.
	maxXML  = 64 << 20
	maxTags = 2_000_000
)

// Document is a Word document whose fields were found. It is used by one
// goroutine at a time.
type Document struct {
	pkg    *docx.Package
	edit   *docx.Edit
	parts  []*part
	fields []fields.Field
	// places are those of each field, by its id.
	places map[string][]*place
	stores *binding.Stores
	styles *tabstop.Styles
	// controls is what the controls of all parts share.
	controls *control.Document
	media    *drawing.Media
	// shown are the paths that Places has told.
	shown wml.Paths
}

// Open reads the parts of p that may hold fields, and finds them. P has passed
// its Check. The error is a *docx.Error if the file is at fault, the cause of ctx
// if that ends, and otherwise of the package's reader.
func Open(ctx context.Context, p *docx.Package) (*Document, error) {
	d := &Document{pkg: p, edit: docx.NewEdit(p), places: map[string][]*place{}}
	d.stores, d.styles, d.media = binding.NewStores(p), tabstop.NewStyles(p), drawing.NewMedia(p, d.edit)
	d.controls = control.NewDocument(d.stores, d.styles)
	if err := d.readParts(ctx); err != nil {
		return nil, err
	}
	d.findFields()
	return d, nil
}

// readParts parses the parts that hold text.
func (d *Document) readParts(ctx context.Context) error {
	all, err := d.pkg.TextParts()
	if err != nil {
		return err
	}
	bytes, tags := int64(maxXML), maxTags
	for _, p := range all {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if bytes -= p.Size; bytes < 0 {
			return &docx.Error{Part: p.Name, Reason: fmt.Sprintf("has more than %d MiB of text and markup in its parts", maxXML>>20)}
		}
		tree, n, err := docx.ReadTree(p, tags)
		if err != nil {
			return err
		}
		tags -= n
		drawings := d.media.Part(p, tree.Root())
		d.parts = append(d.parts, &part{part: p, tree: tree, drawings: drawings, controls: d.controls.Part(tree.Root(), drawings)})
	}
	return nil
}

// Fields returns the fields in the order in which a reader meets them: the body,
// then headers, footers, footnotes and endnotes. Each id is there once.
func (d *Document) Fields() []fields.Field { return d.fields }

// Fill writes the values into every place of their fields. The keys are ids of
// Fields. It is called once.
//
// A control that holds controls of other fields keeps these: what it shows beside
// them becomes the value. Controls that show the same node of a custom XML part
// show the value as well, as they would once Word opened the file.
func (d *Document) Fill(values map[string]fields.Filling) error {
	for id := range values {
		if d.places[id] == nil {
			return fmt.Errorf("fill the field %q: the document has none of that id", id)
		}
	}
	for _, f := range d.fields {
		filling, ok := values[f.ID]
		if !ok {
			continue
		}
		for _, p := range d.places[f.ID] {
			if err := p.fill(filling, f.Label); err != nil {
				return fmt.Errorf("fill the field %q: %w", f.ID, err)
			}
		}
	}
	d.showStores()
	return d.replaceParts()
}

// showStores lets all controls that show what was stored show its new text.
func (d *Document) showStores() {
	if !d.stores.Changed() {
		return
	}
	for _, p := range d.parts {
		if p.controls.ShowStored() {
			p.changed = true
		}
	}
}

// replaceParts writes the trees that have changed.
func (d *Document) replaceParts() error {
	for _, p := range d.parts {
		if !p.changed {
			continue
		}
		text, err := docx.WriteTree(p.tree)
		if err != nil {
			return fmt.Errorf("write %s: %w", p.part.Name, err)
		}
		d.edit.Replace(p.part, text)
	}
	return d.stores.Replace(d.edit)
}

// WriteTo writes the file. Parts that Fill did not have to change are copied as
// they are packed.
func (d *Document) WriteTo(w io.Writer) (int64, error) { return d.edit.WriteTo(w) }
