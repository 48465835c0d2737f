package e2e

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"html/template"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/rectohq/recto/tests/harness"
)

//go:embed testdata/picture.html
var pictureHTML string

// mark is a place on the page, with the card beside the page that names it.
type mark struct {
	Kind, Name, Value string
	Box               placeBox
	// Left says that the card is left of the page. Y is its top, in pixels from the top
	// of the page.
	Left bool
	Y    float64

	quote string
}

// Sizes in the picture, in pixels: of the page, of a card, and of the gap between both.
const (
	pageWidth, pageHeight = 720.0, 715.0
	paperHeight           = pageWidth * 11 / 8.5 // the sample contract is on US Letter
	cardWidth, cardHeight = 236.0, 50.0
	cardGap, pageGap      = 10.0, 34.0
)

// TestPicture fills the sample contract, reads it, and finds each value where
// pdftotext sees it on the page. With -update it draws docs/contract.png from that.
func TestPicture(t *testing.T) {
	harness.StandaloneOnly(t)
	c := shared.NewClient(t)
	pdf, page, marks := filledContract(t, c)
	view, ok := lookAt(t, pdf)
	if !ok {
		t.Fatal("pdftotext cannot read the filled contract")
	}
	for _, m := range marks {
		letters := lettersOf(m.quote)
		places := view.pages[m.Box.Page-1].places(letters)
		if letters == "" || !slices.ContainsFunc(places, func(words []seenWord) bool {
			return !slices.ContainsFunc(words, func(w seenWord) bool { return !m.Box.holds(w) })
		}) {
			t.Errorf("%s %s: the box %+v does not hold %q", m.Kind, m.Name, m.Box, m.quote)
		}
	}
	if *update {
		drawPicture(t, page, marks)
	}
}

// filledContract returns the sample contract, filled, as PDF, the image of its page, and
// the marks of what Recto filled and read.
func filledContract(t *testing.T, c *harness.Client) (pdf, page []byte, marks []mark) {
	t.Helper()
	value := func(v any) object { return object{"value": v} }
	blank := upload(t, c, "contract.docx", testdata(t, "contract.docx"))
	var filled struct {
		URL string `json:"download_url"`
	}
	c.Post("/documents/"+blank.ID+"/annotate", object{"field_values": object{
		"agreementinput-company": value("Lindqvist & Söhne AB"), "agreementinput-client-name": value("Zoë Ünal"),
		"agreementinput-start-date": value("2026-03-01"), "agreementinput-services": value([]string{"Advice", "Training"}),
		"agreementinput-fee": value("120.50"), "agreementinput-payment-term": value("within 30 days"),
		"agreementinput-invoice-email": value("zoe@example.com"),
		"agreementinput-signature":     value("data:image/png;base64," + base64.StdEncoding.EncodeToString(testdata(t, "signature.png"))),
	}}).OK(&filled)
	d := upload(t, c, "filled.docx", c.Raw(http.MethodGet, filled.URL, nil, nil).Body)
	c.Post("/documents/"+d.ID+"/convert", nil).OK(&filled)
	pdf = c.Raw(http.MethodGet, filled.URL, nil, nil).Body
	page = c.Get("/documents/" + d.ID + "/pages/1.png?width=1700").OK(nil).Body

	type item struct {
		placedItem
		Title  string
		Label  string  `json:"field_label"`
		Value  string  `json:"field_value"`
		Clause string  `json:"clause_type"`
		Says   string  `json:"clause_description"`
		Amount float64 `json:"contract_value"`
		Money  string  `json:"currency"`
		Date   string  `json:"date_value"`
		Term   string  `json:"term_value"`
	}
	var answer map[string]json.RawMessage
	asked := []object{insight("document_title"), insight("document_fields"), insight("document_dates"), insight("contract_values"), insight("renewal_term_length"), insight("document_clauses")}
	c.Post("/insights", object{"document_id": d.ID, "insights": asked}).OK(&answer)
	items := func(name string) (found []item) {
		if err := json.Unmarshal(answer[name], &found); err != nil || len(found) == 0 {
			t.Fatalf("%s: %v in %s", name, err, answer[name])
		}
		return found
	}
	add := func(kind, name, value string, i item) {
		if i.BoundingBox == nil {
			t.Fatalf("%s %s has no box", kind, name)
		}
		marks = append(marks, mark{Kind: kind, Name: name, Value: value, Box: *i.BoundingBox, Left: kind == "field", quote: i.Quote})
	}
	for _, i := range items("document_fields") {
		if i.Quote != "" && i.FieldType != "CHECKTEXTINPUT" { // the quote of a checkbox ends early
			add("field", strings.TrimPrefix(i.FieldID, "agreementinput-"), i.Value, i)
		}
	}
	first := func(name string) item { return items(name)[0] }
	add("insight", "document_title", first("document_title").Title, first("document_title"))
	add("insight", "document_dates", first("document_dates").Date+", effective", first("document_dates"))
	amount := first("contract_values")
	add("insight", "contract_values", amount.Quote, amount)
	add("insight", "renewal_term_length", first("renewal_term_length").Term, first("renewal_term_length"))
	for _, i := range items("document_clauses") {
		if i.Clause == "Governing Law" {
			add("insight", "document_clauses", i.Says, i)
		}
	}
	return pdf, page, marks
}

