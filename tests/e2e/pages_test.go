package e2e

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/rectohq/recto/tests/harness"
)

type pageList struct {
	Items []struct {
		Number   int `json:"page_number"`
		Width    float64
		Height   float64
		Rotation int
	}
	Total, Page, Size, Pages int
}

type pageWords struct {
	Number   int `json:"page_number"`
	Width    float64
	Height   float64
	Rotation int
	Text     string
	Words    []struct {
		Text        string
		BoundingBox placeBox `json:"bounding_box"`
	}
}

// contains reports whether the other box is within b.
func (b placeBox) contains(o placeBox) bool {
	const rounding = 1e-4
	return b.Page == o.Page && o.Left >= b.Left-rounding && o.Top >= b.Top-rounding &&
		o.Left+o.Width <= b.Left+b.Width+rounding && o.Top+o.Height <= b.Top+b.Height+rounding
}

// picture decodes the image of a page, and checks that something is drawn on white.
func picture(t *testing.T, a *harness.Answer) image.Image {
	t.Helper()
	a.OK(nil)
	if got := a.Header.Get("Content-Type"); got != "image/png" {
		t.Errorf("the type is %s", got)
	}
	p, err := png.Decode(bytes.NewReader(a.Body))
	if err != nil {
		t.Fatal(err)
	}
	white, dark := 0, 0
	for y := range p.Bounds().Dy() {
		for x := range p.Bounds().Dx() {
			switch v := color.GrayModel.Convert(p.At(x, y)).(color.Gray).Y; {
			case v == 0xFF:
				white++
			case v < 0x80:
				dark++
			}
		}
	}
	if total := p.Bounds().Dx() * p.Bounds().Dy(); white < total/2 || dark == 0 {
		t.Errorf("of %d pixels, %d are white and %d are dark", total, white, dark)
	}
	return p
}

// TestPages lists the pages of a PDF and shows them.
func TestPages(t *testing.T) {
	c := shared.NewClient(t)
	d := upload(t, c, "a.pdf", pdfOf("", textPage(1), textPage(2), textPage(3)))
	var list pageList
	c.Get("/documents/" + d.ID + "/pages?size=2&page=2").OK(&list)
	if list.Total != 3 || list.Page != 2 || list.Size != 2 || list.Pages != 2 || len(list.Items) != 1 || list.Items[0].Number != 3 || list.Items[0].Width != 612 || list.Items[0].Height != 792 || list.Items[0].Rotation != 0 {
		t.Errorf("the list is %+v", list)
	}
	if p := picture(t, c.Get("/documents/"+d.ID+"/pages/2.png")); p.Bounds() != image.Rect(0, 0, 1000, 1294) {
		t.Errorf("the image is %v", p.Bounds())
	}
	if p := picture(t, c.Get("/documents/"+d.ID+"/pages/2.png?width=306&version_number=1")); p.Bounds() != image.Rect(0, 0, 306, 396) {
		t.Errorf("the smaller image is %v", p.Bounds())
	}
	var words pageWords
	c.Get("/documents/" + d.ID + "/pages/2/words").OK(&words)
	if words.Number != 2 || words.Width != 612 || words.Height != 792 || !strings.HasPrefix(words.Text, "Section 2.0 The Supplier") || len(words.Words) != 40*15 {
		t.Errorf("page %d of %v by %v has %d words: %.100s", words.Number, words.Width, words.Height, len(words.Words), words.Text)
	}
	if w := words.Words[3]; w.Text != "Supplier" || !(placeBox{Page: 2, Left: 0.1, Top: 0.05, Width: 0.3, Height: 0.05}).contains(w.BoundingBox) {
		t.Errorf("the fourth word is %+v", w)
	}
	c.Get("/documents/" + d.ID + "/pages?page=3&size=2").OK(&list)
	if list.Total != 3 || len(list.Items) != 0 {
		t.Errorf("past the end: %+v", list)
	}
}

