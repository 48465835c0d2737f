package provider

import (
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rectohq/recto/libs/contract/insightapi"
)

// report is what an answer of a provider says about itself.
type report struct {
	// finish is why the answer ended, "" if it did not end.
	finish string
	// choices is the number of alternatives or parts that it has.
	choices int
	// said is the length of the text of a streamed answer, 0 if it is unknown. langchaingo
	// leaves out the parts of a stream that it cannot read.
	said int
	// refused means that the model declined to answer.
	refused bool
	// failed means that the provider reported an error in place of the answer, or in the
	// middle of it.
	failed bool
	// broken means that a part cannot be read.
	broken bool
	tokens insightapi.Tokens
	// answer is the text or JSON of the answer, nil if it is in langchaingo's text.
	answer []byte
}

// complete reports whether the answer has its end and all before it.
func (r report) complete() bool { return r.finish != "" && !r.broken && !r.failed }

// truncated reports whether the answer reached a limit.
func (r report) truncated() bool {
	switch r.finish {
	case "length", "max_tokens", "model_length", "model_context_window_exceeded":
		return true
	}
	return false
}

// declined reports whether the model or a filter declined to answer.
func (r report) declined() bool {
	return r.refused || r.finish == "refusal" || strings.HasPrefix(r.finish, "content_filter")
}

// lenient are the options for messages of providers. Only the answer itself is read
// strictly.
var lenient = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// present reports whether a member is there and not null.
func present(v jsontext.Value) bool { return len(v) > 0 && v.Kind() != 'n' }

// maxTokens bounds the tokens that one answer can claim to have used, so that a wrong
// number cannot use up a budget for good.
const maxTokens = 10_000_000

// tokens returns the tokens of one answer. The input includes what was cached.
func tokens(input, cached, output float64) insightapi.Tokens {
	bounded := func(n float64) int64 {
		if !(n > 0) { // also if it is not a number
			return 0
		}
		return int64(min(n, maxTokens))
	}
	in := bounded(input)
	return insightapi.Tokens{InputTokens: in, CachedTokens: min(bounded(cached), in), OutputTokens: bounded(output)}
}
