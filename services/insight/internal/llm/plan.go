package llm

import (
	"slices"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/services/insight/internal/llm/excerpt"
	"github.com/rectohq/recto/services/insight/internal/llm/prompts"
	"github.com/rectohq/recto/services/insight/internal/llm/provider"
	"github.com/rectohq/recto/services/insight/internal/rules"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// The sizes of what is sent, in bytes of text.
const (
	// tokenBytes is the length of a token that plans assume. English text has about four
	// bytes per token; other languages, numbers and names have fewer.
	tokenBytes = 3
	// taskTokens is the part of the context window that is left for everything but the
	// document and the answer.
	taskTokens = 2500
	// minPart and maxPart limit the size of a part, whatever the context window: models
	// overlook more in longer texts, and their answers grow with them.
	minPart, maxPart = 2000, 30000
	// overlapShare is the share of a part that the next one repeats.
	overlapShare = 10
	// questionSize is how much of a longer document is sent for a single question.
	questionSize = 9000
	// groupSize is how many questions are asked at once about a document that is sent as
	// a whole.
	groupSize = 8
)

// ask is one prompt to be sent: keys or questions about a part of the document.
type ask struct {
	keys      []insightapi.Type
	questions []string
	part      excerpt.Part
}

// prompt renders the ask.
func (a ask) prompt(d *structure.Document, background string) (provider.Prompt, error) {
	if len(a.questions) > 0 {
		return prompts.Questions(a.questions, a.part.Text(d), background)
	}
	return prompts.Extract(a.keys, rules.ClauseKinds(), a.part.Text(d), background)
}

// partSize returns how many bytes of a document fit into one prompt.
func partSize(cfg provider.Config) int {
	return min(max((cfg.Context-cfg.Output-taskTokens)*tokenBytes, minPart), maxPart)
}

// plan returns the asks of a task, those for questions first. A question about a longer
// document is asked about the passages that may answer it, unless many are asked at once;
// keys are asked about all of it.
func (r *Reader) plan(d *structure.Document, questions *rules.Questions, t Task) []ask {
	size := partSize(r.cfg)
	var asks []ask
	if together(len(t.Questions), len(d.Text), size) {
		whole := excerpt.Parts(d, size, 0)
		for group := range slices.Chunk(t.Questions, groupSize) {
			for _, part := range whole {
				asks = append(asks, ask{questions: group, part: part})
			}
		}
	} else {
		for _, question := range t.Questions {
			asks = append(asks, ask{questions: []string{question}, part: excerpt.Relevant(d, questions, question, min(size, questionSize))})
		}
	}
	if keys := prompts.Asked(t.Keys); len(keys) > 0 {
		for _, part := range excerpt.Parts(d, size, size/overlapShare) {
			asks = append(asks, ask{keys: keys, part: part})
		}
	}
	return asks
}

// together reports whether n questions about a document of the given length are asked in
// groups about all of it, because it fits into a part, and that sends less than asking each
// about its own passages.
func together(n, length, size int) bool {
	groups := (n + groupSize - 1) / groupSize
	return length <= size && groups*length <= n*min(length, questionSize)
}

// estimate returns how many tokens a prompt and its answer take at most, as far as that is
// known before.
func estimate(p provider.Prompt, cfg provider.Config) int64 {
	return int64((len(p.System)+len(p.Document)+len(p.Task)+len(p.Schema.Document))/tokenBytes + cfg.Output)
}
