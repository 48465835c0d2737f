package detect

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rectohq/recto/libs/formats/fields"
)

// maxBoxWidth bounds the white space between the brackets of a box, in bytes.
const maxBoxWidth = 24

// maxOptions bounds the boxes of one blank. Further boxes of its paragraph are ignored.
const maxOptions = 1000

// wideOption is the maximum number of words of an option if only a single space separates
// it from the next box on its line.
const wideOption = 4

// Characters for empty and ticked boxes. The reader of the file maps characters of symbol
// fonts to these.
const (
	emptyBoxes  = "☐□❑❒❏❐▢◻⬜"
	tickedBoxes = "☒☑🗹🗷⊠"
)

// mark is a possible box to tick.
type mark struct {
	start, end int
	ticked     bool
	// shape is 'g' for a box character, and '[' or '(' for brackets.
	shape rune
}

// findBoxes returns the boxes in the text, in order: box characters anywhere, and
// brackets that are empty or contain an x where a choice can begin. ticked means that
// "(X)" is a ticked box.
func findBoxes(text string, ticked bool) []mark {
	var found []mark
	for at := 0; at < len(text) && len(found) < maxOptions; {
		next := indexAny(text[at:], "[(", emptyBoxes+tickedBoxes)
		if next < 0 {
			break
		}
		m, ok := boxAt(text, at+next)
		if box, is := tickedAt(text, m.start); ticked && is {
			m, ok = box, true
		}
		if ok && opensChoice(text, m, found) {
			found = append(found, m)
		}
		at = m.end
	}
	return found
}

