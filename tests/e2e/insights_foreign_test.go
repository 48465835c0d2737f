package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/testkit/corpus"
	"github.com/rectohq/recto/tests/harness"
)

// everyInsight returns a request for everything that can be requested, and two questions.
func everyInsight() []object {
	var all []object
	for _, name := range []string{
		"document_title", "document_type", "document_ids", "document_parties", "document_signers", "document_fields", "document_fields_pages",
		"document_clauses", "contract_values", "document_dates", "limit_of_liability", "renewal_term_length", "payments", "organization_matching_documents",
	} {
		all = append(all, object{"type": name})
	}
	return append(all, object{"type": "custom_prompt", "message": "Which law governs this agreement?"},
		object{"type": "custom_prompt", "message": "How can the agreement be terminated?"})
}

// placedItem holds the members that items of insights have in common.
type placedItem struct {
	Message     string
	Value       *string
	Quote       string
	PageNumber  *int                       `json:"page_number"`
	BoundingBox *placeBox                  `json:"bounding_box"`
	XMLPath     string                     `json:"xml_path"`
	FieldID     string                     `json:"field_id"`
	FieldType   string                     `json:"field_type"`
	Positions   []struct{ Start, End int } `json:"insertion_positions"`
	Confidence  *float64                   `json:"confidence_score"`
}

type placeBox struct {
	Page                     int
	Left, Top, Width, Height float64
}

func (b placeBox) inRange() bool {
	const past = 1e-9 // the rounding error of a sum
	return b.Page > 0 && b.Left >= 0 && b.Top >= 0 && b.Width >= 0 && b.Height >= 0 && b.Left+b.Width <= 1+past && b.Top+b.Height <= 1+past
}

// holds reports whether the middle of a word is in the box. Slack allows for different
// font metrics of two PDF readers.
func (b placeBox) holds(w seenWord) bool {
	const slack = 0.004
	x, y := (w.left+w.right)/2, (w.top+w.bottom)/2
	return b.Left-slack <= x && x <= b.Left+b.Width+slack && b.Top-slack <= y && y <= b.Top+b.Height+slack
}

// fits reports whether no side of the box is far outside the words.
func (b placeBox) fits(words []seenWord) bool {
	const slack = 0.03
	left, top, right, bottom := 1.0, 1.0, 0.0, 0.0
	for _, w := range words {
		left, top, right, bottom = min(left, w.left), min(top, w.top), max(right, w.right), max(bottom, w.bottom)
	}
	return b.Left > left-slack && b.Top > top-slack && b.Left+b.Width < right+slack && b.Top+b.Height < bottom+slack
}

// squeeze returns a text without white space, with ligatures, quotation marks and hyphens
// normalized.
func squeeze(text string) string {
	return strings.Join(strings.Fields(alike.Replace(text)), "")
}

var alike = strings.NewReplacer("ﬁ", "fi", "ﬂ", "fl", "ﬀ", "ff", "ﬃ", "ffi", "ﬄ", "ffl", "“", "\"", "”", "\"", "’", "'", "‘", "'", "\u00ad", "", "\u2011", "-", "\u00a0", " ", "\u200b", "")

// placedItems returns the items of each key of a response, and its signed_url.
func placedItems(t *testing.T, answer []byte) (items map[string][]placedItem, signedURL string) {
	t.Helper()
	items = map[string][]placedItem{}
	for key, value := range decode[map[string]json.RawMessage](t, string(answer)) {
		switch key {
		case "document_ids", "document_fields_pages", "organization_matching_documents":
		case "signed_url":
			signedURL = decode[string](t, string(value))
		default:
			// An unanswered question is not grounded.
			items[key] = slices.DeleteFunc(decode[[]placedItem](t, string(value)), func(i placedItem) bool { return i.Message != "" && i.Value == nil })
		}
	}
	return items, signedURL
}

// shares counts, for each named statement, for how many items it is true.
type shares struct {
	names      []string
	right, all map[string]int
	complaints map[string][]string
}

func newShares() *shares {
	return &shares{right: map[string]int{}, all: map[string]int{}, complaints: map[string][]string{}}
}

func (s *shares) count(name string, right bool, format string, args ...any) {
	if !slices.Contains(s.names, name) {
		s.names = append(s.names, name)
	}
	s.all[name]++
	if right {
		s.right[name]++
		return
	}
	s.complaints[name] = append(s.complaints[name], fmt.Sprintf(format, args...))
}

// report prints the shares, and fails t for each that is below its floor.
func (s *shares) report(t *testing.T, floors map[string]float64) {
	t.Helper()
	for _, name := range s.names {
		t.Logf("%-45s %6d of %6d, %.2f %%", name, s.right[name], s.all[name], 100*s.share(name))
		for _, complaint := range s.complaints[name] {
			t.Logf("    %s", complaint)
		}
	}
	for _, fault := range s.faults(floors) {
		t.Error(fault)
	}
}

