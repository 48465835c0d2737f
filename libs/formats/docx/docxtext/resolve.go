package docxtext

import (
	"context"
	"fmt"

	"github.com/rectohq/recto/libs/formats/docx"
)

// Resolve returns the character data of the element at the path of a layout.Run, without
// that of nested elements. The error is as for Read, or says that no element has the
// path.
func Resolve(ctx context.Context, p *docx.Package, path string) (string, error) {
	texts, err := ResolveAll(ctx, p, []string{path})
	if err != nil {
		return "", err
	}
	return texts[0], nil
}

// ResolveAll is Resolve for many paths in one pass.
func ResolveAll(ctx context.Context, p *docx.Package, paths []string) ([]string, error) {
	places := make([]Place, len(paths))
	for i, path := range paths {
		places[i].From.Path, places[i].To.Path = path, path
	}
	wanted := newWanted(places)
	r := &resolver{texts: map[int][]byte{}}
	for name, n := range wanted.parts {
		part, ok := p.Part(name)
		if !ok {
			continue
		}
		r.root, r.open = n, nil
		if err := walk(ctx, part, r); err != nil {
			return nil, err
		}
	}
	texts := make([]string, len(paths))
	for i, path := range paths {
		text, ok := r.texts[wanted.ids[path]]
		if !ok {
			return nil, fmt.Errorf("no element of the document has the path %q", path)
		}
		texts[i] = string(text)
	}
	return texts, nil
}

// resolver follows paths. It is a visitor.
type resolver struct {
	root *node
	// open holds the nodes of the open elements; nil for elements that are not on any
	// path.
	open  []*node
	texts map[int][]byte
}

// start follows the paths into an element.
func (r *resolver) start(open []element) error {
	at := r.root
	if n := len(r.open); n > 0 {
		at = r.open[n-1]
	}
	at = at.below(&open[len(open)-1])
	if at != nil && at.id != 0 {
		r.texts[at.id] = []byte{}
	}
	r.open = append(r.open, at)
	return nil
}

// characters reads the text of an element at the end of a path.
func (r *resolver) characters(_ []element, data []byte) {
	if at := r.open[len(r.open)-1]; at != nil && at.id != 0 {
		r.texts[at.id] = append(r.texts[at.id], data...)
	}
}

// end leaves an element.
func (r *resolver) end([]element) { r.open = r.open[:len(r.open)-1] }
