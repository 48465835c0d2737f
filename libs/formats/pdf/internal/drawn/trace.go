package drawn

import (
	"github.com/klippa-app/go-pdfium/enums"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/structs"
)

// matrix maps points: x' = a·x + c·y + e, y' = b·x + d·y + f.
type matrix struct{ a, b, c, d, e, f float64 }

var identity = matrix{a: 1, d: 1}

func matrixOf(m structs.FPDF_FS_MATRIX) matrix {
	return matrix{float64(m.A), float64(m.B), float64(m.C), float64(m.D), float64(m.E), float64(m.F)}
}

// then returns the matrix that applies m and then n.
func (m matrix) then(n matrix) matrix {
	return matrix{
		m.a*n.a + m.b*n.c, m.a*n.b + m.b*n.d,
		m.c*n.a + m.d*n.c, m.c*n.b + m.d*n.d,
		m.e*n.a + m.f*n.c + n.e, m.e*n.b + m.f*n.d + n.f,
	}
}

// point is a point of a page.
type point struct{ x, y float64 }

func (m matrix) point(x, y float64) point { return point{m.a*x + m.c*y + m.e, m.b*x + m.d*y + m.f} }

// rect returns the bounds of r as mapped.
func (m matrix) rect(r Rect) Rect {
	p, q := m.point(r.Left, r.Bottom), m.point(r.Right, r.Top)
	s, t := m.point(r.Left, r.Top), m.point(r.Right, r.Bottom)
	return Rect{min(p.x, q.x, s.x, t.x), min(p.y, q.y, s.y, t.y), max(p.x, q.x, s.x, t.x), max(p.y, q.y, s.y, t.y)}
}

// trace adds the lines and rectangles of a path of several segments. Curves are left out,
// with all that is drawn without lifting the pen.
func (s *search) trace(o references.FPDF_PAGEOBJECT, m matrix, stroked, filled bool) {
	n, err := s.PDFium.FPDFPath_CountSegments(&requests.FPDFPath_CountSegments{PageObject: o})
	if !s.ok(err) || n.Count > maxPathPoints || !stroked && n.Count <= rectanglePoints {
		return // of what is only filled, there must be several to be thin
	}
	own, err := s.PDFium.FPDFPageObj_GetMatrix(&requests.FPDFPageObj_GetMatrix{PageObject: o})
	if !s.ok(err) {
		return
	}
	m = matrixOf(own.Matrix).then(m)
	t := tracer{search: s, stroked: stroked, filled: filled}
	if stroked {
		t.half = s.halfWidth(o, m)
	}
	for i := range n.Count {
		if s.broken != nil || s.objects >= maxObjects {
			return
		}
		s.objects++
		if !s.segment(o, i, m, &t) {
			return
		}
	}
	t.lift()
}

// halfWidth returns half of the width of the stroke of a path, in points.
func (s *search) halfWidth(o references.FPDF_PAGEOBJECT, m matrix) float64 {
	w, err := s.PDFium.FPDFPageObj_GetStrokeWidth(&requests.FPDFPageObj_GetStrokeWidth{PageObject: o})
	if !s.ok(err) {
		return 0
	}
	r := m.rect(Rect{Right: float64(w.StrokeWidth), Top: float64(w.StrokeWidth)})
	return min(r.Right-r.Left, r.Top-r.Bottom) / 2
}

// segment passes a segment of the path to t.
func (s *search) segment(o references.FPDF_PAGEOBJECT, index int, m matrix, t *tracer) bool {
	g, err := s.PDFium.FPDFPath_GetPathSegment(&requests.FPDFPath_GetPathSegment{PageObject: o, Index: index})
	if !s.ok(err) {
		return false
	}
	kind, err := s.PDFium.FPDFPathSegment_GetType(&requests.FPDFPathSegment_GetType{PathSegment: g.PathSegment})
	if !s.ok(err) {
		return false
	}
	p, err := s.PDFium.FPDFPathSegment_GetPoint(&requests.FPDFPathSegment_GetPoint{PathSegment: g.PathSegment})
	if !s.ok(err) {
		return false
	}
	t.to(kind.Type, m.point(float64(p.X), float64(p.Y)))
	return true
}

// tracer turns the segments of a path into rules.
type tracer struct {
	*search
	stroked, filled bool
	half            float64 // half of the width of the stroke; 0 is one pixel
	points          []point
	curved          bool
}

// to adds a segment that ends at p.
func (t *tracer) to(kind enums.FPDF_SEGMENT, p point) {
	if kind == enums.FPDF_SEGMENT_MOVETO {
		t.lift()
	}
	t.curved = t.curved || kind == enums.FPDF_SEGMENT_BEZIERTO
	t.points = append(t.points, p)
}

// lift ends what is drawn without lifting the pen.
func (t *tracer) lift() {
	points, curved := t.points, t.curved
	t.points, t.curved = nil, false
	if curved || len(points) < 2 {
		return
	}
	if r, ok := rectangle(points); ok {
		t.addBox(r)
		return
	}
	for i := 1; i < len(points); i++ {
		r := around(points[i-1 : i+1])
		if r.Right-r.Left > r.Top-r.Bottom {
			r.Bottom, r.Top = r.Bottom-t.half, r.Top+t.half
		} else {
			r.Left, r.Right = r.Left-t.half, r.Right+t.half
		}
		if isLine(r) {
			t.add(r, false)
		}
	}
}

// addBox adds a rectangle, or a line if it is thin. One that is only filled is no box to
// write in, so it counts only as a line.
func (t *tracer) addBox(r Rect) {
	outer := Rect{r.Left - t.half, r.Bottom - t.half, r.Right + t.half, r.Top + t.half}
	switch {
	case isLine(outer):
		t.add(outer, false)
	case isRectangle(outer) && t.stroked:
		t.add(r, t.filled)
	}
}

// around returns the smallest rect that contains the points.
func around(points []point) Rect {
	r := Rect{points[0].x, points[0].y, points[0].x, points[0].y}
	for _, p := range points {
		r = Rect{min(r.Left, p.x), min(r.Bottom, p.y), max(r.Right, p.x), max(r.Top, p.y)}
	}
	return r
}

// rectangle returns the rectangle whose corners are the points, in order, if its sides are
// horizontal and vertical. The last point may repeat the first.
func rectangle(points []point) (Rect, bool) {
	if len(points) == 5 && near(points[0], points[4]) {
		points = points[:4]
	}
	if len(points) != 4 {
		return Rect{}, false
	}
	r := around(points)
	for i, p := range points {
		next := points[(i+1)%4]
		corner := (same(p.x, r.Left) || same(p.x, r.Right)) && (same(p.y, r.Bottom) || same(p.y, r.Top))
		if !corner || same(p.x, next.x) == same(p.y, next.y) {
			return Rect{}, false
		}
	}
	return r, true
}

// tolerance is how far from straight a side may be, in points.
const tolerance = 0.5

func same(a, b float64) bool { return a-b <= tolerance && b-a <= tolerance }

func near(a, b point) bool { return same(a.x, b.x) && same(a.y, b.y) }
