package verify

import (
	"regexp"
	"strings"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/llm/prompts"
	"github.com/rectohq/recto/services/insight/internal/rules/finding"
	"github.com/rectohq/recto/services/insight/internal/rules/passage"
)

// maxAnswer is the maximum length in bytes of an answer in the model's words.
const maxAnswer = 600

// answer returns the answer to a question: in the model's words if the sentences of the
// quote support each of them, and otherwise the text of these sentences.
func (r *reader) answer(a prompts.Answer, s layout.Span, confidence float64) (f finding.Found[insightapi.PromptAnswer], ok bool) {
	if a.Question < 1 || a.Question > len(r.questions) || !saying(r.doc, s) {
		return f, false
	}
	question := r.questions[a.Question-1]
	whole, complete := sentences(r.doc, s)
	text := passage.Text(r.doc, whole)
	value := text
	if len(a.Answer) <= maxAnswer && complete {
		if said := withoutVerdict(passage.OneLine(a.Answer), text); supported(said, text, question) {
			value = said
		}
	}
	return found(insightapi.PromptAnswer{Message: question, Value: &value}, whole, confidence), true
}

var (
	// verdict matches a yes or no at the beginning of an answer, and stated one that a
	// document gives, as a form does: "Automatic renewal: yes".
	verdict = regexp.MustCompile(`(?i)^(yes|no|ja|nein|oui|non|sí|si|sì)(?:[\s,.:;!–—-]+|$)`)
	stated  = regexp.MustCompile(`(?i)(?:[:|?☒☑✓✔]|\[x\])\s*(yes|no)\s*(?:[.,;]?\s*$|[;)|\]])`)
)

// withoutVerdict returns an answer without a yes or no at its beginning, unless the text
// itself says yes or no, once. Otherwise it is a judgment of the model, which no
// comparison of words can verify: both "is it forbidden to assign?" and "may it be
// assigned?" are answered by the same sentence, with opposite verdicts.
func withoutVerdict(answer, text string) string {
	m := verdict.FindStringSubmatchIndex(answer)
	if m == nil {
		return answer
	}
	if all := stated.FindAllStringSubmatch(text, 2); len(all) == 1 && strings.EqualFold(all[0][1], answer[m[2]:m[3]]) {
		return answer
	}
	return answer[m[1]:]
}
