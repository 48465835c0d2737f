package detect

import "strings"

// At returns the label of the place [start, end) in paragraph i, or "" if there is none.
// It uses the text before the place, the text in parentheses after it, the label of its
// table row or, if the place is alone in its paragraph, the question before it.
func (l *Labels) At(i, start, end int) string {
	text := l.document.paragraphs[i].Text
	before := afterObject(lastStretch(text[max(0, start-maxLookBehind):start]))
	if strings.HasSuffix(before, ":") || strings.HasSuffix(before, "#") || strings.HasSuffix(before, "?") {
		if label := tidy(sentenceEnd(before)); label != "" {
			return label
		}
	}
	if label := captionAfter(text[end:]); label != "" {
		return label
	}
	if label := tidy(lastWords(sentenceEnd(before))); hasLetter(label) {
		return label
	}
	if label := l.document.rowLabel(i); label != "" {
		return label
	}
	if strings.TrimSpace(text) == strings.TrimSpace(text[start:end]) {
		return l.document.question(i)
	}
	return ""
}

// Question returns the question to a group of boxes whose first one is at the offset
// start of paragraph i, or "" if there is none.
func (l *Labels) Question(i, start int) string {
	text := l.document.paragraphs[i].Text
	before := afterObject(strings.ToValidUTF8(text[max(0, start-maxLookBehind):start], ""))
	if at := strings.LastIndexAny(before, ":?"); at >= 0 {
		return tidy(sentenceEnd(before[:at+1]))
	}
	if strings.TrimSpace(before) != "" {
		return ""
	}
	if label := l.document.question(i); label != "" {
		return label
	}
	return l.document.rowLabel(i)
}

// afterObject returns the text of s after its last object.
func afterObject(s string) string {
	if at := strings.LastIndex(s, string(Object)); at >= 0 {
		s = s[at+len(string(Object)):]
	}
	return strings.TrimSpace(s)
}
