package signature

import (
	"strings"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/space"
	"github.com/rectohq/recto/services/insight/internal/structure/wording"
)

// person takes a person's name, and the title that may follow it.
func (b *blockReader) person(m mark) bool {
	name, title, ok := personIn(b.text, m.value)
	if !ok || strings.Contains(b.quote(m.value), "@") {
		return false
	}
	b.extend(m.Span)
	b.now.Name, b.last = name, named
	if title.Len() > 0 && b.now.Title.Len() == 0 {
		b.now.Title = title
	}
	return true
}

// nameAndTitle takes a line with a title. The name may precede it, and the party follow it:
// "John Doe, President", "CEO, Acme Ltd".
func (b *blockReader) nameAndTitle(m mark, t string) bool {
	if name, title, ok := personIn(b.text, m.value); ok && title.Len() > 0 && (b.now.Name.Len() == 0 || b.sameName(name)) {
		b.now.Name, b.now.Title = name, title
	} else if before, after, found := strings.Cut(t, ","); wording.EndsCompany(t) {
		if !found || !office.MatchString(before) || formOnly(after) && officeAt(t) == 0 || !partial(strings.TrimSpace(after)) {
			return false
		}
		b.now.Title = layout.Span{Start: m.value.Start, End: m.value.Start + len(before)}
		if b.now.Party.Len() == 0 {
			b.now.Party = wording.Trimmed(b.text, layout.Span{Start: m.value.End - len(after), End: m.value.End})
		}
	} else if sentence(t) {
		return false
	} else {
		b.now.Title = titleIn(b.text, m.value)
	}
	b.extend(m.Span)
	b.last = titled
	return true
}

// titleIn returns a title without the "Its" before it.
func titleIn(text string, s layout.Span) layout.Span {
	if t := text[s.Start:s.End]; len(t) > len("its ") && strings.EqualFold(t[:len("its ")], "its ") {
		s.Start += len("its ")
	}
	return s
}

// namedBy takes the value of a name label. A blank one leaves the name that is signed.
func (b *blockReader) namedBy(s layout.Span) {
	if s.Len() == 0 && b.now.Name.Len() > 0 {
		return
	}
	name, title, ok := personIn(b.text, s)
	if !ok {
		if t := b.quote(s); !wording.StartsLower(t) && !captions(t) && !wording.EndsCompany(t) && !unnamed(t) && len(t) <= maxParty {
			b.now.Name = s
		}
		return
	}
	b.now.Name = name
	if title.Len() > 0 && b.now.Title.Len() == 0 {
		b.now.Title = title
	}
}

// sealBehind matches the place for a seal behind a signature.
var sealBehind = space.Compile(`\s*[(\[](?i:seal|l\.s\.)[)\]]$`)

// signedBy takes the text on a signature line: a name, perhaps twice, and a title.
func (b *blockReader) signedBy(s layout.Span) {
	if s.Len() == 0 {
		return
	}
	if t := b.quote(s); witnessName.MatchString(t) || witnessing.MatchString(t) {
		b.witness = true
		return
	}
	s.Start += len(copiedBy.FindString(b.quote(s)))
	s.End -= len(sealBehind.FindString(b.quote(s)))
	s = b.printedName(s)
	s.End -= len(couple.FindString(b.quote(s)))
	if b.now.Name.Len() > 0 && b.sameName(s) {
		return // "Name:" above "By:"
	}
	name, title := twice(b.text, s)
	if title.Len() == 0 {
		name = beforeGap(b.text, name)
		var ok bool
		if name, title, ok = personIn(b.text, name); !ok {
			return
		}
		name, _ = twice(b.text, name)
	}
	if Personal(b.quote(name)) && !initials(b.quote(name)) {
		b.now.Name = name
		if title.Len() > 0 {
			b.now.Title = title
		}
	}
}

// printedName returns the part of a signature line before the first label in it, or the name behind
// the label "Name": "/s/ J. Doe Name John Doe Title President".
func (b *blockReader) printedName(s layout.Span) layout.Span {
	at := nextLabel(b.quote(s), fieldsAt(b.quote(s)))
	if at == 0 {
		return s
	}
	signed := layout.Span{Start: s.Start, End: s.Start + at}
	printed := wording.Trimmed(b.text, layout.Span{Start: signed.End, End: s.End})
	label := nameWord.FindString(b.quote(printed))
	printed.Start += len(label)
	if at := nextLabel(b.quote(printed), fieldsAt(b.quote(printed))); at > 0 {
		printed.End = printed.Start + at
	}
	name := b.quote(printed)
	if label == "" || !Personal(name) || !strings.Contains(name, " ") {
		return signed
	}
	if t := b.quote(signed); Personal(t) && strings.Contains(t, " ") && !alike(surname(t), surname(name)) {
		return signed // the label is that of another column
	}
	return printed
}

