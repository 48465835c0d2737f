package prompts

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"path"
	"slices"
	"strings"
	"text/template"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/services/insight/internal/llm/provider"
)

// Version is the version of the prompts: the name of the folder with their files. The
// files of a version never change, since kept answers depend on them; a test compares
// their hash.
const Version = "v1"

//go:embed v1
var files embed.FS

// Keys lists the keys of an Answer that a language model is asked for, in the order of
// insightapi.Keys. The questions of custom_prompt are asked apart. The other keys are
// facts about the file, which need no model.
func Keys() []insightapi.Type {
	return []insightapi.Type{
		insightapi.DocumentTitle, insightapi.DocumentType, insightapi.DocumentSigners, insightapi.DocumentClauses,
		insightapi.ContractValues, insightapi.DocumentDates, insightapi.LimitOfLiability, insightapi.RenewalTermLength, insightapi.Payments,
	}
}

// Extract returns the prompt that asks for keys in a document, or in a part of one.
// context is background from the caller, "" for none.
func Extract(keys []insightapi.Type, clauseKinds []string, document, context string) (provider.Prompt, error) {
	descriptions := make([]string, 0, len(keys))
	for _, key := range keys {
		text, err := render("keys/"+string(key)+".txt", map[string]string{"ClauseKinds": strings.Join(clauseKinds, ", ")})
		if err != nil {
			return provider.Prompt{}, err
		}
		descriptions = append(descriptions, text)
	}
	schema, err := schemaOf("extraction", keys)
	if err != nil {
		return provider.Prompt{}, err
	}
	task, err := render("extract.txt", map[string]any{"Context": context, "Keys": descriptions, "Members": list(keys)})
	if err != nil {
		return provider.Prompt{}, err
	}
	return prompt(document, task, schema)
}

// question is a question with its number in the prompt.
type question struct {
	Number int
	Text   string
}

// Questions returns the prompt that asks questions about a document, or a part of one.
func Questions(questions []string, document, context string) (provider.Prompt, error) {
	schema, err := schemaOf("answers", []insightapi.Type{insightapi.CustomPrompt})
	if err != nil {
		return provider.Prompt{}, err
	}
	numbered := make([]question, 0, len(questions))
	for i, q := range questions {
		numbered = append(numbered, question{i + 1, q})
	}
	task, err := render("question.txt", map[string]any{"Context": context, "Questions": numbered})
	if err != nil {
		return provider.Prompt{}, err
	}
	return prompt(document, task, schema)
}

// prompt returns the prompt with a task about a document. The lines around the document
// carry a hash of it, so that the document cannot contain its own last line.
func prompt(document, task string, schema provider.Schema) (provider.Prompt, error) {
	system, err := render("system.txt", nil)
	if err != nil {
		return provider.Prompt{}, err
	}
	sum := sha256.Sum256([]byte(document))
	framed, err := render("document.txt", map[string]string{"Code": hex.EncodeToString(sum[:8]), "Document": document})
	return provider.Prompt{System: system, Document: framed, Task: task, Schema: schema}, err
}

// render executes the template in a file of this version. The values are inserted as they
// are: they are not templates themselves.
func render(name string, values any) (string, error) {
	source, err := files.ReadFile(path.Join(Version, name))
	if err != nil {
		return "", err
	}
	t, err := template.New(name).Parse(string(source))
	if err != nil {
		return "", fmt.Errorf("the prompt %s: %w", name, err)
	}
	var text strings.Builder
	if err := t.Execute(&text, values); err != nil {
		return "", fmt.Errorf("the prompt %s: %w", name, err)
	}
	return text.String(), nil
}

// schemaOf returns the schema of an object with one member for each key.
func schemaOf(name string, keys []insightapi.Type) (provider.Schema, error) {
	members := map[string]jsontext.Value{}
	for _, key := range keys {
		source, err := files.ReadFile(path.Join(Version, "schema", string(key)+".json"))
		if err != nil {
			return provider.Schema{}, err
		}
		members[string(key)] = source
	}
	document, err := json.Marshal(map[string]any{
		"type": "object", "properties": members, "required": keys, "additionalProperties": false,
	}, json.Deterministic(true))
	return provider.Schema{Name: name, Document: document}, err
}

// list returns the names of keys for a sentence.
func list(keys []insightapi.Type) string {
	names := make([]string, 0, len(keys))
	for _, key := range keys {
		names = append(names, string(key))
	}
	return strings.Join(names, ", ")
}

// Asked returns those of the keys that a model is asked for.
func Asked(keys []insightapi.Type) []insightapi.Type {
	return slices.DeleteFunc(slices.Clone(keys), func(k insightapi.Type) bool { return !slices.Contains(Keys(), k) })
}
