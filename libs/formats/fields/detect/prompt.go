package detect

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rectohq/recto/libs/formats/fields"
)

// Bounds of prompts, in words.
const (
	// maxNoun is how long the noun phrase is that a prompt begins with.
	maxNoun = 24
	// maxLower is how long a prompt is that begins with a small letter.
	maxLower = 6
)

// bracketed is text in brackets and what stands around it.
type bracketed struct {
	span
	// open is the opening bracket: '[', '{', '<' or '«'.
	open rune
	// inner is the trimmed text between the brackets.
	inner string
	// doubled says that there are two of each bracket.
	doubled bool
	// before and after are the ends of the text around it.
	before, after string
	// alone says that the paragraph has no other text.
	alone bool
	// labelled says that a label asks for it: before it in its line, or the cell
	// to its left.
	labelled bool
	// emphasised says that it is highlighted or coloured.
	emphasised bool
}

// prompts returns the blanks of the paragraph i that are bracketed prompts.
func (d *document) prompts(i int, boxes []mark) []Blank {
	p := &d.paragraphs[i]
	var found []Blank
	end := 0
	emphasised := marked(p.Marks, Emphasised)
	for _, b := range d.brackets(i) {
		for len(boxes) > 0 && boxes[0].end <= b.start {
			boxes = boxes[1:]
		}
		b.emphasised = emphasised.overlaps(b.start, b.end)
		if b.start < end || len(boxes) > 0 && boxes[0].start == b.start || !isPrompt(b) {
			continue
		}
		if d.dollars && isDollarBrace(b) {
			b.start-- // "${name}" is one sign of template languages
		}
		label, t := d.promptLabel(i, b)
		found = append(found, Blank{Kind: Prompt, Type: t, Label: label, Paragraph: i, Start: b.start, End: b.end})
		end = b.end
	}
	return found
}

// isDollarBrace reports whether b may be the "${name}" of a template language.
func isDollarBrace(b bracketed) bool {
	return b.open == '{' && !b.doubled && strings.HasSuffix(b.before, "$")
}

// onlyDollarBraces reports whether all prompts in braces have a dollar sign before
// them: it belongs to them then, and is no currency.
func (d *document) onlyDollarBraces() bool {
	for i := range d.paragraphs {
		if !strings.Contains(d.paragraphs[i].Text, "{") {
			continue
		}
		for _, b := range d.brackets(i) {
			if b.open == '{' && isPrompt(b) && !isDollarBrace(b) {
				return false
			}
		}
	}
	return true
}

// isPrompt reports whether the brackets hold what is to be replaced by a value.
func isPrompt(b bracketed) bool {
	switch b.open {
	case '{':
		return isBracePrompt(b)
	case '<', '«':
		return isAnglePrompt(b)
	}
	if strings.ContainsRune(b.inner, Object) {
		return false
	}
	if b.inner == "" {
		return true
	}
	if strings.HasPrefix(b.after, "(http") || strings.HasPrefix(b.after, "(#") || strings.HasPrefix(b.inner, "{") {
		return false
	}
	if symbols(b.inner) {
		return !strings.Contains(b.inner, "*") && !crossReference(b.before)
	}
	words := splitWords(b.inner)
	if len(words) == 0 || isNote(b.inner, words) || strings.Contains(b.inner, "__") {
		return false
	}
	return b.doubled || isSuggestion(b, words) || dateForm(words) || isPhrase(b, words) && !isCitation(words)
}

// dateForm reports whether the words are the parts of a date as they are to be
// written: "YYYY-MM-DD".
func dateForm(words []string) bool {
	for _, w := range words {
		if strings.Trim(w, w[:1]) != "" || strings.IndexByte("ymdj", w[0]) < 0 || len(w) < 2 {
			return false
		}
	}
	return len(words) == 3
}

// isCitation reports whether the words refer to a publication: a name and a year.
func isCitation(words []string) bool {
	n := len(words)
	year := words[n-1]
	if n < 2 || n > 4 || len(year) != 4 || !strings.HasPrefix(year, "19") && !strings.HasPrefix(year, "20") || strings.Trim(year, "0123456789") != "" {
		return false
	}
	for _, w := range words[:n-1] {
		if months[w] || strings.Trim(w, "0123456789") == "" || placeholderNoun(w) || units[w] {
			return false
		}
	}
	return true
}

// symbols reports whether s is a sign that stands for a value: bullets, a number
// sign, underscores, x, dots.
func symbols(s string) bool {
	s = strings.ReplaceAll(s, " ", "")
	if strings.Trim(s, "X") == "" || strings.Trim(s, "x") == "" {
		return len(s) <= 6
	}
	if strings.Trim(s, ".") == "" {
		return len(s) >= 3
	}
	return strings.Trim(s, "●•∙·○◦_#?$€£…⚫▪■%-–—/") == "" && strings.Trim(s, "-–—/%") != ""
}