func (s *shares) share(name string) float64 { return float64(s.right[name]) / float64(s.all[name]) }

// faults describes the shares below their floors. A statement without a floor must always
// be true. A statement that was never counted is a fault as well.
func (s *shares) faults(floors map[string]float64) (faults []string) {
	if len(s.names) == 0 {
		faults = append(faults, "nothing was counted")
	}
	for _, name := range s.names {
		floor, some := floors[name]
		if !some {
			floor = 1
		}
		if share := s.share(name); share < floor {
			faults = append(faults, fmt.Sprintf("%s: true for %.2f %%, want %.2f %%", name, 100*share, 100*floor))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(floors)) {
		if s.all[name] == 0 {
			faults = append(faults, fmt.Sprintf("%s: never counted", name))
		}
	}
	return faults
}

// foreign returns the benchmark documents that match a pattern.
func foreign(t *testing.T, pattern string) []string {
	t.Helper()
	dir, ok := corpus.Path(filepath.Dir(pattern))
	if !ok {
		t.Skipf("NOT TESTED: the documents of %s are missing; set RECTO_TEST_DATA to their folder", filepath.Dir(pattern))
	}
	files, err := filepath.Glob(filepath.Join(dir, filepath.Base(pattern)))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: %v, %v", pattern, files, err)
	}
	return harness.Sample(t, files)
}

