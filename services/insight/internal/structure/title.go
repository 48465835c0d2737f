package structure

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rectohq/recto/services/insight/internal/space"
	"github.com/rectohq/recto/services/insight/internal/structure/signature"
	"github.com/rectohq/recto/services/insight/internal/structure/wording"
)

// Limits for titles.
const (
	maxTitle      = 120 // bytes
	maxTitleWords = 14
	maxRunIn      = 90 // bytes
	maxRunInWords = 12
	plainTitle    = 4 // words of a title in sentence case
	maxPlainWords = 9 // words of a title that is recognized by its capitals only
)

var (
	// rule matches a line drawn with characters, such as one under a heading.
	rule = space.Compile(`\s+[-_=–—*~]{3,}\s*$`)
	// contentsEntry matches the end of a table-of-contents line.
	contentsEntry = space.Compile(`(?:\.{3,}|(?:\. ){3,}|\t|\s{2,}|[A-Za-z)] )\s*(?:\d{1,3}|[ivxl]{1,5}|[A-Z]-\d{1,2})$`)
	contentsTitle = space.Compile(`^(?i:(?:table\s+of\s+)?contents|index)(?:\s+page)?[:.]?$`)
	// operative matches the beginning of the operative part of a contract, after the
	// recitals.
	operative = space.Compile(`^(?i:now,?\s+therefore|therefore,|in\s+consideration\s+of)`)
)

// wholeTitle returns the length of the title if the whole text is one, apart from
// punctuation at its end. Only numbered titles may end with a period.
func wholeTitle(text string, numbered bool) (int, bool) {
	if len(text) > 2*maxTitle {
		return 0, false
	}
	if at := rule.FindStringIndex(text); at != nil {
		text = text[:at[0]]
	}
	if len(text) == 0 || len(text) > maxTitle || strings.Count(text, "\n") > 2 {
		return 0, false
	}
	bare := strings.TrimRight(text, " .:")
	if len(text)-len(bare) > 1 && !strings.HasSuffix(text, ":") || strings.ContainsAny(text, "_|$=\"") || strings.Contains(text, "“") {
		return 0, false
	}
	c := wording.CaseOf(bare)
	if c.Words == 0 || c.Words > maxTitleWords || !c.Capitals() && !c.Title() || strings.HasSuffix(bare, ",") {
		return 0, false
	}
	if !numbered && (strings.HasSuffix(text, ".") || strings.HasSuffix(bare, ";") || signature.Labelled(text)) {
		return 0, false
	}
	if first, _ := utf8.DecodeRuneInString(bare); !unicode.IsLetter(first) && first != '(' && first != '[' {
		return 0, false
	}
	return len(bare), true
}

// runInTitle returns the length of a title at the beginning of a paragraph that continues
// after it, such as "Governing Law. This Agreement shall …".
func runInTitle(text string, numbered bool) (int, bool) {
	if n, ok := gapTitle(text, numbered); ok {
		return n, true
	}
	for i, r := range text {
		if i > maxRunIn {
			break
		}
		_, size := utf8.DecodeRuneInString(text[i:])
		rest := text[i+size:]
		switch r {
		case '.':
			if !wording.EndsAt(text, i) {
				continue
			}
		case ':':
			field := !numbered && (len(rest) < minBody || !wording.EndsSentence(rest)) // such as "Address: …"
			if !strings.HasPrefix(rest, " ") || field {
				return 0, false
			}
		case '–', '—', '-':
			if !strings.HasSuffix(text[:i], " ") && r == '-' || !numbered {
				continue
			}
		case '"', '“', '_', '\t', '$', '?':
			return 0, false
		default:
			continue
		}
		return checkRunIn(text[:i], rest, numbered)
	}
	return 0, false
}

