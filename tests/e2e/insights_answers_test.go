package e2e

import (
	"encoding/json"
	"testing"
)

// promptAnswer is an item of custom_prompt.
type promptAnswer struct {
	Message         string
	Value, Quote    *string
	PageNumber      *int             `json:"page_number"`
	BoundingBox     *json.RawMessage `json:"bounding_box"`
	XMLPath         *string          `json:"xml_path"`
	Reasoning       string
	ConfidenceScore *float64 `json:"confidence_score"`
}

// answered reports whether the document answers the question.
func (p promptAnswer) answered() bool { return p.Value != nil }

// TestInsightsAnswerEveryQuestion checks that there is an item for each question, in the
// order of the request, even if the document does not answer it or it has no words to
// search for. A question that is asked twice is answered once.
func TestInsightsAnswerEveryQuestion(t *testing.T) {
	c := shared.NewClient(t)
	questions := []string{"How many elephants live in the house?", "What is the monthly fee?", "?", "How many elephants live in the house?", "Who painted the ceiling?"}
	want := map[string]bool{questions[1]: true}
	order := []string{questions[0], questions[1], questions[2], questions[4]}
	var insights []object
	for _, q := range questions {
		insights = append(insights, object{"type": "custom_prompt", "message": q})
	}
	text := "SERVICES AGREEMENT\n\nThe Client shall pay a monthly fee of USD 12,500 to the Consultant.\n\nThis Agreement is governed by the laws of Oregon.\n"
	d := upload(t, c, "a.txt", []byte(text))
	for name, body := range map[string]object{
		"text": {"doc_text": text, "insights": insights}, "document": {"document_id": d.ID, "insights": insights},
	} {
		whole := c.Post("/insights", body).OK(nil).Body
		var got struct {
			CustomPrompt []promptAnswer `json:"custom_prompt"`
		}
		if err := json.Unmarshal(whole, &got); err != nil {
			t.Fatal(err)
		}
		var asked []string
		for _, item := range got.CustomPrompt {
			if len(asked) == 0 || asked[len(asked)-1] != item.Message {
				asked = append(asked, item.Message)
			}
			checkPromptAnswer(t, name, item, want[item.Message])
		}
		if a, b := joined(t, asked), joined(t, order); a != b {
			t.Errorf("%s: the items are about %s, want %s", name, a, b)
		}
		// The stream has an event for each of them too.
		streamed := collected(t, c.Post("/insights", plus(body, "stream", true)).OK(nil))
		if a, b := unsigned(t, streamed), unsigned(t, whole); a != b {
			t.Errorf("%s: streamed\n%s\nwant\n%s", name, a, b)
		}
	}
}

// checkPromptAnswer checks that an item has every member of an answer if want is true,
// and none of them otherwise.
func checkPromptAnswer(t *testing.T, name string, item promptAnswer, want bool) {
	t.Helper()
	if item.answered() != want || item.Reasoning == "" || item.ConfidenceScore == nil || item.XMLPath == nil {
		t.Errorf("%s: %q is answered %t, want %t: %+v", name, item.Message, item.answered(), want, item)
		return
	}
	if !want && (item.Quote != nil || item.PageNumber != nil || item.BoundingBox != nil || *item.ConfidenceScore != 0 || *item.XMLPath != "") {
		t.Errorf("%s: %q has no answer, but the item is %+v", name, item.Message, item)
	}
	if want && (item.Quote == nil || item.PageNumber == nil || *item.ConfidenceScore == 0) {
		t.Errorf("%s: the answer to %q is not grounded: %+v", name, item.Message, item)
	}
}

// joined returns texts as a JSON array.
func joined(t *testing.T, texts []string) string {
	t.Helper()
	data, err := json.Marshal(texts)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
