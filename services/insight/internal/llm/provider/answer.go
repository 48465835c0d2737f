package provider

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/tmc/langchaingo/llms"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// checker checks answers against a schema.
type checker struct{ schema *jsonschema.Schema }

// schemaName names the schema to its compiler. Nothing is loaded from there.
const schemaName = "recto:answer"

// errLoad forbids schemas to refer to others.
var errLoad = errors.New("a schema cannot refer to another")

// nowhere loads no schemas.
type nowhere struct{}

// Load implements jsonschema.URLLoader.
func (nowhere) Load(string) (any, error) { return nil, errLoad }

// newChecker returns a checker for s.
func newChecker(s Schema) (checker, error) {
	var document any
	if err := json.Unmarshal(s.Document, &document); err != nil {
		return checker{}, err
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(nowhere{})
	c.DefaultDraft(jsonschema.Draft2020)
	if err := c.AddResource(schemaName, document); err != nil {
		return checker{}, err
	}
	compiled, err := c.Compile(schemaName)
	return checker{compiled}, err
}

// read returns the JSON of what a model says, or what is wrong with it, in words for the
// model.
func (c checker) read(text string) (jsontext.Value, string) {
	found := unwrap(text)
	if len(found) > maxAnswer {
		return nil, "It is too long."
	}
	if violation := wellFormed([]byte(found)); violation != "" {
		return nil, violation
	}
	var v any
	if err := json.Unmarshal([]byte(found), &v); err != nil {
		return nil, "It is not valid JSON."
	}
	if err := c.schema.Validate(v); err != nil {
		return nil, violations(err)
	}
	return jsontext.Value(found), ""
}

// unwrap returns the part of a text that must be JSON: what follows the thoughts of the
// model, without the fences of a block of Markdown. Some servers cut off the beginning of
// the thoughts.
func unwrap(text string) string {
	text = strings.TrimSpace(text)
	if !strings.HasPrefix(text, "{") {
		for _, end := range []string{"</think>", "</thinking>"} {
			if _, rest, ok := strings.Cut(text, end); ok {
				text = strings.TrimSpace(rest)
				break
			}
		}
	}
	inner, begins := strings.CutPrefix(text, "```")
	inner, ends := strings.CutSuffix(inner, "```")
	if language, rest, ok := strings.Cut(inner, "\n"); begins && ends && ok {
		if language = strings.TrimSpace(language); language == "" || strings.EqualFold(language, "json") {
			return strings.TrimSpace(rest)
		}
	}
	return text
}

// maxDepth bounds how deep arrays and objects of an answer are nested.
const maxDepth = 32

// wellFormed returns what is wrong with the syntax of an answer, which is one object.
func wellFormed(text []byte) string {
	if jsontext.Value(text).Kind() != '{' {
		return "It is not a JSON object."
	}
	d := jsontext.NewDecoder(bytes.NewReader(text))
	for {
		_, err := d.ReadToken()
		switch {
		case errors.Is(err, io.EOF):
			return ""
		case err != nil:
			return "It is not valid JSON: " + clip(strings.TrimPrefix(err.Error(), "jsontext: ")) + "."
		case d.StackDepth() > maxDepth:
			return fmt.Sprintf("It is nested deeper than %d levels.", maxDepth)
		case d.StackDepth() == 0 && len(bytes.TrimSpace(text[d.InputOffset():])) > 0:
			return "There is text after the JSON object."
		}
	}
}

const (
	// maxViolations bounds how many violations of the schema are named.
	maxViolations = 5
	// maxQuoted bounds what is said about one.
	maxQuoted = 200
	// maxRepeated bounds how much of an unusable answer is sent back, so that the prompt
	// still fits into the context window.
	maxRepeated = 8 << 10
)

// violations says where an answer does not match its schema.
func violations(err error) string {
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return "It does not match the schema."
	}
	english := message.NewPrinter(language.English)
	var all []string
	for rest := []*jsonschema.ValidationError{invalid}; len(rest) > 0 && len(all) < maxViolations; {
		e := rest[0]
		if rest = rest[1:]; len(e.Causes) > 0 {
			rest = append(slices.Clone(e.Causes), rest...)
			continue
		}
		all = append(all, clip("at /"+strings.Join(e.InstanceLocation, "/")+": "+e.ErrorKind.LocalizedString(english)))
	}
	return "It does not match the schema: " + strings.Join(all, "; ") + "."
}

// clip shortens a text that quotes the model.
func clip(text string) string { return shorten(text, maxQuoted) }

// shorten cuts a text between two characters.
func shorten(text string, size int) string {
	if len(text) <= size {
		return text
	}
	for size > 0 && !utf8.RuneStart(text[size]) {
		size--
	}
	return text[:size] + "…"
}

// repair continues a conversation after an answer that cannot be used.
func repair(answer, violation string) []llms.MessageContent {
	return []llms.MessageContent{
		llms.TextParts(llms.ChatMessageTypeAI, strings.TrimSpace(shorten(answer, maxRepeated))),
		llms.TextParts(llms.ChatMessageTypeHuman,
			"Your answer cannot be used. "+violation+" Give the whole answer again, as one JSON object of the required form and nothing else."),
	}
}
