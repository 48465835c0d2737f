package evaluation_test

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/testkit/modelserver"
	"github.com/rectohq/recto/services/insight/internal/evaluation"
	"github.com/rectohq/recto/services/insight/internal/llm/prompts"
	"github.com/rectohq/recto/services/insight/internal/rules"
	"github.com/rectohq/recto/services/insight/internal/rules/date"
)

// mistake is what a scripted model does wrong.
type mistake string

// The mistakes. The quotes of the last three are not in the document.
const (
	none       mistake = "none"
	misquoted  mistake = "misquoted"   // with typing errors
	wrongValue mistake = "wrong value" // the quote is right, but states something else
	reworded   mistake = "reworded"
	invented   mistake = "invented"
	translated mistake = "translated"
)

// noisy is a mixture of mistakes.
func noisy() []mistake {
	return []mistake{none, none, none, misquoted, none, reworded, wrongValue, none, invented, translated}
}

// fact is an annotation, as a model that knows it answers. It is an item of the list of
// its key.
type fact struct {
	key insightapi.Type
	// question is the message of a custom prompt.
	question string
	// value is a date, a term, a type or an answer, and kind the type of a date or clause.
	value, kind, quote string
}

// oracle is the script of a model that answers with the annotations of one document at a
// time. It names those whose quotes it was shown, with some mistakes.
type oracle struct {
	// mistakes are made in turn.
	mistakes []mistake

	mu    sync.Mutex
	facts []fact
}

// about sets the document that is read.
func (o *oracle) about(facts []fact) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.facts = facts
}

var (
	framed   = regexp.MustCompile(`(?s)DOCUMENT (\w+)\n(.*)\nEND (\w+)\n`)
	numbered = regexp.MustCompile(`(?m)^Question (\d+): (.*)$`)
)

// reply is the script of a modelserver.Server.
func (o *oracle) reply(r modelserver.Request) modelserver.Reply {
	o.mu.Lock()
	defer o.mu.Unlock()
	var schema struct {
		Required []insightapi.Type `json:"required"`
	}
	shown := framed.FindStringSubmatch(r.Text)
	if err := json.Unmarshal(r.Schema, &schema); err != nil || shown == nil || shown[1] != shown[3] {
		return modelserver.Reply{Status: 400, Message: "the prompt is not as expected"}
	}
	lists := map[insightapi.Type][]any{}
	for _, key := range schema.Required {
		lists[key] = []any{}
	}
	numbers := map[string]int{}
	for _, m := range numbered.FindAllStringSubmatch(r.Text, -1) {
		numbers[m[2]], _ = strconv.Atoi(m[1])
	}
	for i, f := range o.facts {
		if lists[f.key] == nil || !strings.Contains(shown[2], f.quote) || f.question != "" && numbers[f.question] == 0 {
			continue
		}
		lists[f.key] = append(lists[f.key], f.item(o.mistakes[i%len(o.mistakes)], numbers[f.question]))
	}
	data, err := json.Marshal(lists)
	if err != nil {
		return modelserver.Reply{Status: 500, Message: err.Error()}
	}
	return modelserver.Reply{JSON: string(data)}
}

// item returns a fact as an item of an answer, with a mistake. question is its number.
func (f fact) item(m mistake, question int) any {
	switch m {
	case misquoted:
		f.quote = misspelled(f.quote)
	case reworded:
		words := strings.Fields(f.quote)
		slices.Reverse(words)
		f.quote = strings.Join(words, " so ")
	case invented:
		f.quote = "The Supplier of " + strconv.Itoa(len(f.quote)) + " unicorns grants everything that was hoped for in the valley."
	case translated:
		f.quote = "Dieser Vertrag unterliegt dem Recht, das die Parteien in Anlage " + strconv.Itoa(len(f.quote)) + " gewählt haben."
	case wrongValue:
		f.value = wrong(f)
		if f.key == insightapi.DocumentClauses {
			f.kind = "Unicorns"
		}
	}
	switch f.key {
	case insightapi.DocumentTitle:
		return prompts.Title{Quote: f.quote}
	case insightapi.DocumentType:
		return prompts.Type{Type: f.value, Quote: f.quote}
	case insightapi.DocumentDates:
		return prompts.Date{Type: f.kind, Date: f.value, Quote: f.quote}
	case insightapi.RenewalTermLength:
		return prompts.Renewal{Term: f.value, Quote: f.quote}
	case insightapi.DocumentClauses:
		return prompts.Clause{Type: f.kind, Quote: f.quote}
	default:
		return prompts.Answer{Question: question, Answer: f.value, Quote: f.quote}
	}
}

// wrong returns a value of the kind of the fact's, but another one.
func wrong(f fact) string {
	switch f.key {
	case insightapi.DocumentDates:
		return "1871-01-18"
	case insightapi.RenewalTermLength:
		return "77 years"
	case insightapi.DocumentType:
		return "Marine Insurance Policy"
	}
	return "Seventy unicorns are due on the first of May."
}

// misspelled returns a quote with a letter missing in one of its longer words. It leaves
// short quotes and words as they are, since with a mistake they might mean something else.
func misspelled(quote string) string {
	if len(quote) < 60 {
		return quote
	}
	words := strings.Split(quote, " ")
	for i, w := range words {
		if len(w) >= 8 && i > 0 && regexp.MustCompile(`^[a-z]+$`).MatchString(w) {
			words[i] = w[:3] + w[4:]
			break
		}
	}
	return strings.Join(words, " ")
}

// factsOf returns what is annotated in a contract with a text.
func factsOf(text string, c evaluation.Contract) []fact {
	var facts []fact
	characters := []rune(text)
	each := func(category string, f func(quote string) fact) {
		for _, m := range c.Clauses[category] {
			for _, s := range m.Spans {
				facts = append(facts, f(string(characters[s[0]:s[1]])))
			}
		}
	}
	each("Document Name", func(quote string) fact { return fact{key: insightapi.DocumentTitle, quote: quote} })
	for _, d := range [][2]string{{"Agreement Date", insightapi.DateExecution}, {"Effective Date", insightapi.DateEffective}, {"Expiration Date", insightapi.DateExpiration}} {
		if days := date.Find(c.Answers[d[0]], 1); len(days) > 0 && days[0].Value() != "" {
			each(d[0], func(quote string) fact {
				return fact{key: insightapi.DocumentDates, kind: d[1], value: days[0].Value(), quote: quote}
			})
		}
	}
	if term := c.Answers["Renewal Term"]; term != "" {
		each("Renewal Term", func(quote string) fact { return fact{key: insightapi.RenewalTermLength, value: term, quote: quote} })
	}
	for _, kind := range rules.ClauseKinds() {
		for category := range c.Clauses {
			if strings.EqualFold(category, kind) {
				each(category, func(quote string) fact { return fact{key: insightapi.DocumentClauses, kind: kind, quote: quote} })
			}
		}
	}
	return facts
}

// answersOf returns what is annotated in an agreement.
func answersOf(n evaluation.NDA) []fact {
	var facts []fact
	for _, h := range n.Hypotheses {
		for _, p := range h.Evidence {
			quote := string([]rune(n.Text)[p.Start:p.End])
			facts = append(facts, fact{key: insightapi.CustomPrompt, question: h.Statement, value: quote, quote: quote})
		}
	}
	return facts
}
