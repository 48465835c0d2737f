package evaluation

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/libs/testkit/corpus"
)

// goldFolder is the folder of the labels. It is made absolute before the object server
// changes the working directory.
var goldFolder, _ = filepath.Abs("../../../../tests/bench/gold")

// TestLabels checks the labels of all sets and, where the contracts are present, that they
// belong to these texts.
func TestLabels(t *testing.T) {
	seen := map[string]bool{}
	for _, set := range Sets {
		all, err := ReadLabels(goldFolder, set)
		if err != nil || len(all) == 0 {
			t.Fatalf("%s: %d contracts are labelled, error %v", set, len(all), err)
		}
		for _, l := range all {
			if seen[l.File] {
				t.Errorf("%s is labelled twice", l.File)
			}
			seen[l.File] = true
			t.Run(set+"/"+l.File, func(t *testing.T) { checkText(t, l) })
		}
	}
}

// checkText checks labels against their text.
func checkText(t *testing.T, l Labels) {
	data, err := os.ReadFile(filepath.Join(corpus.Folder(t, "contracts", "txt"), l.File))
	if err != nil {
		t.Fatal(err)
	}
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != l.SHA256 {
		t.Fatal("the text is not the one that was labelled")
	}
	text := newText(&layout.Document{Text: string(data)})
	within := func(r Range) string {
		spans := text.labelled(r)
		if len(spans) == 0 {
			t.Errorf("the text has no range %v", r)
			return ""
		}
		return text.Quote(spans[0])
	}
	for _, s := range l.Signers {
		if got := within(s.Span); !SameName(got, s.Name) {
			t.Errorf("the signer %q is labelled where the text has %q", s.Name, got)
		}
	}
	for _, p := range l.Parties {
		if got := within(p.Span); !SameName(got, p.Name) {
			t.Errorf("the party %q is labelled where the text has %q", p.Name, got)
		}
	}
	for _, v := range l.Values {
		within(v.Span)
	}
	for _, p := range l.Payments {
		within(p.Span)
	}
	for _, c := range l.Clauses {
		within(c.Span)
	}
}

func TestParseLabels(t *testing.T) {
	const file = `"file": "a.txt", "sha256": "0000000000000000000000000000000000000000000000000000000000000000"`
	all, err := parseLabels[Labels](strings.NewReader(`{` + file + `, "clauses": [{"kind": "Term", "span": [1, 3]}, {"kind": "Waiver", "span": [1, 4]}],
		"parties": [{"name": "A", "reference": null, "kind": "person", "span": [0, 1]}]}
		{` + file + `}`))
	if err != nil || len(all) != 2 || len(all[0].Clauses) != 2 || all[0].Parties[0].Reference != nil {
		t.Fatalf("got %+v, %v", all, err)
	}
	for text, want := range map[string]string{
		`{"file": "a.txt"}`:                                                          "no digest",
		`{` + file + `, "more": 1}`:                                                  "more",
		`{` + file + `, "clauses": [{"kind": "Term"`:                                 "EOF",
		`{` + file + `, "signers": [{"span": [0, 1]}]}`:                              "signers[0] has a value",
		`{` + file + `, "parties": [{"name": "A", "kind": "ship", "span": [0, 1]}]}`: "parties[0] has a value",
		`{` + file + `, "contract_values": [{"amount": 1, "currency": "USD", "type": "tip", "span": [0, 1]}]}`: "contract_values[0] has a value",
		`{` + file + `, "payments": [{"amount": 1, "percentage": 2, "span": [0, 1]}]}`:                         "payments[0] has a value",
		`{` + file + `, "clauses": [{"kind": "Weather", "span": [0, 1]}]}`:                                     "clauses[0] has a value",
		`{` + file + `, "clauses": [{"kind": "Term", "span": [1, 1]}]}`:                                        "empty",
		`{` + file + `, "clauses": [{"kind": "Term", "span": [5, 6]}, {"kind": "Term", "span": [2, 9]}]}`:      "clauses[1] is not in the order",
	} {
		if _, err := parseLabels[Labels](strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want an error with %q", text, err, want)
		}
	}
	if _, err := ReadLabels(t.TempDir(), "tune"); !os.IsNotExist(err) {
		t.Errorf("got %v, want that there is no file", err)
	}
}
