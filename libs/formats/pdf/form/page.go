package form

import (
	"math"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// Bounds of the page tree. maxAnnotations is how many annotations of a page are read, as in
// package pdf. maxAllAnnotations is how many of all pages are read, which may share lists.
const (
	maxPages          = 100_000
	maxAnnotations    = 10_000
	maxAllAnnotations = 2_000_000
	maxWidgets        = 50_000
)

// page is a page with the attributes that it inherits. A page that is missing in the file
// has no dictionary.
type page struct {
	node
	// id is the number of the object, or a negative number for a page that stands in the
	// tree itself.
	id int

	mediaBox, cropBox, rotate, resources inherited
}

// inherited is the value of an attribute, with the number of the object that contains it.
type inherited struct {
	types.Object
	owner int
}

// pageWalk collects the pages in the order of PDFium, which counts what has no kids as
// a page, and what is no dictionary as a missing page.
type pageWalk struct {
	*file
	pages []page
	// path holds the nodes above, nodes the number of all nodes.
	path  map[int]bool
	nodes int
}

func (f *file) pages() []page {
	w := &pageWalk{file: f, path: map[int]bool{}}
	if root, ok := f.dict(f.root["Pages"], int(f.ctx.Root.ObjectNumber)); ok {
		w.walk(page{node: root, id: root.owner}, 0)
	}
	return w.pages
}

func (w *pageWalk) walk(p page, depth int) {
	w.nodes++
	if w.nodes > 2*maxPages || len(w.pages) >= maxPages || depth > maxDepth {
		return
	}
	p.inherit()
	if p.Dict["Kids"] == nil {
		w.pages = append(w.pages, p)
		return
	}
	if w.path[p.owner] {
		return
	}
	w.path[p.owner] = true
	defer delete(w.path, p.owner)
	kids, owner := w.array(p.Dict["Kids"], p.owner)
	for _, o := range kids {
		if len(w.pages) >= maxPages {
			return
		}
		kid := p
		var ok bool
		if kid.node, ok = w.dict(o, owner); !ok {
			w.pages = append(w.pages, page{})
			continue
		}
		if kid.id = kid.owner; kid.owner == owner {
			kid.id = -w.nodes
		}
		w.walk(kid, depth+1)
	}
}

// inherit replaces inherited attributes by those of the node itself.
func (p *page) inherit() {
	for _, a := range []struct {
		key string
		to  *inherited
	}{{"MediaBox", &p.mediaBox}, {"CropBox", &p.cropBox}, {"Rotate", &p.rotate}, {"Resources", &p.resources}} {
		if o := p.Dict[a.key]; o != nil {
			*a.to = inherited{o, p.owner}
		}
	}
}

// rect is a rectangle in user space.
type rect struct{ left, bottom, right, top float64 }

func (r rect) width() float64  { return r.right - r.left }
func (r rect) height() float64 { return r.top - r.bottom }
func (r rect) empty() bool     { return !(r.width() > 0 && r.height() > 0) } // also NaN

// maxCoordinate is beyond what any reader draws.
const maxCoordinate = 1e6

// rect reads a rectangle, whose corners may be in any order.
func (f *file) rect(o types.Object) rect {
	n := f.numbers(o, 4)
	if len(n) < 4 {
		return rect{}
	}
	for i := range n {
		n[i] = max(-maxCoordinate, min(n[i], maxCoordinate))
	}
	return rect{min(n[0], n[2]), min(n[1], n[3]), max(n[0], n[2]), max(n[1], n[3])}
}

// visible returns the displayed part of a page, as PDFium determines it.
func (f *file) visible(p page) rect {
	media := f.rect(p.mediaBox.Object)
	if media.empty() {
		media = rect{0, 0, 612, 792}
	}
	crop := f.rect(p.cropBox.Object)
	if crop.empty() {
		return media
	}
	both := rect{max(media.left, crop.left), max(media.bottom, crop.bottom), min(media.right, crop.right), min(media.top, crop.top)}
	if both.empty() {
		return media
	}
	return both
}

// matrix is a transformation of coordinates: x' = a x + c y + e, y' = b x + d y + f.
type matrix [6]float64

// displayed returns the matrix from the displayed page, whose origin is its lower left
// corner, to user space, and the size of the displayed page.
func (f *file) displayed(p page) (m matrix, width, height float64) {
	v := f.visible(p)
	w, h := v.width(), v.height()
	switch turns := (f.integer(p.rotate.Object)/90%4 + 4) % 4; turns {
	case 1:
		return matrix{0, 1, -1, 0, v.right, v.bottom}, h, w
	case 2:
		return matrix{-1, 0, 0, -1, v.right, v.top}, w, h
	case 3:
		return matrix{0, -1, 1, 0, v.left, v.top}, h, w
	}
	return matrix{1, 0, 0, 1, v.left, v.bottom}, w, h
}

// at returns the matrix with its origin moved to a point.
func (m matrix) at(x, y float64) matrix {
	m[4] += m[0]*x + m[2]*y
	m[5] += m[1]*x + m[3]*y
	return m
}

// round rounds to a ten thousandth, which no device resolves.
func round(x float64) float64 { return math.Round(x*1e4) / 1e4 }
