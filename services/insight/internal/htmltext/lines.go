package htmltext

import "strings"

// lines is text in the making. What separates words, lines and paragraphs is
// written when something follows, so that none of it is at the ends.
type lines struct {
	text strings.Builder
	// breaks is how many line ends are due, gap the spaces, and marker what an item
	// of a list begins with.
	breaks int
	gap    string
	marker string
}

// paragraph is how many line ends are between paragraphs. There are never more.
const paragraph = 2

// separate makes what follows begin at least n line ends later than what is there.
func (l *lines) separate(n int) {
	if n > 0 {
		l.breaks, l.gap = max(l.breaks, n), ""
	}
}

// end ends a line.
func (l *lines) end() { l.separate(min(l.breaks+1, paragraph)) }

// flow adds text in which all kinds of space are alike.
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

// keep adds text with its spaces and line ends.
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

// maxGap is how many spaces are kept between two words. They are gathered one by
// one where there are tags between them.
const maxGap = 200

// space adds spaces to the gap.
func (l *lines) space(spaces string) {
	l.gap += spaces[:min(len(spaces), maxGap-len(l.gap))]
}

// put writes what is due and then words.
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
	// unseen drops what only says where words may be broken.
	unseen = strings.NewReplacer("\u00AD", "", "\u200B", "", "\u2060", "", "\uFEFF", "", "\x00", "")
	// lineEnds makes all of them "\n".
	lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n")
)

// isSpace reports what browsers show as a space between words.
func isSpace(r rune) bool {
	switch r {
	case ' ', '\t', '\n', '\r', '\f', '\u00A0', '\u202F':
		return true
	}
	return false
}
