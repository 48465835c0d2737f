package passage

import (
	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// MinClause is the minimum length of a clause in bytes. Shorter text is taken for a
// heading unless it matches shortSentence.
const MinClause = 30

// shortSentence matches a complete sentence of any length.
var shortSentence = regexp.MustCompile(`(?i)\w \b(?:is|are|shall|will|may|must|can|cannot|renews)\b \w[^.]*\.$`)

// IsClause reports whether a sentence can contain an agreed term.
func IsClause(d *structure.Document, s structure.Sentence) bool {
	return d.Paragraphs[s.Paragraph].Kind != structure.Margin &&
		(s.Len() >= MinClause || shortSentence.MatchString(Text(d, s.Span)))
}
