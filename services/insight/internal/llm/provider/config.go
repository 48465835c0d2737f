package provider

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/rectohq/recto/libs/config"
)

// Config says which language model reads documents, and how much of it may be used. The
// zero Config means none: documents are then read by rules alone, and nothing is sent to
// anyone.
type Config struct {
	Provider      string        `env:"INSIGHT_MODEL_PROVIDER" desc:"provider of the language model: openai, anthropic, googleai, mistral or ollama; openai with INSIGHT_MODEL_URL also means every server with an OpenAI-compatible API, such as llama.cpp, vLLM, LiteLLM and Azure. If not set, no model is used, and no document leaves Recto"`
	Model         string        `env:"INSIGHT_MODEL" desc:"name of the language model, as its provider spells it"`
	URL           string        `env:"INSIGHT_MODEL_URL" desc:"base URL of the provider's API, such as http://llama:8080/v1; the default is the public address of the provider, and http://127.0.0.1:11434 for ollama. /v1 is added to a URL without a path, except for ollama and googleai"`
	Key           string        `env:"INSIGHT_MODEL_KEY" secret:"true" desc:"API key for the language model; may be empty with a URL"`
	Timeout       time.Duration `env:"INSIGHT_MODEL_TIMEOUT" envDefault:"60s" desc:"how long to wait for the next part of the model's answer"`
	Tries         int           `env:"INSIGHT_MODEL_TRIES" envDefault:"3" desc:"how often a prompt is sent at most if the provider fails; at most INSIGHT_MAX_TRIES"`
	Concurrency   int           `env:"INSIGHT_MODEL_CONCURRENCY" envDefault:"4" desc:"requests that this instance sends to the provider concurrently"`
	Format        string        `env:"INSIGHT_MODEL_FORMAT" envDefault:"schema" desc:"how the model is made to answer in JSON: schema if its server enforces a JSON schema, json if it only knows JSON mode"`
	Stream        bool          `env:"INSIGHT_MODEL_STREAM" envDefault:"true" desc:"have answers streamed, so that INSIGHT_MODEL_TIMEOUT applies to each part and not to the whole; anthropic always answers in one piece"`
	Context       int           `env:"INSIGHT_MODEL_CONTEXT" envDefault:"16384" desc:"context window of the model, in tokens; longer documents are sent in parts"`
	Output        int           `env:"INSIGHT_MODEL_OUTPUT" envDefault:"4096" desc:"maximum length of an answer, in tokens"`
	JobTokens     int64         `env:"INSIGHT_MODEL_JOB_TOKENS" envDefault:"250000" desc:"maximum number of tokens for one request to Recto; the rules alone read what exceeds it"`
	MinuteTokens  int64         `env:"INSIGHT_MODEL_MINUTE_TOKENS" envDefault:"0" desc:"maximum number of tokens per minute, for all instances together; 0: no limit"`
	DailyTokens   int64         `env:"INSIGHT_MODEL_DAILY_TOKENS" envDefault:"0" desc:"maximum number of tokens of one organization per day (UTC); 0: no limit"`
	Organizations []string      `env:"INSIGHT_MODEL_ORGANIZATIONS" desc:"ids of the organizations whose documents may be sent to the model, separated by commas. If not set, all"`
	Fallback      string        `env:"INSIGHT_MODEL_FALLBACK" envDefault:"rules" desc:"who answers when the model cannot be reached or a budget is used up: rules, or none to fail with 5003 or 5004"`
	PriceInput    float64       `env:"INSIGHT_MODEL_PRICE_INPUT" envDefault:"0" desc:"price of a million input tokens in US dollars; the prices are only used to report costs"`
	PriceCached   float64       `env:"INSIGHT_MODEL_PRICE_CACHED" envDefault:"0" desc:"price of a million input tokens that the provider read from its cache, in US dollars; 0: that of other input tokens"`
	PriceOutput   float64       `env:"INSIGHT_MODEL_PRICE_OUTPUT" envDefault:"0" desc:"price of a million output tokens in US dollars"`
}

// The providers.
const (
	OpenAI    = "openai"
	Anthropic = "anthropic"
	GoogleAI  = "googleai"
	Mistral   = "mistral"
	Ollama    = "ollama"
)

// The values of Config.Fallback.
const (
	FallbackRules = "rules"
	FallbackNone  = "none"
)

// The values of Config.Format.
const (
	FormatSchema = "schema"
	FormatJSON   = "json"
)

