package finding

import (
	"fmt"
	"strings"

	"github.com/rectohq/recto/services/insight/internal/learn"
	"github.com/rectohq/recto/services/insight/internal/rules/passage"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// Weighed returns the Reasoning for a sentence that weights chose: which words weighed
// most. what names what the sentence is, such as "this kind of clause".
func Weighed(what string, d *structure.Document, p learn.Passage) string {
	var words []string
	for _, s := range p.Words {
		words = append(words, fmt.Sprintf("%q", passage.Text(d, s)))
	}
	if len(words) == 0 {
		return "The place and the length of the sentence are typical of " + what + "."
	}
	why := "The wording is typical of " + what
	if p.Voted {
		why += ", and a rule recognizes it"
	}
	return why + ". What weighed most: " + strings.Join(words, ", ") + "."
}
