package pdf_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/libs/formats/pdf"
	"github.com/rectohq/recto/libs/testkit/pdftest"
)

// about reports whether two boxes are the same but for half a point on a page of 612 by 792
// points.
func about(a, b layout.Box) bool {
	near := func(a, b, points float64) bool { return math.Abs(a-b) <= 0.5/points }
	return near(a.Left, b.Left, 612) && near(a.Right, b.Right, 612) && near(a.Top, b.Top, 792) && near(a.Bottom, b.Bottom, 792)
}

// at returns the box for a rectangle in page coordinates, on a page of 612 by 792 points.
func at(left, bottom, right, top float64) layout.Box {
	return layout.Box{Left: left / 612, Top: 1 - top/792, Right: right / 612, Bottom: 1 - bottom/792}
}

// TestRules checks which drawings are lines or boxes, and where they are. Each is on a page
// of its own.
func TestRules(t *testing.T) {
	line, box := at(100, 499.5, 300, 500.5), at(100, 500, 300, 530)
	tests := []struct {
		name    string
		content string
		want    []pdf.Rule
	}{
		{"a line", "1 w 100 500 m 300 500 l S", []pdf.Rule{{Box: line}}},
		{"a line to the left", "300 500 m 100 500 l S", []pdf.Rule{{Box: line}}},
		{"a vertical line", "100 500 m 100 600 l S", []pdf.Rule{{Box: at(99.5, 500, 100.5, 600)}}},
		{"a thin rectangle", "100 499.5 200 1 re f", []pdf.Rule{{Box: line}}},
		{"a hairline", "0 w 100 500 m 300 500 l S", []pdf.Rule{{Box: at(100, 500, 300, 500)}}},
		{"a dashed line", "[3 2] 0 d 100 500 m 300 500 l S", []pdf.Rule{{Box: line}}},
		{"a scaled line", "q 2 0 0 2 0 0 cm .5 w 50 250 m 150 250 l S Q", []pdf.Rule{{Box: line}}},
		{"a turned line", "q 0 1 -1 0 0 0 cm 500 -100 m 500 -300 l S Q", []pdf.Rule{{Box: line}}},
		{"a line in a gray", "0.7 G 100 500 m 300 500 l S", []pdf.Rule{{Box: line}}},
		{"a box", "100 500 200 30 re S", []pdf.Rule{{Box: box}}},
		{"a box with a hairline", "0 w 100 500 200 30 re S", []pdf.Rule{{Box: box}}},
		{"a box of four lines", "100 500 m 300 500 l 300 530 l 100 530 l h S", []pdf.Rule{{Box: box}}},
		{"a white box", "1 g 100 500 200 30 re B", []pdf.Rule{{Box: box}}},
		{"a black box", "100 500 200 30 re B", []pdf.Rule{{Box: box, Filled: true}}},
		{"a checkbox", "100 500 10 10 re S", []pdf.Rule{{Box: at(100, 500, 110, 510)}}},
		{"two lines in a path", "100 500 m 300 500 l 100 530 m 300 530 l S", []pdf.Rule{{Box: line}, {Box: at(100, 529.5, 300, 530.5)}}},
		{"two thin bars in a path", "100 499.5 200 1 re 100 529.5 200 1 re f", []pdf.Rule{{Box: line}, {Box: at(100, 529.5, 300, 530.5)}}},
		{"an open corner", "100 500 m 300 500 l 300 600 l S", []pdf.Rule{{Box: line}, {Box: at(299.5, 500, 300.5, 600)}}},
		{"over the edge", "-100 500 m 1000 500 l S", []pdf.Rule{{Box: at(0, 499.5, 612, 500.5)}}},
		{"outside", "-100 500 m -10 500 l S 700 500 200 30 re S", nil},
		{"white", "1 G 100 500 m 300 500 l S 1 g 100 400 200 1 re f", nil},
		{"transparent", "/Faint gs 100 500 m 300 500 l S", nil},
		{"not painted", "100 500 m 300 500 l n", nil},
		{"short", "100 500 m 115 500 l S", nil},
		{"slanted", "100 500 m 300 600 l S", nil},
		{"thick", "5 w 100 500 m 300 500 l S", nil},
		{"shading", "0.9 g 100 500 200 30 re f", nil},
		{"tiny", "100 500 2 2 re S", nil},
		{"a circle", "100 500 m 100 520 120 520 120 500 c 120 480 100 480 100 500 c S", nil},
		{"a diamond", "100 500 m 120 520 l 140 500 l 120 480 l h S", nil},
		{"a triangle", "100 500 m 120 520 l 130 505 l h S", nil},
		{"text", "", nil},
	}
	b := newBuilder()
	b.pages = "/Resources<</Font<</F1 " + ref(fontObject) + ">>/ExtGState<</Faint<</CA 0.01/ca 0.01>>>>>>"
	for _, tc := range tests {
		b.kids = append(b.kids, b.add("<</Type/Page/Parent %d 0 R/Contents %d 0 R>>", pagesObject, b.stream("", lines(72, 720, "Text")+tc.content)))
	}
	rules := make([][]pdf.Rule, len(tests))
	for _, rule := range read(t, pdftest.NewReader(t, pdftest.Config()), b.bytes()).Rules {
		page := rule.Page - 1
		rule.Page = 0
		rules[page] = append(rules[page], rule)
	}
	for i, tc := range tests {
		t.Run(tc.name, func(t *testing.T) { compare(t, rules[i], tc.want) })
	}
}