func readForeign(t *testing.T, file string) []byte {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// TestInsightsOfTextAreGrounded checks every item for texts against the text.
func TestInsightsOfTextAreGrounded(t *testing.T) {
	c := shared.NewClient(t)
	s := newShares()
	for _, file := range foreign(t, "contracts/txt/*.txt") {
		text := strings.ToValidUTF8(string(readForeign(t, file)), "\ufffd")
		characters := []rune(text)
		items, _ := placedItems(t, c.Post("/insights", object{"doc_text": text, "insights": everyInsight()}).OK(nil).Body)
		for key, list := range items {
			for _, item := range list {
				what := fmt.Sprintf("%s %s %.60q", filepath.Base(file), key, item.Quote)
				s.count("the quote is in the text", item.Quote != "" && strings.Contains(text, item.Quote), "%s", what)
				s.count("plain text is page 1 without box and XML path", item.PageNumber != nil && *item.PageNumber == 1 && item.BoundingBox == nil && item.XMLPath == "", "%s: %+v", what, item)
				for _, p := range item.Positions {
					s.count("the positions contain the quote", p.Start >= 0 && p.Start < p.End && p.End <= len(characters) && string(characters[p.Start:p.End]) == item.Quote, "%s at %+v", what, p)
				}
			}
		}
	}
	s.report(t, nil)
}

// TestInsightsOfPDFAreGrounded checks every item for PDFs against what pdftotext reads.
func TestInsightsOfPDFAreGrounded(t *testing.T) {
	c := shared.NewClient(t)
	s := newShares()
	for _, file := range foreign(t, "contracts/pdf/*.pdf") {
		checkGrounded(t, c, s, file)
	}
	s.report(t, groundedFloors())
}

// TestInsightsOfDOCXAreGrounded checks every item for Word documents against their PDF,
// including documents that broke other programs. It also follows every XML path and sends
// the ids of all fields to annotate.
func TestInsightsOfDOCXAreGrounded(t *testing.T) {
	c := shared.NewClient(t)
	s := newShares()
	for _, file := range append(foreign(t, "docx-templates/*.docx"), foreign(t, "office/*.do[ct][xm]")...) {
		checkGrounded(t, c, s, file)
	}
	s.report(t, groundedFloors())
}

// groundedFloors returns the floors of statements that are not always true, because two
// PDF readers can read a page differently.
func groundedFloors() map[string]float64 {
	return map[string]float64{
		"the quote is in the text": 0.99, "the quote begins on its page": 0.99, "the page of a long quote is right": 0.99, "the box contains the words": 0.99,
		"each character of the quote is in the text": 0.97, "the box is no larger than the words": 0.97,
	}
}

// checkGrounded counts which statements are true for the items of a file. A file that
// Recto refuses has no items.
func checkGrounded(t *testing.T, c *harness.Client, s *shares, file string) {
	t.Helper()
	content := readForeign(t, file)
	name := filepath.Base(file)
	d := upload(t, c, "a"+filepath.Ext(file), content)
	a := patiently(t, c, name, object{"document_id": d.ID, "insights": everyInsight()})
	if a.Status == 400 {
		p := a.Fails(400, 3001)
		t.Logf("%s: %s", name, p.Detail)
		s.count("a refusal explains the reason", p.Errors == nil && len(p.Detail) > 20, "%s: %+v", name, p)
		return
	}
	items, signedURL := placedItems(t, a.OK(nil).Body)
	view, ok := lookAt(t, download(t, c, signedURL))
	if !ok {
		t.Logf("%s: pdftotext cannot read the PDF", name)
		return
	}
	var xml map[string]string
	if filepath.Ext(file) != ".pdf" {
		xml = parts(t, content)
		checkAccepted(c, s, name, d, items["document_fields"])
	}
	whole := view.all()
	for key, list := range items {
		for _, item := range list {
			what := fmt.Sprintf("%s %s %.60q", name, key, item.Quote)
			s.count("the confidence is from 0 to 1", item.Confidence != nil && *item.Confidence >= 0 && *item.Confidence <= 1, "%s", what)
			checkSeen(s, what, item, view, whole)
			if xml != nil {
				checkPath(s, what, item, xml)
			}
		}
	}
}

// patiently requests insights and retries while the response is 504: on a busy machine a
// large document takes longer than a request may.
func patiently(t *testing.T, c *harness.Client, name string, body object) *harness.Answer {
	t.Helper()
	a := c.Post("/insights", body)
	for tries := 0; a.Status == 504 && tries < 5; tries++ {
		t.Logf("%s takes longer than a request may: %s", name, a.Body)
		a = c.Post("/insights", body)
	}
	return a
}

// checkSeen counts which statements are true for an item on the pages.
func checkSeen(s *shares, what string, item placedItem, view seen, whole string) {
	if item.PageNumber != nil {
		s.count("the page exists", *item.PageNumber >= 1 && *item.PageNumber <= len(view.pages), "%s: page %d of %d", what, *item.PageNumber, len(view.pages))
	}
	if b := item.BoundingBox; b != nil {
		s.count("the box is on the page", b.inRange() && item.PageNumber != nil && *item.PageNumber == b.Page, "%s: %+v", what, *b)
	}
	letters := lettersOf(item.Quote)
	if squeezed := squeeze(item.Quote); squeezed != "" {
		s.count("each character of the quote is in the text", strings.Contains(view.squeezed, squeezed) || strings.Contains(view.loosely, squeezed), "%s", what)
	}
	if letters == "" || item.PageNumber == nil || *item.PageNumber > len(view.pages) {
		if item.FieldID == "" {
			s.count("the quote has letters and a page", false, "%s", what)
		}
		return
	}
	start := letters[:min(len(letters), 30)]
	on := view.beginnings(letters)
	if len(on) == 0 {
		on = view.pagesWith(start)
	}
	s.count("the quote is in the text", len(view.pagesWith(letters)) > 0 || strings.Contains(whole, letters) || len(on) > 0 && len(letters) > 60, "%s, page %d", what, *item.PageNumber)
	if len(on) == 0 {
		return
	}
	s.count("the quote begins on its page", slices.Contains(on, *item.PageNumber), "%s is on %v, not on %d", what, on, *item.PageNumber)
	if long := letters[:min(len(letters), 60)]; len(item.Quote) >= 60 {
		if on := view.pagesWith(long); len(on) == 1 {
			s.count("the page of a long quote is right", on[0] == *item.PageNumber, "%s is on %v, not on %d", what, on, *item.PageNumber)
		}
	}
	checkBox(s, what, item, view.pages[*item.PageNumber-1], letters)
}

// checkBox counts whether the box contains the words of the quote that pdftotext sees on
// the page, at one of the places where they occur.
func checkBox(s *shares, what string, item placedItem, page seenPage, letters string) {
	shown := page.longestStart(letters)
	if len(shown) < min(len(letters), 15) {
		return // pdftotext reads the page in another order
	}
	places := page.places(shown)
	if item.BoundingBox == nil {
		s.count("a quote on a page has a box", false, "%s", what)
		return
	}
	best, outside := -1, seenWord{}
	for _, words := range places {
		held := 0
		for _, w := range words {
			if item.BoundingBox.holds(w) {
				held++
			} else {
				outside = w
			}
		}
		if missing := len(words) - held; best < 0 || missing < best {
			best = missing
		}
	}
	if shown == letters {
		s.count("the box is no larger than the words", slices.ContainsFunc(places, item.BoundingBox.fits), "%s: %+v, the words %+v", what, *item.BoundingBox, places[0])
	}
	s.count("the box contains the words", best == 0, "%s: %d words, such as %+v, are not in %+v", what, best, outside, *item.BoundingBox)
}

// checkPath counts whether the XML path leads to an element in which the quote begins.
func checkPath(s *shares, what string, item placedItem, xml map[string]string) {
	text, err := textAt(xml, item.XMLPath)
	s.count("the path leads to an element", err == nil, "%s: %v", what, err)
	if err != nil || item.Quote == "" {
		return
	}
	have, want := squeeze(text), squeeze(item.Quote)
	s.count("the quote begins in the element", beginsIn(have, want), "%s: %s contains %.80q", what, item.XMLPath, text)
}

// beginsIn reports whether quote is in text, or text ends with the beginning of quote.
func beginsIn(text, quote string) bool {
	if strings.Contains(text, quote) {
		return true
	}
	for at := range text {
		if strings.HasPrefix(quote, text[at:]) {
			return true
		}
	}
	return false
}
