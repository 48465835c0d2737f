package llm

import (
	"strings"

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
	// taskTokens is the part of the context window that is left for the instructions and
	// the schema.
	taskTokens = 2500
	// maxBackground is how much of the caller's background is sent with each prompt. The
	// rules read as much of it.
	maxBackground = 4000
	// minPart and maxPart limit the size of a part, whatever the context window: models
	// overlook more in longer texts, and their answers grow with them.
	minPart, maxPart = 2000, 30000
	// overlapShare is the share of a part that the next one repeats.
	overlapShare = 10
	// questionSize is how much of a longer document is sent for a single question.
	questionSize = 9000
	// groupSize is how many questions are asked at once about a document that is sent as
	// a whole, and groupBytes is how long they may be together.
	groupSize, groupBytes = 8, 4000
)

// ask is one prompt to be sent: keys or questions about a part of the document.
type ask struct {
	keys      []insightapi.Type
	questions []string
	part      excerpt.Part
}

// prompt renders the ask.
func (a ask) prompt(d *structure.Document, background string) (provider.Prompt, error) {
	background = strings.ToValidUTF8(background[:min(len(background), maxBackground)], "")
	if len(a.questions) > 0 {
		return prompts.Questions(a.questions, a.part.Text(d), background)
	}
	return prompts.Extract(a.keys, rules.ClauseKinds(), a.part.Text(d), background)
}

// partSize returns how many bytes of a document fit into a prompt with others bytes of text
// from the caller.
func partSize(cfg provider.Config, others int) int {
	return min(max((cfg.Context-cfg.Output-taskTokens)*tokenBytes-others, minPart), maxPart)
}

// plan returns the asks of a task, those for questions first.
func (r *Reader) plan(d *structure.Document, questions *rules.Questions, t Task) []ask {
	background := min(len(t.Context), maxBackground)
	asks := r.planQuestions(d, questions, t, background)
	if keys := prompts.Asked(t.Keys); len(keys) > 0 {
		size := partSize(r.cfg, background)
		for _, part := range excerpt.Parts(d, size, size/overlapShare) {
			asks = append(asks, ask{keys: keys, part: part})
		}
	}
	return asks
}

// planQuestions returns the asks for the questions of a task. Groups of them are asked about
// the whole document if it fits into a prompt, and if that sends less than asking each
// question about the passages that may answer it.
func (r *Reader) planQuestions(d *structure.Document, questions *rules.Questions, t Task, background int) (asks []ask) {
	groups := grouped(t.Questions)
	size, length := maxPart, len(d.Text)
	for _, g := range groups {
		size = min(size, partSize(r.cfg, background+textLength(g)))
	}
	if length <= size && len(groups)*length <= len(t.Questions)*min(length, questionSize) {
		for _, g := range groups {
			for _, part := range excerpt.Parts(d, size, 0) {
				asks = append(asks, ask{questions: g, part: part})
			}
		}
		return asks
	}
	for _, question := range t.Questions {
		size := min(partSize(r.cfg, background+len(question)), questionSize)
		asks = append(asks, ask{questions: []string{question}, part: excerpt.Relevant(d, questions, question, size)})
	}
	return asks
}

// grouped divides questions into those that are asked at once.
func grouped(questions []string) (groups [][]string) {
	for _, q := range questions {
		last := len(groups) - 1
		if last < 0 || len(groups[last]) == groupSize || textLength(groups[last])+len(q) > groupBytes {
			groups = append(groups, nil)
			last++
		}
		groups[last] = append(groups[last], q)
	}
	return groups
}

// textLength returns the number of bytes of all questions.
func textLength(questions []string) (n int) {
	for _, q := range questions {
		n += len(q)
	}
	return n
}

// estimate returns how many tokens a prompt and its answer take at most, as far as that is
// known before.
func estimate(p provider.Prompt, cfg provider.Config) int64 {
	return int64((len(p.System)+len(p.Document)+len(p.Task)+len(p.Schema.Document))/tokenBytes + cfg.Output)
}
