package detect

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rectohq/recto/libs/formats/fields"
)

// Limits of prompts, in words.
const (
	// maxNoun is the maximum length of the noun phrase at the beginning of a prompt.
	maxNoun = 24
	// maxLower is the maximum length of a prompt that begins with a lower-case letter.
	maxLower = 6
)

// bracketed is text in brackets and its surroundings.
type bracketed struct {
	span
	// open is the opening bracket: '[', '{', '<' or '«'.
	open rune
	// inner is the trimmed text between the brackets.
	inner string
	// doubled reports whether each bracket is doubled.
	doubled bool
	// before and after are the adjacent parts of the text around it.
	before, after string
	// alone reports whether the paragraph has no other text.
	alone bool
	// labelled reports whether a label asks for it: before it on its line, or in the cell
	// to its left.
	labelled bool
	// emphasized reports whether it is highlighted or colored.
	emphasized bool
}

// prompts returns the blanks of paragraph i that are bracketed prompts.
func (d *document) prompts(i int, boxes []mark) []Blank {
	p := &d.paragraphs[i]
	var found []Blank
	end := 0
	emphasized := marked(p.Marks, Emphasized)
	for _, b := range d.brackets(i) {
		for len(boxes) > 0 && boxes[0].end <= b.start {
			boxes = boxes[1:]
		}
		b.emphasized = emphasized.overlaps(b.start, b.end)
		if b.start < end || len(boxes) > 0 && boxes[0].start == b.start || !isPrompt(b) {
			continue
		}
		if d.dollars && isDollarBrace(b) {
			b.start-- // in template languages, "${name}" is one token
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

// onlyDollarBraces reports whether every prompt in braces follows a dollar sign, which is
// then part of the prompt and not a currency sign.
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

// isPrompt reports whether the bracketed text is to be replaced with a value.
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

// dateForm reports whether the words are the parts of a date format: "YYYY-MM-DD".
func dateForm(words []string) bool {
	for _, w := range words {
		if strings.Trim(w, w[:1]) != "" || strings.IndexByte("ymdj", w[0]) < 0 || len(w) < 2 {
			return false
		}
	}
	return len(words) == 3
}

// isCitation reports whether the words cite a publication: a name and a year.
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

// symbols reports whether s is a symbol that stands for a value: bullets, a number sign,
// underscores, x, dots.
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

// crossReference reports whether the text before the brackets is a section number, so
// that they repeat its heading: "Section 10.1 [Term]".
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

// partOfDocument reports whether a word names a numbered part of a document.
func partOfDocument(w string) bool {
	switch w {
	case "section", "sections", "exhibit", "schedule", "annex", "appendix", "article", "page", "clause", "paragraph", "part", "chapter":
		return true
	}
	return false
}

// isNote reports whether the bracketed text is a note to drafters or about the document
// itself.
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

// isSuggestion reports whether the bracketed text is a proposed value: an amount, a
// number with a unit, or a date.
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

// isPhrase reports whether the bracketed text is a phrase that names the value to fill
// in.
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
		return (b.emphasized || b.alone && b.labelled) && !clause(segment)
	case functionWord(first) || clause(segment):
		return false
	case unicode.IsLower(r):
		return len(words) <= maxLower && !sentence(segment) && known(b.inner)
	case !unicode.IsUpper(r):
		return false
	case known(strings.Join(segment, " ")):
		return true
	}
	return !sentence(segment) && (b.emphasized || b.labelled || inSentence(b))
}

// quantifier reports whether a word begins both descriptions of values ("Any special
// terms") and contract clauses ("Any notice under this agreement").
func quantifier(w string) bool {
	switch w {
	case "any", "all", "each", "other", "either", "no":
		return true
	}
	return false
}

// clause reports whether the words state what their subject is or must do: "The tenant
// shall pay the rent". A statement about a later noun only describes the first one:
// "Number of days the tenant must give notice".
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

// firstSegment returns s up to the end of its first phrase.
func firstSegment(s string) string {
	if at := strings.IndexAny(s, ".;:—(["); at > 0 {
		return s[:at]
	}
	return s
}

// modal reports whether the words state an obligation.
func modal(words []string) bool {
	for _, w := range words {
		switch w {
		case "shall", "must", "will", "agrees", "agree", "hereby", "represents", "warrants", "acknowledges":
			return true
		}
	}
	return false
}

// sentence reports whether the words are a sentence: they have a verb before any relative
// clause.
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

// inSentence reports whether the brackets are in the middle of a sentence, so that a
// capital letter in them begins a separate phrase.
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

// isBracePrompt reports whether braces hold an identifier or phrase that names a value,
// and not a template command.
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

// isAnglePrompt reports whether angle brackets or guillemets hold the name of a value,
// and not markup, an address or a quotation.
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

// plain reports whether s consists of letters, digits and characters common in names.
func plain(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(" _-.'’&/,()#:", r)
	}) < 0
}

// promptLabel returns the label and the type of a prompt. A symbol has neither, so they
// come from the text around it.
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