// twice returns the name that occurs twice in a span, as signed and as printed, and the office that
// follows it. If both are not spelled the same, it returns the printed name. For other spans, it
// returns the whole span as the name.
func twice(text string, s layout.Span) (name, rest layout.Span) {
	if at := lineBehind(text[s.Start:s.End]); at > 0 {
		if behind := written(text, s.Start+at, s.End); behind.Len() > 0 {
			return behindName(text, wording.Trimmed(text, layout.Span{Start: s.Start, End: s.Start + at}), behind)
		}
		s.End = s.Start + at
	}
	words := fieldsAt(text[s.Start:s.End])
	for n := min(len(words)/2, maxNameWords); n > 1; n-- {
		first := layout.Span{Start: s.Start, End: s.Start + words[n-1][1]}
		second := layout.Span{Start: s.Start + words[n][0], End: s.Start + words[2*n-1][1]}
		if strings.EqualFold(wording.OneLine(text[first.Start:first.End]), strings.TrimRight(wording.OneLine(text[second.Start:second.End]), ",")) {
			name, rest := behindName(text, first, layout.Span{Start: second.Start, End: s.End})
			if rest.Len() == 0 && 2*n < len(words) {
				if behind := (layout.Span{Start: s.Start + words[2*n][0], End: s.End}); office.MatchString(text[behind.Start:behind.End]) {
					rest = behind
				}
			}
			return name, rest
		}
	}
	if name, title, ok := inParentheses(text, s); ok {
		return name, title
	}
	if half := s.Len() / 2; s.Len()%2 == 0 && text[s.Start:s.Start+half] == text[s.Start+half:s.End] && strings.Contains(text[s.Start:s.Start+half], " ") {
		s.End = s.Start + half // no space is left between both
		return s, layout.Span{Start: s.End, End: s.End}
	}
	if n := printedAgain(text[s.Start:s.End], words); n > 0 {
		printed := layout.Span{Start: s.Start + words[n][0], End: s.End}
		if name, title, ok := personIn(text, printed); ok {
			return name, title
		}
	}
	return wording.Trimmed(text, s), layout.Span{Start: s.End, End: s.End}
}

// inParentheses returns the printed name behind a signature, and the office that may follow it:
// "J. Doe (John Doe) Director".
func inParentheses(text string, s layout.Span) (name, title layout.Span, ok bool) {
	t := text[s.Start:s.End]
	open := strings.IndexByte(t, '(')
	end := strings.IndexByte(t, ')')
	if open < 1 || end < open || !alike(surname(strings.TrimSpace(t[:open])), surname(t[open+1:end])) {
		return s, s, false
	}
	name = wording.Trimmed(text, layout.Span{Start: s.Start + open + 1, End: s.Start + end})
	title = wording.Trimmed(text, layout.Span{Start: s.Start + end + 1, End: s.End})
	if printed := text[name.Start:name.End]; !strings.Contains(printed, " ") || !Personal(printed) || !office.MatchString(text[title.Start:title.End]) && title.Len() > 0 {
		return s, s, false
	}
	return name, title, true
}

// printedAgain returns the index of the word with which a name begins again, printed a little
// differently than it was signed: "Richard E. Kent Richard Kent". It returns 0 if there is none.
func printedAgain(t string, words [][2]int) int {
	for i := 2; i+1 < len(words) && i <= maxNameWords; i++ {
		first, last := t[words[0][0]:words[0][1]], t[words[i-1][0]:words[i-1][1]]
		if len(first) < 2 || !strings.EqualFold(first, t[words[i][0]:words[i][1]]) {
			continue
		}
		for _, w := range words[i+1 : min(len(words), i+maxNameWords)] {
			if alike(last, t[w[0]:w[1]]) {
				return i
			}
		}
	}
	return 0
}

// lineBehind returns the offset of the line to write on in a text, drawn with underscores or
// hyphens, or -1 if there is none.
func lineBehind(t string) int {
	if at := strings.Index(t, "__"); at >= 0 {
		return at
	}
	return strings.Index(t, "-----")
}

// maxInitials is the maximum number of letters of initials.
const maxInitials = 3

// initials reports whether somebody only initialled: "JW".
func initials(t string) bool {
	letters := strings.ReplaceAll(t, ".", "")
	return len(letters) <= maxInitials && letters == strings.ToUpper(letters) && !strings.Contains(letters, " ")
}

// beforeGap returns the person's name before a wide gap in a span, after which the next
// column begins. For other spans, it returns the whole span.
func beforeGap(text string, s layout.Span) layout.Span {
	t := text[s.Start:s.End]
	at := strings.Index(t, "  ")
	if at > 0 && strings.Contains(t[:at], " ") && Personal(t[:at]) && Personal(strings.TrimSpace(t[at:])) {
		s.End = s.Start + at
	}
	return s
}

// behindName returns a name, and the title after its second occurrence.
func behindName(text string, name, second layout.Span) (layout.Span, layout.Span) {
	_, title, ok := personIn(text, second)
	if !ok {
		title = layout.Span{Start: second.End, End: second.End}
	}
	return name, title
}

// sameName reports whether a span has the same surname as the signature, or the same first
// name and a surname that is written a little differently.
func (b *blockReader) sameName(s layout.Span) bool {
	name, _, ok := personIn(b.text, s)
	signed, printed := b.quote(b.now.Name), b.quote(name)
	if !ok || signed == "" {
		return false
	}
	x, y := surname(signed), surname(printed)
	return strings.EqualFold(x, y) || strings.EqualFold(firstWord(signed), firstWord(printed)) && alike(x, y)
}

// alike reports whether two words may be spellings of the same surname.
func alike(x, y string) bool {
	return strings.EqualFold(x, y) || len(x) > alikeLetters && len(y) > alikeLetters && strings.EqualFold(x[:alikeLetters], y[:alikeLetters])
}

// alikeLetters is how many bytes the spellings of a surname have in common.
const alikeLetters = 3

// firstWord returns the text before the first space.
func firstWord(t string) string {
	first, _, _ := strings.Cut(t, " ")
	return first
}
