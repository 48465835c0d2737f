package form

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/libs/testkit/corpus"
)

// place is the box of most stamps of these tests.
var place = layout.Box{Left: 0.5, Top: 0.25, Right: 0.9, Bottom: 0.35}

var found = regexp.MustCompile(`<word xMin="([\d.]+)" yMin="([\d.]+)" xMax="([\d.]+)" yMax="([\d.]+)">Stamp</word>`)

// wordBox returns the box of the word "Stamp" on a page of this size.
func wordBox(t *testing.T, file []byte, width, height float64) layout.Box {
	t.Helper()
	m := found.FindStringSubmatch(run(t, "pdftotext", "-bbox", "-cropbox", save(t, file), "-"))
	if m == nil {
		t.Fatal("the word is missing")
	}
	n := make([]float64, 4)
	for i := range n {
		n[i], _ = strconv.ParseFloat(m[i+1], 64)
	}
	return layout.Box{Left: n[0] / width, Top: n[1] / height, Right: n[2] / width, Bottom: n[3] / height}
}

// onePage returns a file of one page with these entries and this content.
func onePage(entries, content string) []byte {
	return build("<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>",
		"<</Type/Page/Parent 2 0 R/Contents 4 0 R"+entries+">>", streamObject("", content))
}

func stampValue(s string) Value { return Value{Text: s, Stamps: []Stamp{{Page: 1, Box: place}}} }

func TestStampStandsUpright(t *testing.T) {
	for _, rotate := range []int{0, 90, 180, 270, -90, 450} {
		for _, c := range []struct {
			boxes         string
			width, height float64
		}{
			{"/MediaBox[0 0 300 400]", 300, 400},
			{"/MediaBox[300 400 0 0]", 300, 400},
			{"/MediaBox[-100 -50 300 400]/CropBox[50 60 250 360]", 200, 300},
		} {
			t.Run(fmt.Sprint(rotate, c.boxes), func(t *testing.T) {
				width, height := c.width, c.height
				if rotate%180 != 0 {
					width, height = height, width
				}
				out := fill(t, onePage(c.boxes+"/Rotate "+strconv.Itoa(rotate), "q 2 0 0 2 0 0 cm Q"), stampValue("Stamp"))
				got := wordBox(t, out, width, height)
				if got.Left < place.Left-0.01 || got.Right > place.Right || got.Top < place.Top-0.03 || got.Bottom > place.Bottom+0.02 ||
					got.Right-got.Left < got.Bottom-got.Top {
					t.Errorf("the word is at %+v of a page of %v x %v", got, width, height)
				}
			})
		}
	}
}

// TestStampIgnoresTheStateOfThePage checks that what the content of the page leaves behind
// does not move the stamp.
func TestStampIgnoresTheStateOfThePage(t *testing.T) {
	want := wordBox(t, fill(t, onePage("/MediaBox[0 0 300 400]", ""), stampValue("Stamp")), 300, 400)
	for _, content := range []string{
		"0.1 0 0 0.1 50 50 cm",
		"q q 0.1 0 0 0.1 50 50 cm",
		"Q Q q 3 0 0 3 0 0 cm",
		"(q) Tj [(\\)q)] TJ % q\n<71> pop /q Do << /q 1 >> 2 0 0 2 0 0 cm",
		"q BI /W 1 /H 1 /BPC 8 /CS /G ID q EI 2 0 0 2 0 0 cm",
	} {
		out := fill(t, onePage("/MediaBox[0 0 300 400]", content), stampValue("Stamp"))
		got := wordBox(t, out, 300, 400)
		if math.Abs(got.Left-want.Left) > 0.01 || math.Abs(got.Top-want.Top) > 0.01 {
			t.Errorf("%q: the word is at %+v, want %+v", content, got, want)
		}
	}
}

func TestVisible(t *testing.T) {
	for _, c := range []struct {
		boxes string
		want  rect
	}{
		{"/MediaBox[0 0 300 400]/CropBox[100 100 900 900]", rect{100, 100, 300, 400}},
		{"/MediaBox[0 0 300 400]/CropBox[500 500 900 900]", rect{0, 0, 300, 400}},
		{"/MediaBox[0 0 300 400]/CropBox[5 5]", rect{0, 0, 300, 400}},
		{"/MediaBox[0 0 0 0]", rect{0, 0, 612, 792}},
		{"/MediaBox[0 0 1e99 9]", rect{0, 0, maxCoordinate, 9}},
		{"/MediaBox[0 0(x)9]", rect{0, 0, 612, 792}},
		{"", rect{0, 0, 612, 792}},
	} {
		r := reopen(t, onePage(c.boxes, ""))
		if got := r.visible(r.pages[0]); got != c.want {
			t.Errorf("%s: got %v", c.boxes, got)
		}
	}
}