// crossReference reports whether the text before brackets is a number of a
// section, so that they repeat its heading: "Section 10.1 [Term]".
func crossReference(before string) bool {
	words := strings.Fields(before)
	if len(words) == 0 {
		return false
	}
	last := words[len(words)-1]
	if n := len(words); n > 1 && partOfDocument(strings.ToLower(words[n-2])) && strings.Trim(last, "0123456789.()IVXLCABDEivxlc-:") == "" {
		return true
	}
	first, _ := utf8.DecodeRuneInString(last)
	return unicode.IsDigit(first) && strings.Trim(last, "0123456789.()abcdefghijklmnopqrstuvwxyz") == "" &&
		(len(words) == 1 || !months[strings.ToLower(words[len(words)-2])])
}

// partOfDocument reports whether a word names a part that is numbered.
func partOfDocument(w string) bool {
	switch w {
	case "section", "sections", "exhibit", "schedule", "annex", "appendix", "article", "page", "clause", "paragraph", "part", "chapter":
		return true
	}
	return false
}

// isNote reports whether brackets hold what is said to who drafts the document or
// about the document itself.
func isNote(inner string, words []string) bool {
	first := words[0]
	text := strings.Join(words, " ")
	switch {
	case imperatives[first]:
		return strings.Contains(text, "delete the other") || strings.Contains(text, "select one") || strings.Contains(text, "choose one")
	case noteWords[first]:
		return true
	case first == "optional" || first == "alternative":
		return len(words) == 1 || strings.Contains(text, "delete") || strings.HasPrefix(inner[len(first):], ":")
	case partOfDocument(first) && len(words) <= 3:
		return true
	case first == "logo", strings.HasSuffix(text, "appears here"), first == "sig":
		return true
	case first == "form" && len(words) > 1, first == "not", first == "to" && len(words) > 2, first == "delete", first == "remove":
		return true
	case strings.HasPrefix(text, "signature page"), strings.HasPrefix(text, "signature authenticated"),
		strings.HasPrefix(text, "for example"), strings.HasPrefix(text, "the remainder"), strings.HasPrefix(text, "the rest"):
		return true
	}
	return strings.Contains(text, "page follows") || strings.Contains(text, "left blank") || strings.Contains(text, "follows on") ||
		strings.Contains(text, "letterhead") || strings.Contains(text, "next page") || strings.Contains(text, "following page") ||
		strings.Contains(text, "intentionally") || strings.Contains(text, "note to") || strings.Contains(text, "drafting note") ||
		strings.Contains(inner, "***")
}

// isSuggestion reports whether brackets hold a value that is proposed: an
// amount, a number with its unit after it, a date.
func isSuggestion(b bracketed, words []string) bool {
	money := strings.TrimLeft(b.inner, "$€£") != b.inner || endsWithAny(b.before, "$€£")
	number := true
	for _, w := range words {
		number = number && (strings.Trim(w, "0123456789") == "" || numerals[w])
	}
	if number && len(words) <= 6 {
		next := splitWords(b.after)
		return money || strings.HasPrefix(b.after, "%") || len(next) > 0 && units[next[0]]
	}
	return len(words) == 3 && months[words[0]] && len(words[2]) == 4 && strings.Trim(words[1]+words[2], "0123456789") == ""
}

func endsWithAny(s, signs string) bool {
	r, size := utf8.DecodeLastRuneInString(strings.TrimSpace(s))
	return size > 0 && strings.ContainsRune(signs, r)
}

// isPhrase reports whether brackets hold a phrase that names what belongs there.
func isPhrase(b bracketed, words []string) bool {
	first := words[0]
	if imperatives[first] || first == "please" || strings.HasSuffix(b.inner, "to be added") || strings.HasSuffix(b.inner, "TO BE ADDED") {
		return true
	}
	segment := splitWords(firstSegment(b.inner))
	if len(segment) == 0 || len(segment) > maxNoun || crossReference(b.before) {
		return false
	}
	r, _ := utf8.DecodeRuneInString(b.inner)
	switch {
	case interrogative(first) && first != "that" && first != "which":
		return unicode.IsUpper(r)
	case quantifier(first) && unicode.IsUpper(r) && len(segment) > 1:
		return (b.emphasised || b.alone && b.labelled) && !clause(segment)
	case functionWord(first) || clause(segment):
		return false
	case unicode.IsLower(r):
		return len(words) <= maxLower && !sentence(segment) && known(b.inner)
	case !unicode.IsUpper(r):
		return false
	case known(strings.Join(segment, " ")):
		return true
	}
	return !sentence(segment) && (b.emphasised || b.labelled || inSentence(b))
}

