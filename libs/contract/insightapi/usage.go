package insightapi

// Engine says who answered a request.
type Engine string

// The engines. They are the values of the response header EngineHeader.
const (
	ByRules Engine = "rules"
	ByModel Engine = "model"
	ByBoth  Engine = "both"
)

// EngineHeader is the name of the response header that says who answered.
const EngineHeader = "X-Recto-Engine"

// EngineOf returns who answered, given whether the rules and the model contributed.
func EngineOf(byRules, byModel bool) Engine {
	switch {
	case byRules && byModel:
		return ByBoth
	case byModel:
		return ByModel
	}
	return ByRules
}

// Usage says what part a language model had in an Answer, and what it used. It is an
// extension of the API.
type Usage struct {
	Engine Engine `json:"engine"`
	// Provider and Model name the language model.
	Provider string `json:"provider"`
	Model    string `json:"model"`
	Tokens
	// CostUSD is the price of the tokens in US dollars, nil if no prices are configured.
	CostUSD *float64 `json:"cost_usd"`
}

// Tokens is how much of a language model was used.
type Tokens struct {
	// Requests is the number of requests that were sent to the provider.
	Requests int64 `json:"requests"`
	// InputTokens includes CachedTokens, which the provider read from its cache.
	InputTokens  int64 `json:"input_tokens"`
	CachedTokens int64 `json:"cached_input_tokens"`
	OutputTokens int64 `json:"output_tokens"`
}

// AnsweredBy returns who answered: the rules unless Usage says otherwise.
func (a *Answer) AnsweredBy() Engine {
	if a.Usage == nil {
		return ByRules
	}
	return a.Usage.Engine
}

// Plus returns the sum of t and u.
func (t Tokens) Plus(u Tokens) Tokens {
	return Tokens{
		Requests: t.Requests + u.Requests, InputTokens: t.InputTokens + u.InputTokens,
		CachedTokens: t.CachedTokens + u.CachedTokens, OutputTokens: t.OutputTokens + u.OutputTokens,
	}
}

// Total returns the number of tokens, input and output.
func (t Tokens) Total() int64 { return t.InputTokens + t.OutputTokens }