func TestStampSharedResources(t *testing.T) {
	file := build("<</Type/Catalog/Pages 2 0 R>>",
		"<</Type/Pages/Kids[3 0 R 4 0 R 5 0 R]/Count 3/MediaBox[0 0 300 400]/Resources 6 0 R>>",
		"<</Type/Page/Parent 2 0 R>>",
		"<</Type/Page/Parent 2 0 R/Contents[]/Resources 6 0 R>>",
		"<</Type/Page/Parent 2 0 R>>",
		"<</XObject 7 0 R>>", "<</Stamp1 8 0 R>>", streamObject("/Type/XObject/Subtype/Form/BBox[0 0 9 9]", ""))
	out := fill(t, file, Value{Text: "Stamp", Stamps: []Stamp{{Page: 1, Box: place}, {Page: 1, Box: layout.Box{Right: 0.3, Bottom: 0.1}}, {Page: 2, Box: place}}})
	path := save(t, out)
	for page, want := range []int{2, 1, 0} {
		n := strconv.Itoa(page + 1)
		if got := strings.Count(run(t, "pdftotext", "-f", n, "-l", n, path, "-"), "Stamp"); got != want {
			t.Errorf("page %s has %d stamps, want %d", n, got, want)
		}
	}
	for _, number := range []string{"6", "7"} {
		if got, want := object(t, out, number), object(t, file, number); got != want {
			t.Errorf("shared object %s is now %s", number, got)
		}
	}
	if got := object(t, out, "3"); !strings.Contains(got, "/Stamp1 8 0 R") {
		t.Errorf("the page lost its own XObject: %s", got)
	}
}

// object returns an object of a file as text.
func object(t *testing.T, file []byte, number string) string {
	t.Helper()
	return run(t, "qpdf", "--show-object="+number, save(t, file))
}

func TestStampOddBoxes(t *testing.T) {
	for _, box := range []layout.Box{{}, {Left: 1, Top: 1, Right: 1, Bottom: 1}, {Left: 0.9, Right: 0.1, Top: 0.9, Bottom: 0.1}, {Right: 1e9, Bottom: 1e9}} {
		for _, s := range []Stamp{{}, {Cover: true}, {Tick: true}, {Multiline: true}} {
			s.Page, s.Box = 1, box
			fill(t, onePage("/MediaBox[0 0 300 400]", ""), Value{Text: "x", Stamps: []Stamp{s}})
		}
	}
}

func TestStampPictures(t *testing.T) {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewRGBA(image.Rect(0, 0, 8, 4))); err != nil {
		t.Fatal(err)
	}
	file := widgets("", "<</Type/Annot/Subtype/Widget/F 4/Rect[10 10 90 50]/FT/Btn/Ff 65536/T(icon)>>", textWidget+"/V(old)>>")
	o := Order{
		Values: []Value{
			{Widgets: []Widget{at(0)}, Pictures: []int{0}},
			{Widgets: []Widget{at(1)}, Pictures: []int{0}},
			{Stamps: []Stamp{{Page: 1, Box: place, Cover: true}}, Pictures: []int{0, 0}},
		},
		Pictures: []Picture{{MediaType: "image/png", Width: 8, Height: 4, Size: int64(b.Len())}},
	}
	r, err := Fill(file, o, [][]byte{b.Bytes()}, fonts())
	if err != nil {
		t.Fatal(err)
	}
	out := applied(file, r)
	check(t, out)
	reopen(t, out).want(1, "V", "")
	if n := strings.Count(string(r.Update), "/Subtype /Image"); n != 2 { // and the mask
		t.Errorf("the picture is written %d times", n)
	}
	o.Pictures[0].MediaType = "image/jpeg"
	if _, err := Fill(file, o, [][]byte{b.Bytes()}, fonts()); err == nil {
		t.Error("a PNG is no JPEG")
	}
	if _, err := Fill(file, o, nil, fonts()); !errors.Is(err, Missing) {
		t.Errorf("got %v", err)
	}
}

// TestRealDocuments stamps real documents.
func TestRealDocuments(t *testing.T) {
	dir := corpus.Folder(t, "contracts", "pdf")
	files, err := filepath.Glob(filepath.Join(dir, "*.[pP][dD][fF]"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no documents in %s: %v", dir, err)
	}
	for _, path := range files {
		t.Run(filepath.Base(path), func(t *testing.T) {
			file, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			out := fill(t, file, stampValue("Stampmark"))
			if !strings.Contains(run(t, "pdftotext", "-l", "1", save(t, out), "-"), "Stampmark") {
				t.Error("the stamp is missing")
			}
		})
	}
}
