package form

import (
	"errors"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/rectohq/recto/libs/formats/pdf/typeset"
)

// maxVisits is how many annotations of all pages are looked at. Pages may share them.
const maxVisits = 2_000_000

// Flags of annotations: ISO 32000-1, 12.5.3.
const (
	flagHidden   = 1 << 1
	flagNoRotate = 1 << 4
	flagNoView   = 1 << 5
)

// flatten draws the widgets on their pages, and removes them and the form.
func (f *filler) flatten() error {
	layers, err := f.layers()
	if err != nil {
		return err
	}
	f.tags = f.readTags()
	for _, l := range layers {
		if err := l.flatten(); err != nil {
			return err
		}
	}
	for _, l := range layers { // only now, because pages may share their annotations
		f.removeWidgets(l.page)
	}
	root := node{f.root, int(f.ctx.Root.ObjectNumber)}
	for _, key := range []string{"AcroForm", "NeedsRendering", "Perms"} {
		if root.Dict[key] != nil {
			f.set(root, key, nil)
		}
	}
	f.acro = node{}
	return nil
}

// layers returns the pages that have widgets. A page that is in the tree twice is returned
// once, and so is a widget that a page lists twice. The error is Crowded if there are more
// than can be flattened.
func (f *filler) layers() ([]*layer, error) {
	var out []*layer
	done := map[int]bool{}
	visits := 0
	for i, p := range f.pages {
		if p.Dict == nil || done[p.id] {
			continue
		}
		done[p.id] = true
		list, owner := f.array(p.Dict["Annots"], p.owner)
		if visits += len(list); visits > maxVisits {
			return nil, Crowded
		}
		l := &layer{filler: f, page: p, names: map[int]string{}}
		listed := map[int]bool{}
		for j, o := range list {
			w := f.byRef[Ref{i + 1, j}]
			switch {
			case w == nil && f.isWidget(o, owner):
				return nil, Crowded
			case w == nil || listed[w.owner]:
				continue
			}
			listed[w.owner] = w.owner != owner
			l.widgets = append(l.widgets, w)
		}
		if len(l.widgets) > 0 {
			out = append(out, l)
		}
	}
	return out, nil
}

// isWidget reports whether an annotation is a widget.
func (f *file) isWidget(o types.Object, owner int) bool {
	n, ok := f.dict(o, owner)
	return ok && f.name(n.Dict["Subtype"]) == "Widget"
}

// removeWidgets removes the widgets from the annotations of a page. Others stay.
func (f *filler) removeWidgets(p page) {
	list, owner := f.array(p.Dict["Annots"], p.owner)
	rest := types.Array{}
	for _, o := range list {
		if !f.isWidget(o, owner) {
			rest = append(rest, o)
		}
	}
	if len(rest) == 0 {
		f.set(p.node, "Annots", nil)
		return
	}
	if _, indirect := p.Dict["Annots"].(types.IndirectRef); !indirect {
		f.set(p.node, "Annots", rest)
	} else if len(rest) < len(list) { // otherwise another page shares them
		f.ctx.Table[owner].Object = rest
		f.changed[owner] = true
	}
}

// drawStale draws the current value of a widget that has no appearance, or whose form says
// that appearances do not show the values.
func (f *filler) drawStale(w *widget) error {
	drawn := f.isDrawn(w)
	stale := (w.kind == kindText || w.kind == kindChoice) && !f.shown[w] && f.boolean(f.acro.Dict["NeedAppearances"])
	if w.kind == 0 || w.kind == kindSignature || drawn && !stale {
		return nil
	}
	err := f.drawCurrent(w)
	var missing *typeset.MissingError
	if errors.As(err, &missing) && drawn {
		return nil
	}
	return err
}
