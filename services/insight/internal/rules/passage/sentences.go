package passage

import (
	"regexp"

	"github.com/rectohq/recto/services/insight/internal/structure"
)

// MinClause is how long a clause is at least, in bytes: less is a heading, but
// where it reads as a sentence.
const MinClause = 30

// shortSentence is a sentence however short it is.
var shortSentence = regexp.MustCompile(`(?i)\w \b(?:is|are|shall|will|may|must|can|cannot|renews)\b \w[^.]*\.$`)

// IsClause reports whether a sentence may say what is agreed.
func IsClause(d *structure.Document, s structure.Sentence) bool {
	return d.Paragraphs[s.Paragraph].Kind != structure.Margin &&
		(s.Len() >= MinClause || shortSentence.MatchString(Text(d, s.Span)))
}