// Enabled reports whether there is a language model.
func (c Config) Enabled() bool { return c.Provider != "" }

// EnabledFor reports whether documents of an organization may be sent to the model.
func (c Config) EnabledFor(organization string) bool {
	return c.Enabled() && (len(c.Organizations) == 0 || slices.Contains(c.Organizations, organization))
}

// Name returns the provider and the model, such as "openai/gpt-5", or "" if there is none.
func (c Config) Name() string {
	if !c.Enabled() {
		return ""
	}
	return c.Provider + "/" + c.Model
}

// Address returns the base URL of the provider's API, without a slash at its end.
func (c Config) Address() string {
	switch {
	case c.URL != "":
		return c.completed(strings.TrimRight(c.URL, "/"))
	case c.Provider == Anthropic:
		return "https://api.anthropic.com/v1"
	case c.Provider == GoogleAI:
		return "https://generativelanguage.googleapis.com/v1beta/openai"
	case c.Provider == Mistral:
		return "https://api.mistral.ai/v1"
	case c.Provider == Ollama:
		return "http://127.0.0.1:11434"
	}
	return "https://api.openai.com/v1"
}

// completed returns a configured base URL with the path that these APIs have everywhere, if
// it has none: people leave it out, since not every tool wants it.
func (c Config) completed(base string) string {
	u, err := url.Parse(base)
	if err != nil || u.Path != "" || c.Provider == Ollama || c.Provider == GoogleAI {
		return base
	}
	return base + "/v1"
}

// Host returns the host of Address, with its port if it has one.
func (c Config) Host() string {
	u, err := url.Parse(c.Address())
	if err != nil {
		return "" // Validate reports it
	}
	return u.Host
}

// Bounds of the configuration.
const (
	minContext = 2048
	minOutput  = 256
	maxPrice   = 1_000_000
)

// Validate implements config.Validator.
func (c Config) Validate() []error {
	var p config.Problems
	if !c.Enabled() {
		p.Require(c.Model == "" && c.URL == "" && c.Key == "", "INSIGHT_MODEL_PROVIDER must be set when INSIGHT_MODEL, INSIGHT_MODEL_URL or INSIGHT_MODEL_KEY is")
		return p
	}
	known := []string{OpenAI, Anthropic, GoogleAI, Mistral, Ollama}
	p.Require(slices.Contains(known, c.Provider), "INSIGHT_MODEL_PROVIDER must be one of %s", strings.Join(known, ", "))
	p.Require(c.Model != "", "INSIGHT_MODEL must be set to the name of a model of the provider")
	u, err := url.Parse(c.URL)
	p.Require(c.URL == "" || err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.User == nil && u.RawQuery == "",
		"INSIGHT_MODEL_URL must be an http:// or https:// URL without user, password and query")
	p.Positive("INSIGHT_MODEL_TIMEOUT", c.Timeout)
	config.AtLeast(&p, "INSIGHT_MODEL_TRIES", c.Tries, 1)
	config.AtLeast(&p, "INSIGHT_MODEL_CONCURRENCY", c.Concurrency, 1)
	p.Require(c.Format == FormatSchema || c.Format == FormatJSON, "INSIGHT_MODEL_FORMAT must be schema or json")
	config.AtLeast(&p, "INSIGHT_MODEL_OUTPUT", c.Output, minOutput)
	config.AtLeast(&p, "INSIGHT_MODEL_CONTEXT", c.Context, minContext)
	p.Require(c.Context >= 2*c.Output, "INSIGHT_MODEL_CONTEXT must be at least twice INSIGHT_MODEL_OUTPUT")
	config.AtLeast(&p, "INSIGHT_MODEL_JOB_TOKENS", c.JobTokens, int64(c.Context))
	config.AtLeast(&p, "INSIGHT_MODEL_MINUTE_TOKENS", c.MinuteTokens, 0)
	config.AtLeast(&p, "INSIGHT_MODEL_DAILY_TOKENS", c.DailyTokens, 0)
	p.Require(c.Fallback == FallbackRules || c.Fallback == FallbackNone, "INSIGHT_MODEL_FALLBACK must be rules or none")
	for _, price := range []float64{c.PriceInput, c.PriceCached, c.PriceOutput} {
		p.Require(price >= 0 && price <= maxPrice, "INSIGHT_MODEL_PRICE_INPUT, INSIGHT_MODEL_PRICE_CACHED and INSIGHT_MODEL_PRICE_OUTPUT must be from 0 to %d", maxPrice)
	}
	return p
}
