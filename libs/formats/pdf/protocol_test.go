package pdf

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
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

// goodPage returns a page with a word and a field.
func goodPage() *pageMessage {
	return &pageMessage{
		Width: 612, Height: 792, Text: "A word\n", Words: []wordMessage{{0, 1, 0, 0, 10, 10}, {2, 6, 20, 0, 60, 10}},
		Fields: []fieldMessage{{Field: Field{Name: "f", Type: Text, Value: "v"}, Place: [4]int{0, 0, unit, unit}}},
		Rules:  []ruleMessage{{0, 0, unit, 5, 1}},
	}
}

func TestReceive(t *testing.T) {
	b := answerOf(t, message{Page: goodPage()}, message{Page: goodPage()}, message{End: &endMessage{Title: "T", Created: "D:2024"}})
	f, err := receive(bytes.NewReader(b), 2)
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
	if len(f.Fields) != 2 || f.Fields[1].Page != 2 || f.Fields[1].Box.Right != 1 || f.Title != "T" || f.Created.Year() != 2024 {
		t.Errorf("got %+v", f)
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
		if _, err := receive(bytes.NewReader(answerOf(t, message{Page: p}, message{End: &endMessage{}})), 2); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	page, end := message{Page: goodPage()}, message{End: &endMessage{}}
	for name, b := range map[string][]byte{
		"empty":              nil,
		"no end":             answerOf(t, page),
		"no page":            answerOf(t, end),
		"too many pages":     answerOf(t, page, page, page, end),
		"an empty message":   answerOf(t, message{}, end),
		"a long title":       answerOf(t, page, message{End: &endMessage{Title: strings.Repeat("x", maxString+1)}}),
		"a long reference":   answerOf(t, page, message{End: &endMessage{HBREF: strings.Repeat("x", maxString+1)}}),
		"a message cut off":  answerOf(t, page)[:20],
		"a message too long": binary.BigEndian.AppendUint32(nil, maxMessage+1),
		"not an object":      append(binary.BigEndian.AppendUint32(nil, 4), "null,"...),
	} {
		if _, err := receive(bytes.NewReader(b), 2); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	var refused errRefused
	if _, err := receive(bytes.NewReader(answerOf(t, message{Refused: noText})), 2); !errors.As(err, &refused) || refusal(refused) != noText {
		t.Errorf("got refusal %v", err)
	}
}

// TestFormViolations checks that answers whose fields and rules violate the protocol are
// refused.
func TestFormViolations(t *testing.T) {
	page, end := message{Page: goodPage()}, message{End: &endMessage{}}
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
		if _, err := receive(bytes.NewReader(answerOf(t, message{Page: p}, end)), 2); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	full := goodPage()
	full.Rules = slices.Repeat(full.Rules, maxPageRules)
	many := slices.Repeat([]message{{Page: full}}, maxRules/maxPageRules)
	if _, err := receive(bytes.NewReader(answerOf(t, append(many, end)...)), 99); err != nil {
		t.Errorf("the most rules: %v", err)
	}
	if _, err := receive(bytes.NewReader(answerOf(t, append(many, page, end)...)), 99); err == nil {
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

// FuzzReceive checks that any answer is either refused or meets the guarantees of File.
func FuzzReceive(f *testing.F) {
	good := answerOf(f, message{Page: goodPage()}, message{End: &endMessage{Title: "T"}})
	f.Add(good)
	f.Add(good[:len(good)-4])
	f.Add(answerOf(f, message{Refused: encrypted}))
	f.Fuzz(func(t *testing.T, b []byte) {
		file, err := receive(bytes.NewReader(b), 3)
		if err != nil {
			return
		}
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
	})
}