// compare fails the test unless the rules are about the wanted ones.
func compare(t *testing.T, got, want []pdf.Rule) {
	t.Helper()
	ok := len(got) == len(want)
	for i := 0; ok && i < len(got); i++ {
		ok = got[i].Page == want[i].Page && got[i].Filled == want[i].Filled && about(got[i].Box, want[i].Box)
	}
	if !ok {
		t.Errorf("the rules are\n%+v, want\n%+v", got, want)
	}
}

// TestRulesInForms checks lines in form XObjects: at most two levels down, where their
// matrices put them.
func TestRulesInForms(t *testing.T) {
	b := newBuilder()
	inner := "50 0 m 150 0 l S"
	for range 4 {
		x := b.stream("/Type/XObject/Subtype/Form/BBox[0 0 1000 1000]/Matrix[1 0 0 1 0 100]/Resources<<"+strings.TrimPrefix(inner, "50 0 m 150 0 l S")+">>", "50 0 m 150 0 l S /X Do")
		inner = "50 0 m 150 0 l S" + fmt.Sprintf("/XObject<</X %d 0 R>>", x)
	}
	resources := strings.TrimPrefix(inner, "50 0 m 150 0 l S")
	b.page(lines(72, 720, "Text")+"q 2 0 0 2 0 0 cm .5 w /X Do Q", "")
	b.objects[b.kids[0]-1] = strings.Replace(b.objects[b.kids[0]-1], "/Resources<<", "/Resources<<"+resources, 1)
	b.page(lines(72, 720, "Text")+"100 500 m 300 500 l S", "/Rotate 90/CropBox[50 400 350 600]")
	f := read(t, pdftest.NewReader(t, pdftest.Config()), b.bytes())
	line := func(y float64) pdf.Rule { return pdf.Rule{Page: 1, Box: at(100, y-0.5, 300, y+0.5)} }
	turned := pdf.Rule{Page: 2, Box: layout.Box{Left: 0.4975, Top: 50 / 300.0, Right: 0.5025, Bottom: 250 / 300.0}}
	compare(t, f.Rules, []pdf.Rule{line(200), line(400), turned})
}

// TestManyRules checks that the rules of a page are bounded, and that a page with a great
// many drawings has none.
func TestManyRules(t *testing.T) {
	const line = "100 500 m 300 500 l S\n"
	b := newBuilder()
	b.page(lines(72, 720, "Text")+strings.Repeat(line, 3000), "")
	b.page(lines(72, 720, "Text")+strings.Repeat(line, 20_000), "")
	b.page(lines(72, 720, "Text")+line, "")
	b.page(lines(72, 720, "Text")+strings.Repeat("100 500 m 300 500 l ", 300)+"S", "")
	byPage := map[int]int{}
	for _, rule := range read(t, pdftest.NewReader(t, pdftest.Config()), b.bytes()).Rules {
		byPage[rule.Page]++
	}
	if byPage[1] != 2000 || byPage[2] != 0 || byPage[3] != 1 || byPage[4] != 1 {
		t.Errorf("the pages have %v rules", byPage)
	}
}
