package evaluation

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/layout"
)

// NDA is a non-disclosure agreement with hypotheses about it, in the form of the
// ContractNLI data set.
type NDA struct {
	Name, Text string
	Hypotheses []Hypothesis
}

// Hypothesis is a statement that people have compared with an agreement.
type Hypothesis struct {
	// Label names the hypothesis, and Statement is the question that is asked.
	Label, Statement string
	// Evidence are the passages that confirm or contradict the statement, in characters.
	// There are none if the agreement does not say.
	Evidence []insightapi.Position
}

// ndas is the form of a file of the data set.
type ndas struct {
	Documents []annotated          `json:"documents"`
	Labels    map[string]statement `json:"labels"`
}

// annotated is an agreement in a file.
type annotated struct {
	Name string `json:"file_name"`
	Text string `json:"text"`
	// Spans are the passages of the text, in characters.
	Spans [][2]int `json:"spans"`
	Sets  []struct {
		Annotations map[string]choice `json:"annotations"`
	} `json:"annotation_sets"`
}

// choice is what people have chosen for a statement.
type choice struct {
	Choice string `json:"choice"`
	// Spans are the indexes of the passages that led to it.
	Spans []int `json:"spans"`
}

// statement is a hypothesis in a file.
type statement struct {
	Label string `json:"short_description"`
	Text  string `json:"hypothesis"`
}

// notMentioned is the choice for a statement that an agreement neither confirms nor
// contradicts.
const notMentioned = "NotMentioned"

// NDAs returns the agreements in the file dev.json of a folder.
func NDAs(dir string) ([]NDA, error) {
	data, err := os.ReadFile(filepath.Join(dir, "dev.json"))
	if err != nil {
		return nil, err
	}
	return ParseNDAs(data)
}

// ParseNDAs returns the agreements in a file of the data set. The hypotheses of each are in
// the order of their numbers.
func ParseNDAs(data []byte) ([]NDA, error) {
	var file ndas
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, err
	}
	ids := slices.SortedFunc(maps.Keys(file.Labels), func(a, b string) int { return numberOf(a) - numberOf(b) })
	var all []NDA
	for _, d := range file.Documents {
		if len(d.Sets) != 1 {
			return nil, fmt.Errorf("%s has %d sets of annotations", d.Name, len(d.Sets))
		}
		nda := NDA{Name: d.Name, Text: d.Text}
		for _, id := range ids {
			evidence, err := d.evidence(id)
			if err != nil {
				return nil, fmt.Errorf("%s: %s %w", d.Name, id, err)
			}
			nda.Hypotheses = append(nda.Hypotheses, Hypothesis{Label: file.Labels[id].Label, Statement: file.Labels[id].Text, Evidence: evidence})
		}
		all = append(all, nda)
	}
	return all, nil
}

// evidence returns the passages for or against the statement with an id. The text of an
// error follows the id.
func (d annotated) evidence(id string) ([]insightapi.Position, error) {
	gold, known := d.Sets[0].Annotations[id]
	if !known {
		return nil, errors.New("has no annotation")
	}
	var evidence []insightapi.Position
	for _, s := range gold.Spans {
		if s < 0 || s >= len(d.Spans) {
			return nil, fmt.Errorf("refers to passage %d of %d", s, len(d.Spans))
		}
		evidence = append(evidence, insightapi.Position{Start: d.Spans[s][0], End: d.Spans[s][1]})
	}
	if (gold.Choice == notMentioned) != (len(evidence) == 0) {
		return nil, fmt.Errorf("is %s with %d passages", gold.Choice, len(evidence))
	}
	return evidence, nil
}

// numberOf returns the number at the end of an id such as "nda-11", 0 for none.
func numberOf(id string) int {
	n, _ := strconv.Atoi(id[strings.LastIndex(id, "-")+1:])
	return n
}

// Requests asks one question for each hypothesis.
func (n NDA) Requests() []insightapi.Request {
	var requests []insightapi.Request
	for _, h := range n.Hypotheses {
		requests = append(requests, insightapi.Request{Type: insightapi.CustomPrompt, Message: h.Statement})
	}
	return requests
}

// Passages returns the evidence of a hypothesis as spans of the text.
func (n NDA) Passages(h Hypothesis) []layout.Span {
	t := newText(&layout.Document{Text: n.Text})
	var all []layout.Span
	for _, p := range h.Evidence {
		if s, ok := t.bytes(p); ok {
			all = append(all, s)
		}
	}
	return all
}
