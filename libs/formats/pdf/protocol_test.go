package pdf

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/libs/formats/pdf/form"
)

// answerOf returns the bytes that a process sends for the messages.
func answerOf(t testing.TB, messages ...message) []byte {
	t.Helper()
	var b bytes.Buffer
	s := sender{w: &b}
	for _, m := range messages {
		if err := s.send(m); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

// fileOf returns the bytes that a process sends for a file with the pages.
func fileOf(t testing.TB, pages ...*pageMessage) []byte {
	t.Helper()
	all := []message{begin(len(pages))}
	for _, p := range pages {
		all = append(all, message{Page: p})
	}
	return answerOf(t, append(all, message{End: &endMessage{}})...)
}

// begin returns the begin message of a file with the number of pages.
func begin(pages int) message { return message{Begin: &beginMessage{Pages: pages}} }

// goodPage returns a page with a word and a field.
func goodPage() *pageMessage {
	return &pageMessage{
		Width: 612, Height: 792, Text: "A word\n", Words: []wordMessage{{0, 1, 0, 0, 10, 10}, {2, 6, 20, 0, 60, 10}},
		Fields: []fieldMessage{{Field: Field{Name: "f", Type: Text, Value: "v"}, Place: [4]int{0, 0, unit, unit}}},
		Rules:  []ruleMessage{{0, 0, unit, 5, 1}},
	}
}

func TestReceive(t *testing.T) {
	b := answerOf(t, message{Begin: &beginMessage{Pages: 2, Title: "T", Created: "D:2024", HBREF: "H"}}, message{Page: goodPage()}, message{Page: goodPage()}, message{End: &endMessage{Signed: true}})
	f, err := receive(bytes.NewReader(b), 2, opening{})
	if err != nil {
		t.Fatal(err)
	}
	last := f.Words[len(f.Words)-1]
	if f.Text != "A word\nA word\n" || f.Quote(last.Span) != "word" || last.Page != 2 || last.Box.Right != 0.00006 {
		t.Errorf("got %+v", f)
	}
	if len(f.Rules) != 2 || f.Rules[1] != (Rule{Page: 2, Box: layout.Box{Right: 1, Bottom: 0.000005}, Filled: true}) {
		t.Errorf("the rules are %+v", f.Rules)
	}
	if len(f.Fields) != 2 || f.Fields[1].Page != 2 || f.Fields[1].Box.Right != 1 || f.Title != "T" || f.Created.Year() != 2024 || f.HBREF != "H" || !f.Signed {
		t.Errorf("got %+v", f)
	}
}

// TestReceiveAhead checks that the first pages are handed over before the next page arrives,
// that they are the beginning of the file, and that later pages do not change them. A file
// without more pages is not handed over.
func TestReceiveAhead(t *testing.T) {
	for _, pages := range []int{1, 2, 3, 50} {
		all, rest := io.Pipe()
		opened := make(chan *File, 1)
		go func() {
			one := answerOf(t, message{Page: goodPage()})
			_, _ = rest.Write(answerOf(t, message{Begin: &beginMessage{Pages: pages, Title: "T"}}))
			for n := range pages {
				if n == 2 { // the third page is not sent before the first two are handed over
					f := <-opened
					opened <- f
				}
				_, _ = rest.Write(one)
			}
			_, _ = rest.Write(answerOf(t, message{End: &endMessage{}}))
		}()
		whole, err := receive(all, pages, opening{pages: 2, read: func(f *File) { opened <- f }})
		if err != nil || len(whole.Pages) != pages {
			t.Fatalf("%d pages: got %+v, %v", pages, whole, err)
		}
		if pages <= 2 {
			if len(opened) > 0 {
				t.Errorf("a file of %d pages was handed over early", pages)
			}
			continue
		}
		want := *whole
		want.Text, want.Pages, want.Words, want.Fields, want.Rules = whole.Text[:whole.Pages[1].End], whole.Pages[:2], whole.Words[:4], whole.Fields[:2], whole.Rules[:2]
		if first := <-opened; !reflect.DeepEqual(*first, want) {
			t.Errorf("%d pages: the first are %+v, want %+v", pages, *first, want)
		}
	}
}

// TestProtocolViolations checks that answers which violate the protocol are refused.
func TestProtocolViolations(t *testing.T) {
	for name, change := range map[string]func(*pageMessage){
		"a word without text":             func(p *pageMessage) { p.Words[1][1] = 2 },
		"a word that ends early":          func(p *pageMessage) { p.Words[1][1] = 1 },
		"a word beyond the text":          func(p *pageMessage) { p.Words[1][1] = 8 },
		"a word before the text":          func(p *pageMessage) { p.Words[0][0] = -1 },
		"words that overlap":              func(p *pageMessage) { p.Words[1] = p.Words[0] },
		"a word with white space":         func(p *pageMessage) { p.Words[0][1] = 2 },
		"half a character":                func(p *pageMessage) { p.Text = "\u00e9 word\n" },
		"a box outside the page":          func(p *pageMessage) { p.Words[0][4] = unit + 1 },
		"a box inside out":                func(p *pageMessage) { p.Words[0][2] = 11 },
		"a page without size":             func(p *pageMessage) { p.Width = 0 },
		"a page of absurd size":           func(p *pageMessage) { p.Height = 1e300 },
		"text without a final line break": func(p *pageMessage) { p.Text = "A word" },
		"too much text":                   func(p *pageMessage) { p.Text = strings.Repeat("A word\n", maxText/7+1) },
		"too many words":                  func(p *pageMessage) { p.Words = make([]wordMessage, maxWords+1) },
		"too many fields":                 func(p *pageMessage) { p.Fields = make([]fieldMessage, maxFields+1) },
		"a field of unknown type":         func(p *pageMessage) { p.Fields[0].Type = "x" },
		"a field without a place":         func(p *pageMessage) { p.Fields[0].Place = [4]int{} },
		"a field with a long name":        func(p *pageMessage) { p.Fields[0].Name = strings.Repeat("x", maxString+1) },
		"too many options":                func(p *pageMessage) { p.Fields[0].Options = make([]string, maxOptions+1) },
	} {
		p := goodPage()
		change(p)
		if _, err := receive(bytes.NewReader(fileOf(t, p)), 2, opening{}); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	page, end := message{Page: goodPage()}, message{End: &endMessage{}}
	for name, b := range map[string][]byte{
		"empty":              nil,
		"no begin":           answerOf(t, page, end),
		"two begins":         answerOf(t, begin(1), begin(1), page, end),
		"no end":             answerOf(t, begin(1), page),
		"no page":            answerOf(t, begin(1), end),
		"none announced":     answerOf(t, begin(0), end),
		"too many pages":     answerOf(t, begin(3), page, page, page, end),
		"more than it says":  answerOf(t, begin(1), page, page, end),
		"fewer than it says": answerOf(t, begin(2), page, end),
		"an empty message":   answerOf(t, begin(1), message{}, end),
		"a long title":       answerOf(t, message{Begin: &beginMessage{Pages: 1, Title: strings.Repeat("x", maxString+1)}}, page, end),
		"a long reference":   answerOf(t, message{Begin: &beginMessage{Pages: 1, HBREF: strings.Repeat("x", maxString+1)}}, page, end),
		"a message cut off":  answerOf(t, begin(1), page)[:50],
		"a message too long": binary.BigEndian.AppendUint32(nil, maxMessage+1),
		"not an object":      append(binary.BigEndian.AppendUint32(nil, 4), "null,"...),
	} {
		if _, err := receive(bytes.NewReader(b), 2, opening{}); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	for name, b := range map[string][]byte{
		"at once":    answerOf(t, message{Refused: noText}),
		"at the end": answerOf(t, begin(2), page, message{Refused: noText}),
	} {
		var refused errRefused
		if _, err := receive(bytes.NewReader(b), 2, opening{pages: 1, read: func(*File) {}}); !errors.As(err, &refused) || refusal(refused) != noText {
			t.Errorf("%s: got refusal %v", name, err)
		}
	}
}

// TestFormViolations checks that answers whose fields and rules violate the protocol are
// refused.
func TestFormViolations(t *testing.T) {
	for name, change := range map[string]func(*pageMessage){
		"a field of no annotation":    func(p *pageMessage) { p.Fields[0].Annotation = -1 },
		"details that are long":       func(p *pageMessage) { p.Fields[0].Details.Format = strings.Repeat("x", maxString+1) },
		"too many options in details": func(p *pageMessage) { p.Fields[0].Details.Options = make([]form.Option, maxOptions+1) },
		"an option in details is long": func(p *pageMessage) {
			p.Fields[0].Details.Options = []form.Option{{Export: strings.Repeat("x", maxString+1)}}
		},
		"a negative length":          func(p *pageMessage) { p.Fields[0].Details.MaxLength = -1 },
		"an odd rotation":            func(p *pageMessage) { p.Rotation = 45 },
		"a rule outside the page":    func(p *pageMessage) { p.Rules[0][2] = unit + 1 },
		"a rule that is half filled": func(p *pageMessage) { p.Rules[0][4] = 2 },
		"too many rules":             func(p *pageMessage) { p.Rules = slices.Repeat(p.Rules, maxPageRules+1) },
	} {
		p := goodPage()
		change(p)
		if _, err := receive(bytes.NewReader(fileOf(t, p)), 2, opening{}); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	full := goodPage()
	full.Rules = slices.Repeat(full.Rules, maxPageRules)
	many := slices.Repeat([]*pageMessage{full}, maxRules/maxPageRules)
	if _, err := receive(bytes.NewReader(fileOf(t, many...)), 99, opening{}); err != nil {
		t.Errorf("the most rules: %v", err)
	}
	if _, err := receive(bytes.NewReader(fileOf(t, append(many, goodPage())...)), 99, opening{}); err == nil {
		t.Error("too many rules in the file: accepted")
	}
}

// TestImpossiblePageCounts checks that impossible page counts are refused.
func TestImpossiblePageCounts(t *testing.T) {
	for name, m := range map[string]message{
		"none": {}, "negative": {Count: -1}, "too many": {Count: maxCount + 1}, "a page": {Page: &pageMessage{}},
	} {
		if n, err := receiveCount(bytes.NewReader(answerOf(t, m))); err == nil {
			t.Errorf("%s: %d pages", name, n)
		}
	}
	if n, err := receiveCount(bytes.NewReader(answerOf(t, message{Count: 3}))); n != 3 || err != nil {
		t.Errorf("got %d, %v; want 3", n, err)
	}
}

// TestSendTooMuch checks that pages beyond the limits of an answer are refused, and why.
func TestSendTooMuch(t *testing.T) {
	page := goodPage()
	page.Fields[0].Value = strings.Repeat("x", maxString)
	page.Fields = slices.Repeat(page.Fields, maxMessage/maxString/8)
	m := message{Page: page}
	s := sender{w: io.Discard}
	var err error
	for range maxAnswer / maxMessage * 8 {
		err = errors.Join(err, s.send(m))
	}
	var refused errRefused
	if !errors.As(err, &refused) || refusal(refused) != tooLong {
		t.Errorf("a too long answer: %v", err)
	}
	page.Fields = slices.Repeat(page.Fields, 9)
	if err := (&sender{w: io.Discard}).send(m); !errors.As(err, &refused) || refusal(refused) != tooLong {
		t.Errorf("a too long page: %v", err)
	}
	if err := s.send(message{Refused: tooLong}); err != nil {
		t.Errorf("the refusal: %v", err)
	}
}

// TestUnits checks that boxes are clipped to the page.
func TestUnits(t *testing.T) {
	for _, test := range []struct {
		box   layout.Box
		want  [4]int
		shown bool
	}{
		{layout.Box{Left: 0.25, Top: 0.5, Right: 0.5, Bottom: 1}, [4]int{unit / 4, unit / 2, unit / 2, unit}, true},
		{layout.Box{Left: -1e30, Top: -1e300, Right: 1e30, Bottom: 1e300}, [4]int{0, 0, unit, unit}, true},
		{layout.Box{Left: 1, Top: 0, Right: 1, Bottom: 0}, [4]int{unit - 1, 0, unit, 1}, true},
		{layout.Box{Left: 0.9, Top: 0, Right: 1.2, Bottom: 1}, [4]int{}, false},
		{layout.Box{Left: math.NaN(), Top: 0, Right: 1, Bottom: 1}, [4]int{}, false},
		{layout.Box{Left: math.Inf(-1), Top: 0, Right: math.Inf(1), Bottom: 1}, [4]int{}, false},
	} {
		if got, shown := units(test.box); got != test.want || shown != test.shown {
			t.Errorf("%+v: %v, %t", test.box, got, shown)
		}
	}
}

func TestCreated(t *testing.T) {
	for s, want := range map[string]string{
		"D:20240229134501+02'00'": "2024-02-29T11:45:01Z",
		"D:20240229134501-08'00":  "2024-02-29T21:45:01Z",
		"D:20240229134501+02":     "2024-02-29T11:45:01Z",
		"D:20240229134501Z00'00'": "2024-02-29T13:45:01Z",
		"D:20240229":              "2024-02-29T00:00:00Z",
		"2024":                    "2024-01-01T00:00:00Z",
		"":                        "0001-01-01T00:00:00Z",
		"D:20241399":              "0001-01-01T00:00:00Z",
		"yesterday":               "0001-01-01T00:00:00Z",
		"D:20240229134501+99'99'": "0001-01-01T00:00:00Z",
	} {
		if got := created(s).Format(time.RFC3339); got != want {
			t.Errorf("%q is %s, want %s", s, got, want)
		}
	}
}

// FuzzReceive checks that any answer is either refused or meets the guarantees of File, and
// that first pages which are handed over meet them too, whatever follows.
func FuzzReceive(f *testing.F) {
	good := fileOf(f, goodPage())
	f.Add(good)
	f.Add(fileOf(f, goodPage(), goodPage()))
	f.Add(good[:len(good)-4])
	f.Add(answerOf(f, message{Refused: encrypted}))
	f.Add(answerOf(f, begin(2), message{Page: goodPage()}, message{Refused: tooLong}))
	f.Fuzz(func(t *testing.T, b []byte) {
		var first []*File
		file, err := receive(bytes.NewReader(b), 3, opening{pages: 1, read: func(f *File) { first = append(first, f) }})
		for _, early := range first {
			guaranteed(t, early)
		}
		if len(first) > 1 {
			t.Fatalf("%d files were handed over", len(first))
		}
		if err != nil {
			return
		}
		guaranteed(t, file)
		if len(first) != min(len(file.Pages)-1, 1) || len(first) > 0 && !strings.HasPrefix(file.Text, first[0].Text) {
			t.Fatalf("of %d pages, %d files were handed over, or not the first page", len(file.Pages), len(first))
		}
	})
}

// guaranteed checks that a file meets the guarantees of File.
func guaranteed(t *testing.T, file *File) {
	t.Helper()
	end := 0
	for _, w := range file.Words {
		page := file.Pages[w.Page-1]
		if w.Start < end || !page.Contains(w.Span) || !isWord(file.Quote(w.Span)) {
			t.Fatalf("the word %+v of %+v", w, page)
		}
		end = w.End
	}
	if _, err := json.Marshal(file.Text); err != nil { // which requires UTF-8
		t.Fatal(err)
	}
}
