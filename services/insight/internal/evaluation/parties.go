package evaluation

import (
	"hash/fnv"
	"regexp"
	"strings"
	"unicode"

	"github.com/rectohq/recto/libs/contract/insightapi"
)

// parties scores the names of the parties, over all contracts and over the half of the
// companies that the contract belongs to.
func (r *Report) parties(found []insightapi.Party, c Contract) {
	gold := GoldParties(c)
	if len(gold) == 0 {
		return
	}
	keys := map[string]bool{}
	for _, name := range gold {
		keys[partyKey(name)] = false
	}
	for _, s := range []*Score{r.score("parties"), r.score("parties, " + half(c) + " half")} {
		for key := range keys {
			keys[key] = false
		}
		for _, p := range found {
			key := partyKey(p.PartyName)
			_, right := keys[key]
			if right {
				keys[key] = true
			}
			s.addFound(right)
		}
		for _, recalled := range keys {
			s.addGold(recalled)
		}
	}
	for _, p := range found {
		_, right := keys[partyKey(p.PartyName)]
		r.Calibration.Add(p.ConfidenceScore, right)
	}
}

// half returns the half of the companies that a contract belongs to.
func half(c Contract) string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(c.Company()))
	if h.Sum32()>>7&1 == 0 {
		return "first"
	}
	return "second"
}

// Patterns for annotated parties.
var (
	// quotedTerm matches a defined term in an answer.
	quotedTerm = regexp.MustCompile(`["“”]\s*([^"“”]+?)\s*["“”]`)
	// besideName matches what annotated passages have beside the legal name: a label, and
	// other names.
	besideName = regexp.MustCompile(`^[\pL /-]+:\s*|(?i)\s*,?\s*\(?\b(?:[df]/[kb]/a|dba|doing business\s+as)\b.*$`)
	// notLegal matches an annotated passage that is no legal name: a defined term, or a
	// sentence about the parties.
	notLegal = regexp.MustCompile(`(?i)["“”]|\bpart(?:y|ies)\b|^\(|\blisted\b|\n\s*\n.*\n\s*\n`)
)

// minPrefix is how many letters at the beginning of two names must agree, so that one is
// taken for a misspelling of the other.
const minPrefix = 8

// GoldParties returns the annotated legal names of the parties of a contract. Annotations
// of parties are legal names, defined terms, and passages with both. The answer tells them
// apart: each of its parts begins with the legal name, and has the terms in quotation marks.
func GoldParties(c Contract) []string {
	answer := c.Answers["Parties"]
	terms := map[string]bool{}
	for _, m := range quotedTerm.FindAllStringSubmatch(answer, -1) {
		terms[partyKey(m[1])] = true
	}
	heads := headsOf(answer)
	var gold []string
	seen := map[string]bool{}
	for _, m := range c.Clauses["Parties"] {
		name := besideName.ReplaceAllString(m.Text, "")
		key := partyKey(name)
		if seen[key] || notLegal.MatchString(name) || !legal(name, key, heads, terms) {
			continue
		}
		seen[key] = true
		gold = append(gold, name)
	}
	return gold
}

// headsOf returns the texts with which the parts of an answer begin.
func headsOf(answer string) []string {
	var heads []string
	for part := range strings.SplitSeq(answer, ";") {
		part = strings.TrimLeft(part, " (")
		if end := strings.Index(part, "(\""); end >= 0 {
			part = part[:end]
		}
		if end := strings.Index(part, "(“"); end >= 0 {
			part = part[:end]
		}
		heads = append(heads, part)
	}
	return heads
}

// legal reports whether an annotated text is a legal name in an answer.
func legal(text, key string, heads []string, terms map[string]bool) bool {
	if key == "" {
		return false
	}
	if terms[key] && !strings.ContainsAny(strings.TrimSpace(text), " .") {
		return false
	}
	for _, head := range heads {
		if partyKey(head) == key {
			return true
		}
	}
	if terms[key] {
		return false
	}
	for _, head := range heads {
		a, _ := fold(head)
		b, _ := fold(text)
		n := min(minPrefix, len(a), len(b))
		if NameWithin(head, text) || n == minPrefix && a[:n] == b[:n] {
			return true
		}
	}
	return false
}

// sameForms are spellings of legal forms.
var sameForms = map[string]string{"incorporated": "inc", "corporation": "corp", "limited": "ltd", "company": "co"}

// partyKey returns a name without case, punctuation, "the" at the beginning, and the
// differences in spelling legal forms.
func partyKey(name string) string {
	words := strings.FieldsFunc(strings.NewReplacer(".", "", "'", "", "’", "", "&", " and ").Replace(strings.ToLower(name)), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	if len(words) > 1 && words[0] == "the" {
		words = words[1:]
	}
	for i, w := range words {
		if form, ok := sameForms[w]; ok {
			words[i] = form
		}
	}
	return strings.Join(words, "")
}