// gapTitle returns the length of a title that does not end with a stop. Its paragraph
// continues after a wide gap, or with a word that begins a sentence.
func gapTitle(text string, numbered bool) (int, bool) {
	start := text[:min(len(text), maxRunIn)]
	for at := wording.NextGap(start, 0); at < len(start); at = wording.NextGap(start, at) {
		before := strings.TrimRightFunc(start[:at], space.Is)
		word := wording.FirstLetters(start[at:])
		sentence := wording.BeginsSentence(word) && len(word) > 1 && word[1:] == strings.ToLower(word[1:]) && unicode.IsUpper(rune(word[0]))
		wide := at-len(before) >= wideGap && !wording.StartsLower(start[at:])
		if !sentence && !wide {
			continue
		}
		if strings.ContainsAny(before, ".:;\"_$?") || strings.Contains(before, "“") {
			return 0, false
		}
		c := wording.CaseOf(before)
		if !numbered && !c.Capitals() {
			continue
		}
		if c.Words > maxPlainWords || endsOpen(before) || c.SmallWords > 0 && wording.IsSmall(strings.ToLower(wording.LastLetters(before))) {
			return 0, false
		}
		if sentence && !goesOn(start[at+len(word):]) {
			continue
		}
		if wide && numbered && c.Lower > 0 && c.Lower <= 2 && c.Words <= plainTitle && c.Capitalised > 0 {
			return len(before), true // "Law and jurisdiction"
		}
		return checkRunIn(before, text[at:], numbered)
	}
	return 0, false
}

// goesOn reports whether the text after the first word continues a sentence: with a word in
// lower case, or one that contracts capitalize.
func goesOn(rest string) bool {
	word := wording.FirstLetters(strings.TrimLeftFunc(rest, space.Is))
	switch word {
	case "Agreement", "Contract", "Party", "Parties", "Company", "Term", "Customer", "Licensee", "Licensor", "Distributor":
		return true
	}
	return word != "" && word == strings.ToLower(word)
}

// checkRunIn returns the length of title if it may be the title of the text that follows,
// rest.
func checkRunIn(title, rest string, numbered bool) (int, bool) {
	title = strings.TrimRight(title, " –—-")
	c := wording.CaseOf(title)
	most := maxRunInWords
	if !numbered {
		most = maxPlainWords
	}
	rest = strings.TrimLeftFunc(rest, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(".-–—", r) })
	if c.Words == 0 || c.Words > most || len(wording.LastLetters(title)) == 1 && c.Words > 1 && endsOpen(title) || rest == "" {
		return 0, false
	}
	if !c.Capitals() && !c.Title() || wording.StartsLower(rest) && !c.Capitals() {
		return 0, false
	}
	first, _ := utf8.DecodeRuneInString(title)
	if !unicode.IsUpper(first) || !numbered && (c.Words == 1 && len(title) < 4 || strings.Contains(title, ",") && !c.Capitals()) {
		return 0, false
	}
	if signature.Labelled(title+":") || wording.EndsCompany(title) {
		return 0, false
	}
	return len(title), true
}

// contentsWords is the title of most tables of contents.
const contentsWords = "TABLE OF CONTENTS"

// inContents reports for each paragraph whether it belongs to a table of contents. That
// begins with its title, and ends before a longer text, or where its first entry occurs
// again as a heading.
func inContents(text string, ps []piece) []bool {
	in := make([]bool, len(ps))
	open, firstEntry := false, ""
	for i, p := range ps {
		t := text[p.Start:p.End]
		switch {
		case p.margin:
			continue
		case contentsTitle.MatchString(t) || len(t) > maxTitle && strings.EqualFold(t[:len(contentsWords)], contentsWords):
			open, firstEntry = true, ""
			in[i] = true
			continue
		case !open && isEntry(t):
			in[i] = isLeader(t)
			continue
		case !open:
			continue
		}
		key := entryKey(t)
		if key == firstEntry || !isEntry(t) && len(t) > maxTitle {
			open = false
			continue
		}
		if firstEntry == "" && isEntry(t) {
			firstEntry = key
		}
		in[i] = true
	}
	return in
}

// isEntry reports whether a text ends like a table-of-contents line.
func isEntry(t string) bool {
	return len(t) <= 2*maxTitle && contentsEntry.MatchString(t)
}

// isLeader reports whether a text has dot leaders.
func isLeader(t string) bool {
	return strings.Contains(t, "....") || strings.Contains(t, ". . . .")
}

// entryKey returns what a table-of-contents entry and its heading have in common.
func entryKey(t string) string {
	t = strings.TrimRightFunc(t, func(r rune) bool { return unicode.IsDigit(r) || unicode.IsSpace(r) || r == '.' })
	return strings.ToLower(strings.Join(strings.FieldsFunc(t, func(r rune) bool { return unicode.IsSpace(r) || r == '.' }), " "))
}
