package title

import (
	"strings"
	"unicode"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/rules/passage"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// Named returns the text of a span as a title that something other than the rules
// recognized. It returns false if a title cannot be there, or be written like that.
func Named(d *structure.Document, s layout.Span) (insightapi.Title, bool) {
	if s.Start > titleReach || s.Len() > maxTitle {
		return insightapi.Title{}, false
	}
	item := insightapi.Title{Title: passage.Text(d, s), TitleSource: insightapi.FromFirstLine}
	for _, l := range firstLines(d) {
		if l.Overlaps(s) && (l.heading || l.order > 0 && s.Len() >= len(strings.TrimSpace(d.Quote(l.Span)))/2) {
			item.TitleSource = insightapi.FromHeading
		}
	}
	return item, strings.ContainsFunc(item.Title, unicode.IsLetter) && !sentenceLike.MatchString(item.Title) && !notTitle.MatchString(item.Title)
}

// KindNamed returns the kind of a document, in title case, that something other than the
// rules read at a span. name must consist of words of the span; it is false if it is too
// long for a kind, or the span is not where a document states its kind.
func KindNamed(s layout.Span, name string) (insightapi.TypeName, bool) {
	words := len(strings.Fields(name))
	return insightapi.TypeName{DocumentType: titleCase(name)}, s.Start <= titleReach && words > 0 && words <= maxKindWords
}
