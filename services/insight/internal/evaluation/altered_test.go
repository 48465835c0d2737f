package evaluation_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/testkit/corpus"
	"github.com/rectohq/recto/services/insight/internal/evaluation"
)

// alteration changes signature blocks as programs that read the text of pages do.
type alteration struct {
	name string
	what *regexp.Regexp
	with string
}

// alterations begins with the blocks as they are.
var alterations = []alteration{
	{"as they are", regexp.MustCompile(`$^`), ""},
	{"no line breaks", regexp.MustCompile(`[ \t]*\n\s*`), " "},
	{"columns closed up", regexp.MustCompile(`[ \t]+`), " "},
	{"no colons", regexp.MustCompile(`(?i)\b(name|title|by|date|its):`), "$1 "},
	{"labels on lines of their own", regexp.MustCompile(`(?i)\b(name|title|by|date|its)[ \t]*:[ \t]*`), "$1:\n"},
	{"no labels of names", regexp.MustCompile(`(?i)\b(?:name|title|print(?:ed)? name)\s*:`), ""},
	{"no lines to sign on", regexp.MustCompile(`_{2,}|-{4,}`), ""},
	{`"(signed)"`, regexp.MustCompile(`(?i)/s/ *`), "(signed) "},
	{`"s/"`, regexp.MustCompile(`(?i)/s/ *`), "s/ "},
	{`no "/s/"`, regexp.MustCompile(`(?i)/s/ *`), ""},
}

// TestBenchAltered measures who signs when the signature blocks of the labelled contracts are
// altered. The labels stay right, so the figures should be those of the blocks as they are. Blocks of
// more than maxAltered bytes are left out.
func TestBenchAltered(t *testing.T) {
	dir := corpus.Folder(t, "contracts")
	if os.Getenv("RECTO_BENCH") == "" {
		t.Skip("SKIPPED: set RECTO_BENCH=1 to measure altered signature blocks")
	}
	b := newBench(t)
	requests := []insightapi.Request{{Type: insightapi.DocumentSigners}}
	var all []*contender
	for _, a := range alterations {
		c := b.rules()
		c.name = a.name
		all = append(all, c)
	}
	for _, set := range []string{"tune", "fit"} {
		labels, err := evaluation.ReadLabels(labelFolder, set)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range limited(t, labels) {
			before, block, after := signed(string(read(t, dir, "txt", l.File)), l.Signers)
			if block == "" || len(block) > maxAltered {
				continue
			}
			for i, a := range alterations {
				d, answer := b.analyze(t, all[i], b.Text(before+a.what.ReplaceAllString(block, a.with)+after), requests)
				all[i].report.AddLabels(d, &answer, evaluation.Labels{Signers: l.Signers})
			}
		}
	}
	finish(t, "insights-altered", all...)
}

// How many bytes are altered at most, and how many around them are read.
const (
	maxAltered   = 9000
	aroundBlocks = 5000
)

// signed returns the part of a text with the signature blocks of signers, from 500 characters
// before the first name on, and what is around it.
func signed(text string, signers []evaluation.SignerLabel) (before, block, after string) {
	if len(signers) == 0 {
		return "", "", ""
	}
	letters := []rune(text)
	first := slices.MinFunc(signers, func(a, b evaluation.SignerLabel) int { return a.Span[0] - b.Span[0] })
	last := slices.MaxFunc(signers, func(a, b evaluation.SignerLabel) int { return a.Span[1] - b.Span[1] })
	start := len(string(letters[:max(0, first.Span[0]-500)]))
	end := len(string(letters[:min(len(letters), last.Span[1]+400)]))
	start = strings.LastIndexByte(text[:start], '\n') + 1
	if line := strings.IndexByte(text[end:], '\n'); line >= 0 {
		end += line
	}
	return text[max(0, start-aroundBlocks):start], text[start:end], text[end:min(len(text), end+aroundBlocks)]
}