// TestPagesOfWord shows a Word document as the PDF that it is converted to. The boxes of
// insights hold the words that they quote.
func TestPagesOfWord(t *testing.T) {
	c := shared.NewClient(t)
	d := upload(t, c, "contract.docx", testdata(t, "contract.docx"))
	if p := picture(t, c.Get("/documents/"+d.ID+"/pages/1.png?width=600")); p.Bounds().Dx() != 600 {
		t.Errorf("the image is %v", p.Bounds())
	}
	var words pageWords
	c.Get("/documents/" + d.ID + "/pages/1/words").OK(&words)
	var list pageList
	c.Get("/documents/" + d.ID + "/pages").OK(&list)
	if len(list.Items) != list.Total || list.Items[0].Width != words.Width || list.Items[0].Height != words.Height {
		t.Errorf("the list is %+v, the page %v by %v", list, words.Width, words.Height)
	}
	var found struct {
		Titles []struct {
			Quote       string
			BoundingBox placeBox `json:"bounding_box"`
		} `json:"document_title"`
		Clauses []struct {
			Quote       string
			BoundingBox placeBox `json:"bounding_box"`
		} `json:"document_clauses"`
	}
	c.Post("/insights", object{"document_id": d.ID, "insights": []object{insight("document_title"), insight("document_clauses")}}).OK(&found)
	checked := 0
	for _, item := range append(found.Titles, found.Clauses...) {
		if item.BoundingBox.Page != 1 {
			continue
		}
		var inside []string
		for _, w := range words.Words {
			if item.BoundingBox.contains(w.BoundingBox) {
				inside = append(inside, w.Text)
			}
		}
		if got, want := lettersOf(strings.Join(inside, "")), lettersOf(item.Quote); !strings.Contains(got, want) {
			t.Errorf("the box %+v holds %q, want %q", item.BoundingBox, got, want)
		}
		checked++
	}
	if checked < 2 {
		t.Errorf("only %d items on page 1", checked)
	}
}

// TestPageCaching shows what clients may keep, and how they ask whether it is current.
func TestPageCaching(t *testing.T) {
	c := shared.NewClient(t)
	d := upload(t, c, "a.pdf", pdfOf("", textPage(1), textPage(2)))
	path := "/documents/" + d.ID + "/pages/1.png?width=100"
	first := c.Get(path).OK(nil)
	tag := first.Header.Get("ETag")
	if got := first.Header.Get("Cache-Control"); got != "private, no-cache" || !strings.Contains(strings.Join(first.Header.Values("Vary"), ","), "X-Api-Key") {
		t.Errorf("the latest version: %v", first.Header)
	}
	fixed := c.Get(path + "&version_number=1").OK(nil)
	if got := fixed.Header.Get("Cache-Control"); got != "private, max-age=86400" || fixed.Header.Get("ETag") != tag || !bytes.Equal(fixed.Body, first.Body) {
		t.Errorf("version 1: %v", fixed.Header)
	}
	for _, known := range []string{tag, `"x", W/` + tag, "*"} {
		a := c.Do(harness.Request{Path: path, Header: map[string]string{"If-None-Match": known}})
		if a.Status != http.StatusNotModified || len(a.Body) > 0 || a.Header.Get("ETag") != tag || a.Header.Get("Cache-Control") != "private, no-cache" {
			t.Errorf("If-None-Match: %s: %d %v", known, a.Status, a.Header)
		}
	}
	for _, other := range []string{path + "1", strings.Replace(path, "1.png", "2.png", 1)} {
		a := c.Do(harness.Request{Path: other, Header: map[string]string{"If-None-Match": tag}}).OK(nil)
		if a.Header.Get("ETag") == tag || bytes.Equal(a.Body, first.Body) {
			t.Errorf("%s is the same image as %s", other, path)
		}
	}
	head := c.Do(harness.Request{Method: http.MethodHead, Path: path})
	if head.Status != http.StatusOK || head.Header.Get("Content-Length") != fmt.Sprint(len(first.Body)) || head.Header.Get("ETag") != tag || head.Header.Get("Content-Type") != "image/png" {
		t.Errorf("HEAD: %d %v, want %d bytes", head.Status, head.Header, len(first.Body))
	}
	if a := c.Do(harness.Request{Method: http.MethodHead, Path: path, Header: map[string]string{"If-None-Match": tag}}); a.Status != http.StatusNotModified {
		t.Errorf("HEAD with If-None-Match: %d", a.Status)
	}
	refused := c.Get(path + "&x=1")
	if refused.Fails(400, 3001); refused.Header.Get("Cache-Control") != "no-store" || refused.Header.Get("ETag") != "" {
		t.Errorf("an error may be kept: %v", refused.Header)
	}
	var v document
	c.Post("/documents/"+d.ID+"/versions", object{"files": []object{{"name": "b.pdf", "type": "application/pdf"}}}).OK(&v)
	put(t, c, v.Files[0].UploadURL, pdfOf("", textPage(7)))
	changed := c.Do(harness.Request{Path: path, Header: map[string]string{"If-None-Match": tag}}).OK(nil)
	if bytes.Equal(changed.Body, first.Body) {
		t.Error("a new version shows the same image")
	}
	if old := c.Get(path + "&version_number=1").OK(nil); !bytes.Equal(old.Body, first.Body) {
		t.Error("version 1 shows another image")
	}
}

