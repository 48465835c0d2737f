package bench

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"image"
	"io"
	"os/exec"
	"strconv"
	"testing"
)

const (
	// comparedPages is how many pages of a PDF are compared at most.
	comparedPages = 50
	// comparedDPI suffices to see that a line breaks or a picture is elsewhere.
	comparedDPI = 50
	// tolerance is by how much the gray of a pixel may differ, of 255: the edges of
	// glyphs vary.
	tolerance = 32
	// samePixels is the share of pixels that must not be reached for two pages to look
	// the same.
	samePixels = 0.001
)

// likeness says how many pages of two PDFs look the same.
type likeness struct {
	compared, same int
	worst          float64 // greatest share of pixels that differ on a page
}

// compareFiles compares the first pages of two PDFs. A page that only one of them has
// differs in all pixels.
func compareFiles(t *testing.T, a, b string) likeness {
	t.Helper()
	one, other := render(t, a), render(t, b)
	var l likeness
	for i := range max(len(one), len(other)) {
		share := 1.0
		if i < min(len(one), len(other)) {
			share = differing(one[i], other[i])
		}
		l.compared++
		if share < samePixels {
			l.same++
		}
		l.worst = max(l.worst, share)
	}
	return l
}

// render returns pictures of the first pages of a PDF.
func render(t *testing.T, pdf string) []*image.Gray {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "pdftoppm", "-r", strconv.Itoa(comparedDPI), "-gray", "-l", strconv.Itoa(comparedPages), pdf).Output()
	if err != nil {
		t.Fatalf("render %s: %v", pdf, err)
	}
	pages, err := readPGM(bufio.NewReader(bytes.NewReader(out)))
	if err != nil {
		t.Fatalf("render %s: %v", pdf, err)
	}
	return pages
}

// readPGM reads pictures in the format PGM, one after the other.
func readPGM(r *bufio.Reader) ([]*image.Gray, error) {
	var pages []*image.Gray
	for {
		var magic string
		var width, height, white int
		if _, err := fmt.Fscan(r, &magic, &width, &height, &white); errors.Is(err, io.EOF) && magic == "" {
			return pages, nil
		} else if err != nil || magic != "P5" || white != 255 {
			return nil, errors.Join(fmt.Errorf("the header of page %d is %q with %d levels of gray", len(pages)+1, magic, white), err)
		}
		if _, err := r.Discard(1); err != nil { // the end of the header
			return nil, err
		}
		page := image.NewGray(image.Rect(0, 0, width, height))
		if _, err := io.ReadFull(r, page.Pix); err != nil {
			return nil, err
		}
		pages = append(pages, page)
	}
}

// differing returns the share of pixels that differ. Those that only one page has do.
func differing(a, b *image.Gray) float64 {
	all := a.Rect.Union(b.Rect)
	both := a.Rect.Intersect(b.Rect)
	differ := all.Dx()*all.Dy() - both.Dx()*both.Dy()
	for y := range both.Dy() {
		for x := range both.Dx() {
			one, other := int(a.Pix[y*a.Stride+x]), int(b.Pix[y*b.Stride+x])
			if max(one, other)-min(one, other) > tolerance {
				differ++
			}
		}
	}
	return float64(differ) / float64(all.Dx()*all.Dy())
}
