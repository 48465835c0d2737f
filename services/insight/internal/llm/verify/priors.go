package verify

import (
	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/services/insight/internal/llm/quotes"
)

// The probabilities that a verified item of a model is right: exact for a quote that
// differs from the text in its form at most, fuzzy for one with other letters. They are
// priors. An open model with 4 billion parameters, fine-tuned on CUAD, reports an F1 of
// .900 for finding clauses; other models are not trained for contracts, so a bit less is
// assumed. A model that copied the text with mistakes may have misread it, too. Nobody has
// published figures for free questions, and a passage may be quoted that does not answer
// one, so their answers get less. To check the priors for a model, compare them with the
// calibration that make bench-llm prints.
const (
	exactPrior, fuzzyPrior             = 0.85, 0.7
	exactAnswerPrior, fuzzyAnswerPrior = 0.75, 0.6
	// aroundPrior is the most for a clause whose own sentences have no word of its kind,
	// but what is around them has.
	aroundPrior = 0.6
)

// prior returns the confidence of a verified item of a key whose quote was found in that
// way.
func prior(key insightapi.Type, how quotes.How) float64 {
	exact, fuzzy := exactPrior, fuzzyPrior
	if key == insightapi.CustomPrompt {
		exact, fuzzy = exactAnswerPrior, fuzzyAnswerPrior
	}
	if how == quotes.Exact || how == quotes.Normalized {
		return exact
	}
	return fuzzy
}
