package rules

import (
	"regexp"

	"github.com/rectohq/recto/services/insight/internal/structure"
)

// minClause is how long a clause is at least, in bytes: less is a heading, but
// where it reads as a sentence.
const minClause = 30

// shortSentence is a sentence however short it is.
var shortSentence = regexp.MustCompile(`(?i)\w \b(?:is|are|shall|will|may|must|can|cannot|renews)\b \w[^.]*\.$`)

// isClause reports whether a sentence may say what is agreed.
func isClause(d *structure.Document, s structure.Sentence) bool {
	return d.Paragraphs[s.Paragraph].Kind != structure.Margin &&
		(s.Len() >= minClause || shortSentence.MatchString(flat(d, s.Span)))
}