// TestPageErrors shows how requests for pages fail.
func TestPageErrors(t *testing.T) {
	c := shared.NewClient(t)
	d := upload(t, c, "a.pdf", onePagePDF())
	pages := "/documents/" + d.ID + "/pages"
	for path, want := range map[string]string{
		"/1.png?width=15": "3001 width out_of_range", "/1.png?width=4001": "3001 width out_of_range", "/1.png?width=99999999999999999999": "3001 width out_of_range",
		"/1.png?width=-1": "3001 width out_of_range", "/1.png?width=wide": "3003 width invalid_type", "/1.png?width=": "3003 width invalid_type",
		"/1.png?width=100&width=100": "3003 width invalid_type", "/1.png?version_number=x": "3003 version_number version_invalid",
		"/1.png?height=100": "3001 height unknown_parameter", "/1/words?width=100": "3001 width unknown_parameter",
		"/one.png": "3003 page_number invalid_type", "/1.5/words": "3003 page_number invalid_type", "/one.png?width=1": "3001 page_number invalid_type,width out_of_range",
		"?size=0": "3001 size out_of_range", "?size=501&page=0": "3001 size out_of_range,page out_of_range", "?order_by=page_number": "3001 order_by unknown_parameter",
		"?version_number=x": "3003 version_number version_invalid",
	} {
		code, entries, _ := strings.Cut(want, " ")
		p := c.Get(pages+path).Fails(400, map[string]int{"3001": 3001, "3003": 3003}[code])
		var got []string
		for _, e := range p.Errors {
			got = append(got, e.Path+" "+e.Code)
		}
		if strings.Join(got, ",") != entries {
			t.Errorf("%s: the entries are %v, want %s", path, got, entries)
		}
	}
	for _, path := range []string{"/0.png", "/2.png", "/-1.png", "/99999999999999999999.png", "/0/words", "/2/words"} {
		c.Get(pages+path).Fails(404, 4003)
	}
	other := shared.NewClient(t)
	for _, path := range []string{"", "/1.png", "/1/words"} {
		c.Get(pages+path+"?version_number=2").Fails(404, 4002)
		other.Get(pages+path).Fails(404, 4001)
		c.Get("/documents/doc_unknown/pages"+path).Fails(404, 4001)
	}
	for name, content := range map[string][]byte{"locked.pdf": lockedPDF("secret"), "a.exe": noise(1000), "empty.docx": nil} {
		var d document
		if content == nil {
			d = create(t, c, with("files", []object{{"name": name, "type": docxType}}))
		} else {
			d = upload(t, c, name, content)
		}
		converted := c.Post("/documents/"+d.ID+"/convert", nil).Fails(400, 3001)
		for _, path := range []string{"", "/1.png", "/1/words"} {
			if p := c.Get("/documents/"+d.ID+"/pages"+path).Fails(400, 3001); p.Detail != converted.Detail {
				t.Errorf("%s%s: got %q, want %q as for convert", name, path, p.Detail, converted.Detail)
			}
		}
	}
}

