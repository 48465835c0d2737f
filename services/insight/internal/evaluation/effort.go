package evaluation

import (
	"fmt"
	"io"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/services/insight/internal/llm/verify"
)

// Effort is what a language model did for the answers of a Report. Add functions count the
// tokens and the cost, which are in the answers; the caller knows the rest.
type Effort struct {
	Tokens insightapi.Tokens
	// CostUSD is nil if no prices are configured.
	CostUSD *float64
	// Prompts is the number of prompts. Each takes one request, or more if the first
	// answer is not of the required form.
	Prompts int
	// Alone is the number of documents that the rules read alone since the model failed.
	Alone int
	// Quotes says what became of the quotes of the model.
	Quotes verify.Checks
}

// add counts the use of a model for an answer, nil for none.
func (e *Effort) add(u *insightapi.Usage) {
	if u == nil {
		return
	}
	e.Tokens = e.Tokens.Plus(u.Tokens)
	if u.CostUSD != nil {
		sum := *u.CostUSD
		if e.CostUSD != nil {
			sum += *e.CostUSD
		}
		e.CostUSD = &sum
	}
}

// write writes the effort for documents with so many pages. It writes nothing if no model
// was asked.
func (e *Effort) write(w io.Writer, documents, pages int) {
	t := e.Tokens
	if t.Requests == 0 && e.Alone == 0 {
		return
	}
	fmt.Fprintf(w, "model: %d prompts, %.1f per document, in %d requests; %d of %d documents were read by the rules alone\n",
		e.Prompts, ratio(e.Prompts, documents), t.Requests, e.Alone, documents)
	fmt.Fprintf(w, "tokens per page: %.0f sent (%.0f %% of them cached), %.0f answered\n",
		ratio(int(t.InputTokens), pages), 100*ratio(int(t.CachedTokens), int(t.InputTokens)), ratio(int(t.OutputTokens), pages))
	if e.CostUSD != nil {
		fmt.Fprintf(w, "cost: $%.4f, $%.5f per page\n", *e.CostUSD, *e.CostUSD/float64(max(pages, 1)))
	}
	q := e.Quotes
	found := q.Exact + q.Normalized + q.Fuzzy
	share := func(n int) float64 { return 100 * ratio(n, found+q.Ungrounded) }
	fmt.Fprintf(w, "quotes: %d; %.1f %% exact, %.1f %% normalized, %.1f %% fuzzy, %.1f %% ungrounded; %.1f %% of those found do not state their value\n",
		found+q.Ungrounded, share(q.Exact), share(q.Normalized), share(q.Fuzzy), share(q.Ungrounded), 100*ratio(q.Unverified, found))
}
