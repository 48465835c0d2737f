package merge

import (
	"slices"

	"github.com/rectohq/recto/services/insight/internal/rules/finding"
)

// Outage says in a sentence for API clients why the rules answered without the language
// model.
type Outage string

// Degraded returns items of the rules whose reasoning also says why the model did not
// answer.
func Degraded[T any](found []finding.Found[T], why Outage) []finding.Found[T] {
	found = slices.Clone(found)
	for i := range found {
		found[i].Reasoning = why.After(found[i].Reasoning)
	}
	return found
}

// After returns a reasoning that also says why the model did not answer. It is for items
// without a place, such as questions without an answer.
func (o Outage) After(reasoning string) string {
	if reasoning == "" {
		return string(o)
	}
	return reasoning + " " + string(o)
}