// TestPageOfMany shows page 1,000 of 2,000.
func TestPageOfMany(t *testing.T) {
	c := shared.NewClient(t)
	contents := make([]string, 2001)
	for i := range contents {
		contents[i] = fmt.Sprintf("BT /F 12 Tf 72 720 Td (This is page %d.) Tj ET", i+1)
	}
	d := upload(t, c, "a.pdf", pdfOf("", contents[:2000]...))
	var list pageList
	if c.Get("/documents/" + d.ID + "/pages?size=500&page=4").OK(&list); list.Total != 2000 || list.Pages != 4 || list.Items[499].Number != 2000 {
		t.Errorf("%d pages in %d", list.Total, list.Pages)
	}
	picture(t, c.Get("/documents/"+d.ID+"/pages/1000.png"))
	var words pageWords
	if c.Get("/documents/" + d.ID + "/pages/1000/words").OK(&words); strings.TrimSpace(words.Text) != "This is page 1000." {
		t.Errorf("page 1000 says %q", words.Text)
	}
	more := upload(t, c, "a.pdf", pdfOf("", contents...))
	if p := c.Get("/documents/"+more.ID+"/pages").Fails(400, 3001); !strings.Contains(p.Detail, "more than 2000 pages") {
		t.Errorf("the detail is %q", p.Detail)
	}
}

// TestHostilePages shows pages of unusual and damaged files. Each is shown or refused, and
// the next request is answered.
func TestHostilePages(t *testing.T) {
	c := shared.NewClient(t)
	files := hostilePDFs()
	whole := pdfOf("", textPage(1), textPage(2))
	damage(files, "whole.pdf", whole, 3)
	huge := bytes.Replace(whole, []byte("[0 0 612 792]"), []byte("[0 0 9 99999]"), 1)
	files["a very high page.pdf"], files["a page without a size.pdf"] = huge, bytes.Replace(whole, []byte("[0 0 612 792]"), []byte("[0 0 0 0]    "), 1)
	shown := 0
	for name, content := range files {
		d := upload(t, c, name, content)
		for _, path := range []string{"/pages", "/pages/1.png?width=4000", "/pages/1/words"} {
			a := c.Get("/documents/" + d.ID + path)
			if a.Status == http.StatusOK {
				shown++
				continue
			}
			if p := a.Fails(400, 3001); p.Detail == "" || p.Errors != nil {
				t.Errorf("%s%s: %+v", name, path, p)
			}
		}
	}
	if shown < len(files) {
		t.Errorf("only %d of %d views were shown", shown, 3*len(files))
	}
	d := upload(t, c, "a.pdf", onePagePDF())
	picture(t, c.Get("/documents/"+d.ID+"/pages/1.png"))
}

// TestPageTogether has clients ask for the same new image at once.
func TestPageTogether(t *testing.T) {
	c := shared.NewClient(t)
	d := upload(t, c, "a.txt", []byte("Some text for everybody."))
	answers := make([]*harness.Answer, 20)
	var clients sync.WaitGroup
	for i := range answers {
		clients.Go(func() { answers[i] = c.Get("/documents/" + d.ID + "/pages/1.png") })
	}
	clients.Wait()
	for i, a := range answers {
		if a == nil || a.Status != http.StatusOK || !bytes.Equal(a.Body, answers[0].Body) {
			t.Errorf("client %d got another image: %+v", i, a.Status)
		}
	}
}
