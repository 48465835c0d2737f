package htmltext

import "strings"

// lines builds a text. Separators of words, lines and paragraphs are written when more text
// follows, so that there are none at either end.
type lines struct {
	text strings.Builder
	// breaks, gap and marker are the pending line ends, spaces and list marker.
	breaks int
	gap    string
	marker string
}

// paragraph is the number of line ends between paragraphs, which is also the maximum.
const paragraph = 2

// separate puts at least n line ends before the text that follows.
func (l *lines) separate(n int) {
	if n > 0 {
		l.breaks, l.gap = max(l.breaks, n), ""
	}
}

// end ends a line.
func (l *lines) end() { l.separate(min(l.breaks+1, paragraph)) }

// flow adds text in which any run of white space is one space.
func (l *lines) flow(text string) {
	for text != "" {
		n := strings.IndexFunc(text, isSpace)
		if n < 0 {
			n = len(text)
		}
		if n > 0 {
			l.put(text[:n])
		}
		rest := strings.TrimLeftFunc(text[n:], isSpace)
		if len(rest) < len(text)-n && l.breaks == 0 && l.text.Len() > 0 {
			l.gap = " "
		}
		text = rest
	}
}

// keep adds text, preserving spaces and line ends.
func (l *lines) keep(text string) {
	for line := range strings.Lines(lineEnds.Replace(text)) {
		words := strings.TrimRight(line, " \t\n")
		begin := len(words) - len(strings.TrimLeft(words, " \t"))
		l.space(words[:begin])
		if begin < len(words) {
			l.put(words[begin:])
		}
		if strings.HasSuffix(line, "\n") {
			l.end()
		} else {
			l.space(line[len(words):])
		}
	}
}

// maxGap is the maximum number of spaces between two words. It bounds spaces that are
// collected from between many tags.
const maxGap = 200

// space adds spaces to the gap.
func (l *lines) space(spaces string) {
	l.gap += spaces[:min(len(spaces), maxGap-len(l.gap))]
}

// put writes the pending separators, then words.
func (l *lines) put(words string) {
	if l.text.Len() > 0 {
		l.text.WriteString("\n\n"[:l.breaks])
	}
	l.text.WriteString(l.gap)
	l.text.WriteString(l.marker)
	l.text.WriteString(words)
	l.breaks, l.gap, l.marker = 0, "", ""
}

var (
	// unseen removes characters that only mark where words may be broken, and NUL.
	unseen = strings.NewReplacer("\u00AD", "", "\u200B", "", "\u2060", "", "\uFEFF", "", "\x00", "")
	// lineEnds converts all line ends to "\n".
	lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n")
)

// isSpace reports whether browsers show r as a space between words.
func isSpace(r rune) bool {
	switch r {
	case ' ', '\t', '\n', '\r', '\f', '\u00A0', '\u202F':
		return true
	}
	return false
}