// quantifier reports whether a word begins both descriptions of values ("Any
// special terms") and clauses of contracts ("Any notice under this agreement").
func quantifier(w string) bool {
	switch w {
	case "any", "all", "each", "other", "either", "no":
		return true
	}
	return false
}

// clause reports whether the words say of their noun what it is or has to do:
// "The tenant shall pay the rent". What is said after another noun only describes
// the first: "Number of days the tenant must give notice".
func clause(words []string) bool {
	head, rest := headOf(words)
	if modal(head) {
		return true
	}
	if len(rest) == 0 {
		return false
	}
	switch rest[0] {
	case "is", "was", "are", "has":
		return true
	}
	return false
}

// firstSegment returns s up to where its first phrase ends.
func firstSegment(s string) string {
	if at := strings.IndexAny(s, ".;:—(["); at > 0 {
		return s[:at]
	}
	return s
}

// modal reports whether the words state what somebody has to do.
func modal(words []string) bool {
	for _, w := range words {
		switch w {
		case "shall", "must", "will", "agrees", "agree", "hereby", "represents", "warrants", "acknowledges":
			return true
		}
	}
	return false
}

// sentence reports whether the words are a sentence: they have a verb before
// any relative clause.
func sentence(words []string) bool {
	for _, w := range words {
		if interrogative(w) {
			return false
		}
		if verbs[w] {
			return true
		}
	}
	return false
}

// inSentence reports whether the brackets stand where a sentence goes on, so
// that a capital in them begins a phrase of its own.
func inSentence(b bracketed) bool {
	before := strings.TrimRight(b.before, " \t\u00a0“\"‘'($€£")
	words := strings.Fields(before)
	if len(words) > 0 {
		last := words[len(words)-1]
		r, _ := utf8.DecodeRuneInString(last)
		return unicode.IsLower(r) && !strings.ContainsAny(last[len(last)-1:], ".;!?") || strings.HasSuffix(last, ",")
	}
	after, _ := utf8.DecodeRuneInString(strings.TrimLeft(b.after, " \u00a0”\"’'"))
	return unicode.IsLower(after) || after == ','
}

// isBracePrompt reports whether braces hold an identifier or a phrase that names
// a value, and no command of a template.
func isBracePrompt(b bracketed) bool {
	if len(b.inner) < 2 || len(b.inner) > maxLabel || !plain(b.inner) {
		return false
	}
	words := splitWords(b.inner)
	first, _ := utf8.DecodeRuneInString(b.inner)
	if len(words) == 0 || !unicode.IsLetter(first) || strings.HasPrefix(b.inner, strings.TrimSuffix(fields.IDPrefix, "-")) {
		return false
	}
	if len(strings.Fields(b.inner)) == 1 {
		return !commands[strings.ToLower(b.inner)] && !strings.HasPrefix(b.inner, "END-")
	}
	if commands[words[0]] && !known(b.inner) || strings.ToUpper(b.inner[:2]) == b.inner[:2] && commands[words[0]] {
		return false
	}
	return !modal(words) && (b.doubled || known(b.inner) || imperatives[words[0]] || unicode.IsUpper(first) && !sentence(words))
}

// isAnglePrompt reports whether angle brackets or guillemets hold the name of a
// value, and no markup, address or quotation.
func isAnglePrompt(b bracketed) bool {
	if len(b.inner) < 2 || len(b.inner) > maxLabel || !plain(b.inner) || strings.Contains(b.inner, ".") {
		return false
	}
	words := splitWords(b.inner)
	r, _ := utf8.DecodeRuneInString(b.inner)
	if len(words) == 0 || len(words) > 8 || !unicode.IsLetter(r) || functionWord(words[0]) || modal(words) {
		return false
	}
	if b.open == '«' {
		oneWord := len(strings.Fields(b.inner)) == 1 && b.end-b.start == len(b.inner)+2*len("«")
		return oneWord && (known(b.inner) || strings.Contains(b.inner, "_"))
	}
	return imperatives[words[0]] || known(b.inner) && (len(words) > 1 || unicode.IsUpper(r))
}

// plain reports whether s is letters, digits and the signs of names.
func plain(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(" _-.'’&/,()#:", r)
	}) < 0
}

// promptLabel returns the label and the type of a prompt. Signs say neither, so
// that the text around them does.
func (d *document) promptLabel(i int, b bracketed) (string, fields.Type) {
	if b.inner == "" || symbols(b.inner) {
		label, t := d.lineLabel(i, b.span)
		return label, t
	}
	if words := splitWords(b.inner); isSuggestion(b, words) {
		if len(words) == 3 && months[words[0]] {
			return short(collapseSpaces(b.inner)), fields.Date
		}
		return short(collapseSpaces(b.inner)), fields.Text
	}
	label := short(collapseSpaces(b.inner))
	if dateForm(splitWords(b.inner)) {
		return label, fields.Date
	}
	return label, TypeOf(firstSegment(b.inner))
}