// place gives each card its height: beside its box, and below the card before it.
func place(marks []mark) {
	below := map[bool]float64{true: 0, false: 0}
	for i := range marks {
		m := &marks[i]
		middle := (m.Box.Top + m.Box.Height/2) * paperHeight
		m.Y = math.Max(below[m.Left], middle-cardHeight/2)
		below[m.Left] = m.Y + cardHeight + cardGap
	}
}

// drawPicture writes docs/contract.png: the image of the page with the cards beside it.
func drawPicture(t *testing.T, png []byte, marks []mark) {
	t.Helper()
	// In this order the lines from cards to boxes do not cross.
	slices.SortStableFunc(marks, func(a, b mark) int {
		band := func(m mark) float64 { return math.Floor(m.Box.Top / 0.06) }
		return cmp.Or(cmp.Compare(band(a), band(b)), cmp.Compare(a.Box.Left, b.Box.Left))
	})
	place(marks)
	dir := t.TempDir()
	functions := template.FuncMap{
		"mul": func(a, b float64) float64 { return a * b }, "add": func(a, b float64) float64 { return a + b },
		"half": func(a float64) float64 { return a / 2 },
	}
	var text bytes.Buffer
	err := template.Must(template.New("").Funcs(functions).Parse(pictureHTML)).Execute(&text, map[string]any{
		"Page": template.URL("data:image/png;base64," + base64.StdEncoding.EncodeToString(png)), "Marks": marks, //nolint:gosec // Recto rendered it
		"Width": pageWidth, "Height": pageHeight, "Paper": paperHeight, "CardWidth": cardWidth, "CardHeight": cardHeight, "Gap": pageGap,
		"PageLeft": cardWidth + pageGap, "PageRight": cardWidth + pageGap + pageWidth, "RightCards": cardWidth + 2*pageGap + pageWidth, "Total": 2*cardWidth + 2*pageGap + pageWidth,
	})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "picture.html")
	if err := os.WriteFile(file, text.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	width := int64(2*cardWidth + 2*pageGap + pageWidth + 48)
	b := newBrowser(t, width)
	b.do("set the window", chromedp.EmulateViewport(width, int64(pageHeight+48), chromedp.EmulateScale(1.5)))
	b.open("file://" + file)
	picture, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(harness.Root(), "docs", "contract.png"), picture, 0o644); err != nil { //nolint:gosec // it is public
		t.Fatal(err)
	}
}
