// Package docxfields finds the fields of Word documents and fills them in place: content
// controls, text tags in running text, and blanks that were meant to be filled in by
// hand. Everything else stays as it was, byte for byte.
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

// Version identifies the output of Open. It changes when the same file would yield other
// fields, so that stored results of earlier versions are not used.
const Version = "6"

const (
	// maxPlaces bounds the places of all fields. Later places count as running text.
	maxPlaces = 10_000
	// maxXML bounds the text of the parsed parts, in bytes, and maxTags their markup: a
	// tree takes about 200 bytes of memory per tag.
	maxXML  = 64 << 20
	maxTags = 2_000_000
)

// Document is a Word document whose fields have been found. It is not safe for concurrent
// use.
type Document struct {
	pkg    *docx.Package
	edit   *docx.Edit
	parts  []*part
	fields []fields.Field
	// places maps the IDs of fields to their places.
	places map[string][]*place
	stores *binding.Stores
	styles *tabstop.Styles
	// controls is the state shared by the content controls of all parts.
	controls *control.Document
	media    *drawing.Media
	// shown caches the element paths that Places returns.
	shown wml.Paths
}

// Open reads the parts of p that may contain fields, and finds the fields. p must have
// passed its Check. The error is a *docx.Error if the file is at fault, the cause of ctx
// if ctx ends, or an error of the package's reader.
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

// readParts parses the parts that contain text.
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

// Fields returns the fields in reading order: the body, then headers, footers, footnotes
// and endnotes. Each ID occurs once.
func (d *Document) Fields() []fields.Field { return d.fields }

// Fill writes the values into every place of their fields. Its keys are IDs of Fields. It
// must be called only once.
//
// In a content control that contains controls of other fields, these are kept and the
// rest of the content is replaced. Other controls bound to the same node of a custom XML
// part also show the value, as they would when Word opens the file.
func (d *Document) Fill(values map[string]fields.Filling) error {
	for id := range values {
		if d.places[id] == nil {
			return fmt.Errorf("fill the field %q: the document has no field with this ID", id)
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

// showStores updates all controls that are bound to changed nodes.
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

// WriteTo writes the file. Parts that Fill did not change are copied in compressed form.
func (d *Document) WriteTo(w io.Writer) (int64, error) { return d.edit.WriteTo(w) }
