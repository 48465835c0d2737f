// Package vocabulary knows the words of questions and of contracts: which of them count, their
// stems, and what contracts write for the words of everyday speech.
package vocabulary

import (
	"strings"
	"unicode"
)

// stopWords are words that do not help to find an answer.
var stopWords = map[string]bool{
	"a": true, "about": true, "after": true, "all": true, "also": true, "an": true, "and": true, "any": true,
	"are": true, "as": true, "at": true, "be": true, "been": true, "before": true, "being": true, "between": true,
	"but": true, "by": true, "can": true, "could": true, "did": true, "do": true, "does": true, "each": true,
	"for": true, "from": true, "had": true, "has": true, "have": true, "he": true, "her": true, "here": true,
	"his": true, "how": true, "i": true, "if": true, "in": true, "into": true, "is": true, "it": true, "its": true,
	"may": true, "me": true, "more": true, "most": true, "must": true, "my": true, "no": true, "not": true, "of": true,
	"on": true, "or": true, "other": true, "our": true, "out": true, "over": true, "shall": true, "she": true,
	"should": true, "so": true, "some": true, "such": true, "than": true, "that": true, "the": true, "their": true,
	"them": true, "then": true, "there": true, "these": true, "they": true, "this": true, "those": true, "to": true,
	"under": true, "until": true, "up": true, "us": true, "was": true, "we": true, "were": true, "what": true,
	"when": true, "where": true, "which": true, "who": true, "whom": true, "whose": true, "why": true, "will": true,
	"with": true, "would": true, "you": true, "your": true, "please": true, "tell": true, "list": true, "give": true,
	"say": true, "says": true, "document": true, "agreement": true, "contract": true, "describe": true, "explain": true,
	"provide": true, "find": true, "party": true, "parties": true,
}

// Terms returns the significant words of s, stemmed: all but stop words and single
// letters or digits.
func Terms(s string) []string { return termsOf(s, false) }

// TermsBesideRoles is Terms without the first word of a party such as "receiving party" or
// "non-breaching party": it is no verb.
func TermsBesideRoles(s string) []string { return termsOf(s, true) }

// Stops reports whether a word, in lower case, does not help to find an answer.
func Stops(word string) bool { return stopWords[word] }

// termsOf returns the significant words of s, with roles as TermsBesideRoles.
func termsOf(s string, roles bool) []string {
	words := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	var terms []string
	for i, w := range words {
		role := roles && i+1 < len(words) && strings.HasPrefix(words[i+1], "part") && stopWords[words[i+1]] && strings.HasSuffix(w, "ing")
		if len(w) > 1 && !stopWords[w] && !role {
			terms = append(terms, Stem(w))
		}
	}
	return terms
}

// irregular maps forms of common irregular verbs to the verb.
var irregular = map[string]string{
	"paid": "pay", "borne": "bear", "bore": "bear", "sent": "send", "held": "hold", "withheld": "withhold", "made": "make", "kept": "keep",
	"gave": "give", "given": "give", "sold": "sell", "resold": "resell", "bought": "buy", "brought": "bring", "lost": "lose", "built": "build",
	"took": "take", "taken": "take", "undertaken": "undertake", "chosen": "choose", "chose": "choose", "written": "write", "wrote": "write", "known": "know",
	"knew": "know", "shown": "show", "began": "begin", "begun": "begin", "sought": "seek", "lent": "lend", "spent": "spend", "withdrawn": "withdraw",
	"found": "find", "told": "tell", "understood": "understand", "arose": "arise", "arisen": "arise", "became": "become", "met": "meet", "ran": "run",
}

// Stem returns w, in lower case, without common endings of nouns, verbs and adverbs, so that
// "terminated" matches "termination", "paid" matches "pay" and "orally" matches "oral". It
// leaves at least four letters, or three for a plural.
func Stem(w string) string {
	if w == "customs" { // the authority and its duties, which customers do not mean
		return w
	}
	if base, ok := irregular[w]; ok {
		w = base
	}
	// "Supply" and "apply" are no adverbs.
	if base, ok := strings.CutSuffix(w, "ly"); ok && (len(base) > 4 || strings.HasSuffix(base, "al")) {
		w = base
	}
	for _, end := range []string{"ies", "ied"} {
		if base, ok := strings.CutSuffix(w, end); ok && len(base) == 3 {
			return base + "y"
		}
	}
	if base, ok := strings.CutSuffix(w, "ing"); ok && len(base) == 3 && strings.ContainsAny(base, "aeiou") {
		return base
	}
	for _, end := range []string{"ations", "ation", "ating", "ments", "ment", "ings", "ing", "ions", "ion", "ates", "ated", "ate", "ies", "ied", "ers", "er", "als", "al", "es", "ed", "s", "e", "y"} {
		if base, ok := strings.CutSuffix(w, end); ok && len(base) >= 4 {
			return base
		}
	}
	if base, ok := strings.CutSuffix(w, "s"); ok && len(base) == 3 && base[2] != 's' {
		return base
	}
	return w
}