// indexAny returns the index of the first character of a text that is one of two sets: those in
// ASCII, and those beyond. It returns -1 if there is none. Most texts are ASCII, for which
// strings.IndexAny would search the second set in vain.
func indexAny(text, ascii, beyond string) int {
	var wanted [utf8.RuneSelf]bool
	for i := range len(ascii) {
		wanted[ascii[i]] = true
	}
	for i := 0; i < len(text); {
		if c := text[i]; c < utf8.RuneSelf {
			if wanted[c] {
				return i
			}
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		if r != utf8.RuneError && strings.ContainsRune(beyond, r) {
			return i
		}
		i += size
	}
	return -1
}

// boxAt parses the box at start. If there is none it returns false and a range of one
// character.
func boxAt(text string, start int) (mark, bool) {
	r, size := utf8.DecodeRuneInString(text[start:])
	switch {
	case strings.ContainsRune(emptyBoxes, r):
		return mark{start, start + size, false, 'g'}, true
	case strings.ContainsRune(tickedBoxes, r):
		return mark{start, start + size, true, 'g'}, true
	case r != '[' && r != '(':
		return mark{start, start + size, false, r}, false
	}
	closing := "]"
	if r == '(' {
		closing = ")"
	}
	rest := text[start+1 : min(len(text), start+1+maxBoxWidth)]
	inner, _, ok := strings.Cut(rest, closing)
	if !ok || strings.Contains(inner, "\n") {
		return mark{start, start + 1, false, r}, false
	}
	m := mark{start, start + len(inner) + 2, false, r}
	switch tick := strings.TrimSpace(inner); {
	case tick == "" && (r == '[' || inner != ""):
		return m, true
	case tick == "_" && r == '[':
		return m, true
	case strings.ContainsAny(tick, "xX✓✔") && utf8.RuneCountInString(tick) == 1 && (r == '[' || inner != tick):
		m.ticked = true
		return m, true
	}
	return mark{start, start + 1, false, r}, false
}

// opensChoice reports whether m can begin a choice. A bracket can at the beginning of a
// line, after a gap, after a question, and after the choice of a preceding bracket. It
// cannot within a sentence, where it stands for words: "within [ ] days".
func opensChoice(text string, m mark, before []mark) bool {
	if m.shape == 'g' {
		return true
	}
	after := text[m.end:]
	r, _ := utf8.DecodeRuneInString(after)
	if after != "" && !unicode.IsSpace(r) && !unicode.IsLetter(r) && r != '_' && r != '(' && r != '“' && r != '"' && r != Object {
		return false
	}
	gap := text[max(0, m.start-maxLookBehind):m.start]
	trimmed := strings.TrimRight(gap, " \t\n\u00a0\u2003")
	space := gap[len(trimmed):]
	alone := len(before) == 0 && strings.TrimSpace(after) == ""
	switch {
	case trimmed == "" || answer(trimmed, len(before) > 0):
		return true
	case m.shape == '[' && !m.ticked && alone && strings.HasSuffix(trimmed, ":") && known(lastStretch(trimmed)):
		return false // a blank for the value of the label
	case strings.ContainsAny(space, "\t\n"):
		return true
	case len(before) > 0 && before[len(before)-1].shape == m.shape:
		return parallel(text, before[len(before)-1], m, space)
	case m.shape == '(':
		return false
	}
	return strings.HasSuffix(trimmed, ":") || strings.HasSuffix(trimmed, "?") ||
		len(space) >= 3 && strings.TrimSpace(after) != ""
}

// answer reports whether s ends with a word to which a box after it belongs: "Yes [ ] No
// [ ]". Some words count only for the second box: "Order No [ ]" is not an answer.
func answer(s string, second bool) bool {
	words := strings.Fields(s[max(0, len(s)-20):])
	if len(words) == 0 {
		return false
	}
	switch strings.ToLower(words[len(words)-1]) {
	case "yes", "ja", "oui", "sí", "male", "true":
		return true
	case "no", "n/a", "nein", "non", "female", "false":
		return second
	}
	return false
}

// parallel reports whether the text after box m is a choice like the text after the
// previous box on the line.
func parallel(text string, before, m mark, space string) bool {
	option := strings.TrimSpace(text[before.end:m.start])
	if len(space) >= 2 {
		return true
	}
	next := strings.TrimSpace(text[m.end:min(len(text), m.end+maxLookBehind)])
	if option == "" || next == "" || len(option) > maxLabel || len(strings.Fields(option)) > wideOption {
		return false
	}
	a, _ := utf8.DecodeRuneInString(option)
	b, _ := utf8.DecodeRuneInString(next)
	return unicode.IsUpper(a) == unicode.IsUpper(b)
}

// boxBlanks returns the boxes of paragraph i as one blank.
func (d *document) boxBlanks(i int, boxes []mark) []Blank {
	if len(boxes) == 0 {
		return nil
	}
	text := d.paragraphs[i].Text
	b := Blank{Kind: Boxes, Type: fields.Checkbox, Paragraph: i, Start: boxes[0].start, End: boxes[0].end}
	trailing := boxesTrail(text, boxes)
	used := make(map[string]int, len(boxes))
	for n, m := range boxes {
		option := d.option(i, boxes, n, trailing)
		b.Options = append(b.Options, Box{Start: m.start, End: m.end, Option: distinct(option, used), Ticked: m.ticked})
	}
	b.Label = d.boxLabel(i, boxes[0], trailing)
	return []Blank{b}
}

// boxesTrail reports whether the boxes come after their options: "Yes ☐ No ☐".
func boxesTrail(text string, boxes []mark) bool {
	before := strings.TrimSpace(text[:boxes[0].start])
	after := strings.TrimSpace(text[boxes[len(boxes)-1].end:])
	return after == "" && before != "" && !strings.HasSuffix(before, ":") && !strings.HasSuffix(before, "?")
}

// option returns the text of the option of the nth box.
func (d *document) option(i int, boxes []mark, n int, trailing bool) string {
	text := d.paragraphs[i].Text
	from, to := boxes[n].end, len(text)
	if n+1 < len(boxes) {
		to = boxes[n+1].start
	}
	if trailing {
		from, to = 0, boxes[n].start
		if n > 0 {
			from = boxes[n-1].end
		}
		if n == 0 {
			_, from = questionEnd(text[:to])
		}
	}
	if option := optionText(text[from:to]); option != "" {
		return option
	}
	if option := d.besideCell(i); option != "" && len(boxes) == 1 {
		return option
	}
	return "Yes"
}

// optionText returns the text of an option without separators, and without blanks in it.
func optionText(s string) string {
	s = strings.TrimLeft(s[:min(len(s), 4*maxLabel)], " \t\n\u00a0\u2003")
	if line, _, ok := strings.Cut(s, "\n"); ok {
		s = line
	}
	s, _, _ = strings.Cut(s, "\t")
	s, _, _ = strings.Cut(s, "___")
	return short(strings.TrimSpace(strings.Trim(strings.TrimSpace(s), "/|,;:_"+string(Object))))
}

// distinct returns option, numbered if it was used before.
func distinct(option string, used map[string]int) string {
	used[option]++
	if n := used[option]; n > 1 {
		return distinct(option+" ("+strconv.Itoa(n)+")", used)
	}
	return option
}

// questionEnd returns the question at the beginning of s and the offset of its end, or 0
// if there is none.
func questionEnd(s string) (string, int) {
	at := strings.LastIndexAny(s, ":?")
	return strings.TrimSpace(s[:max(0, at)]), at + 1
}

// boxLabel returns the question to the boxes: the text before them, the label of their
// row, or the preceding paragraph.
func (d *document) boxLabel(i int, first mark, trailing bool) string {
	text := d.paragraphs[i].Text
	before := text[max(0, first.start-maxLookBehind):first.start]
	if trailing {
		question, _ := questionEnd(before)
		before = question
	}
	if label := tidy(before); label != "" {
		return label
	}
	if label := d.question(i); label != "" {
		return label
	}
	return d.rowLabel(i)
}

// short returns s cut to the maximum length of labels.
func short(s string) string {
	n := 0
	for at := range s {
		if n == maxLabel {
			return strings.TrimSpace(s[:at])
		}
		n++
	}
	return s
}
