package signature

import (
	"slices"
	"strings"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/space"
	"github.com/rectohq/recto/services/insight/internal/structure/wording"
)

// sealOn makes the last lines of a region signature blocks, one or several side by side, if they
// have no line to sign on because a seal is used or the line was lost: a company, and below it a
// person and the person's office, in either order, on one line or two. It reports false for any
// other lines.
func sealOn(text string, region []mark) bool {
	rows := lastRows(region, 3)
	if len(rows) < 2 {
		return false
	}
	below, above := rows[len(rows)-1], rows[len(rows)-2]
	if last := below[len(below)-1]; len(below) > 1 && sealPlace.MatchString(text[last.Start:last.End]) {
		below = below[:len(below)-1]
	}
	if len(below) == len(above) && slices.IndexFunc(below, func(m mark) bool { return !titledPerson(text, m) }) < 0 && firms(text, above) && !signedAbove(region, below, above) {
		for i := range below {
			below[i].role, below[i].word = signs, conformedWord
		}
		return true
	}
	if len(below) > 1 && below[1].role == other && !personal(text, &below[1]) && personal(text, &below[0]) || len(below) > 1 && personal(text, &below[1]) && len(below) != len(above) {
		return sealed3(text, &above[0], &below[0], &below[1])
	}
	if len(rows) < 3 || signedAbove(region, rows...) {
		return false
	}
	if len(below) > 1 && len(below) == len(above) && len(below) == len(rows[0]) {
		for i := range below {
			if !sealed3(text, &rows[0][i], &above[i], &below[i]) {
				return false
			}
		}
		return true
	}
	// The left of the last line holds an address or the defined term of the party.
	person, firm := from(above, below[0].x), from(rows[0], below[0].x)
	return person != nil && firm != nil && sealed3(text, firm, person, &below[0])
}

// sealed3 makes a person who has an office in a company the signer. It reports false for marks
// that are no such thing.
func sealed3(text string, firm, person, title *mark) bool {
	if personal(text, title) {
		person, title = title, person
	}
	if firm.role != other || person.role != other || title.role != other || title.word != "" {
		return false
	}
	t := text[title.value.Start:title.value.End]
	if !wording.EndsCompany(text[firm.value.Start:firm.value.End]) || !personal(text, person) || !office.MatchString(t) || sentence(t) || wording.CaseOf(t).Lower > 2 {
		return false
	}
	person.role, person.word = signs, conformedWord
	title.role, title.word = titled, "title"
	return true
}

// personal reports whether a mark is the full name of a person.
func personal(text string, m *mark) bool {
	t := text[m.value.Start:m.value.End]
	return strings.Contains(t, " ") && Personal(t) && !titleAlone(t)
}

// titledPerson reports whether a mark is the full name of a person and the office.
func titledPerson(text string, m mark) bool {
	name, title, ok := personIn(text, m.value)
	return m.role == other && ok && title.Len() > 0 && strings.Contains(text[name.Start:name.End], " ") && !wording.StartsLower(text[name.Start:name.End])
}

// firms reports whether marks are names of companies.
func firms(text string, row []mark) bool {
	for _, m := range row {
		if t := text[m.value.Start:m.value.End]; m.role != other || !wording.EndsCompany(t) || !partial(t) {
			return false
		}
	}
	return true
}

// signedAbove reports whether the line above the last rows of a region is one to sign on, or the
// closing of a letter.
func signedAbove(region []mark, rows ...[]mark) bool {
	above := len(region) - len(slices.Concat(rows...))
	return above > 0 && (region[above-1].role == signs && region[above-1].value.Len() == 0 || region[above-1].role == closing)
}

// signedTwice makes a name a signature if the last line of a region or the two last lines have it
// twice, as signed and as printed: "John Doe", and below it "John Doe, President". The signature must
// be in quotation marks, as on copies of Canadian contracts, unless a sentence introduced the region,
// or the region is signed and the name has an office. It reports false for any other lines.
func signedTwice(text string, region []mark, introduced, signed bool) bool {
	rows := lastRows(region, 2)
	last := &rows[len(rows)-1][0]
	if len(rows[len(rows)-1]) == 1 && last.role == other {
		if ok, office := repeated(text, last.value); ok && (introduced && !signed || signed && office) {
			last.role, last.word = signs, conformedWord
			return true
		}
	}
	if len(rows) < 2 || rows[0][0].role != other || last.role != other {
		return false
	}
	m := &rows[0][0]
	name := strings.Trim(text[m.Start:m.End], "\"“”")
	quoted := len(name) < m.Len()
	printed, title, ok := personIn(text, last.value)
	if !ok || !strings.Contains(name, " ") || !strings.EqualFold(name, text[printed.Start:printed.End]) || quoted && title.Len() > 0 {
		return false
	}
	if !quoted && !((introduced && !signed || signed && title.Len() > 0) && len(rows[0]) == 1 && personal(text, m) && !offices(name)) {
		return false
	}
	m.role, m.word, m.value = signs, conformedWord, unwrapped(text, m.Span)
	return true
}

// repeated reports whether a line is the full name of a person twice, and whether the office follows.
func repeated(text string, s layout.Span) (ok, office bool) {
	name, rest := twice(text, s)
	if name.End+name.Len() > s.End || lineBehind(text[s.Start:s.End]) >= 0 {
		return false, false
	}
	t := text[name.Start:name.End]
	ok = name.Len() < s.Len() && strings.Contains(t, " ") && Personal(t) && !offices(t) && (rest.Len() > 0 || name.End+name.Len()+1 >= s.End)
	return ok, rest.Len() > 0
}

// signedBy makes each text of a region's last line a signature if it consists of "By" and a person's
// name. It reports false if there is none.
func signedBy(text string, region []mark) bool {
	found := false
	row := lastRows(region, 1)[0]
	for i := range row {
		m := &row[i]
		if m.role != other || !hasFold(text[m.value.Start:m.value.End], "by") {
			continue
		}
		rest := written(text, m.value.Start+len("by"), m.value.End)
		signed := rest
		if at := nextLabel(text[rest.Start:rest.End], fieldsAt(text[rest.Start:rest.End])); at > 0 {
			signed.End = rest.Start + at
		}
		name, _ := twice(text, signed)
		name, _, ok := personIn(text, name)
		if t := text[name.Start:name.End]; ok && rest.Start > m.value.Start+len("by") && strings.Contains(t, " ") && !wording.StartsLower(t) && !offices(t) {
			m.role, m.word, m.value = signs, "by", rest
			found = true
		}
	}
	return found
}

// lastRows returns the marks of the last rows of a region, at most n.
func lastRows(region []mark, n int) [][]mark {
	var out [][]mark
	for end := len(region); end > 0 && len(out) < n; {
		start := end
		for start > 0 && region[start-1].row == region[end-1].row {
			start--
		}
		out = append(out, region[start:end])
		end = start
	}
	slices.Reverse(out)
	return out
}

// from returns the first mark of a row from a position on, nil if there is none.
func from(row []mark, x float64) *mark {
	for i := range row {
		if row[i].x >= x-1 {
			return &row[i]
		}
	}
	return nil
}

// sealPlace matches the place for a seal.
var sealPlace = space.Compile(`(?:^|\s)[(\[](?i:seal|stamp|l\.s\.)[)\]]$`)

// sealBeside makes the last line of a region a signature if it is a person, perhaps with the
// office, and the place for the seal. It reports false for any other line.
func sealBeside(text string, region []mark) bool {
	row := lastRows(region, 1)[0]
	m, last := &row[0], row[len(row)-1]
	at := sealPlace.FindStringIndex(text[last.Start:last.End])
	if len(row) > 2 || m.role != other || at == nil || len(row) == 2 && at[0] > 0 {
		return false
	}
	name := m.value
	if len(row) == 1 {
		name = written(text, m.Start, m.Start+at[0])
	}
	if _, title, ok := personIn(text, name); !ok || title.Len() == 0 {
		return false
	}
	m.role, m.word, m.value = signs, conformedWord, name
	return true
}

// namedBelow reports whether the last two lines of a region are dotted lines and labelled names
// below them.
func namedBelow(region []mark) bool {
	rows := lastRows(region, 2)
	return len(rows) == 2 && rows[0][0].word == lineWord && rows[1][0].role == named && rows[1][0].value.Len() > 0
}

// signOnCaptioned makes dotted lines the lines to sign on if the captions below them say so. It reports
// false for any other lines.
func signOnCaptioned(text string, region []mark) bool {
	rows := lastRows(region, 2)
	if len(rows) < 2 || len(rows[0]) != len(rows[1]) {
		return false
	}
	for i, m := range rows[0] {
		if t := text[rows[1][i].Start:rows[1][i].End]; m.role != ignored || m.word != lineWord || !captions(t) || !signatureWord.MatchString(t) {
			return false
		}
	}
	for i := range rows[0] {
		rows[0][i].role = signs
	}
	return true
}

// nameCaptioned makes names signatures if the captions below say whose they are: "Ada Kern", and below
// it "Name of director (print)". Australian contracts look like this without their signature lines. It
// reports false for any other lines.
func nameCaptioned(text string, region []mark) bool {
	rows := lastRows(region, 2)
	if len(rows) < 2 || len(rows[0]) != len(rows[1]) {
		return false
	}
	for i := range rows[0] {
		caption := rows[1][i]
		at := ownCaption.FindStringSubmatchIndex(text[caption.Start:caption.End])
		if at == nil || at[2] >= 0 || rows[0][i].role != other || !personal(text, &rows[0][i]) {
			return false
		}
	}
	for i := range rows[0] {
		rows[0][i].role, rows[0][i].word = signs, conformedWord
	}
	return true
}

// signOnDots makes dotted lines the lines to sign on if the last lines of a region are these, the
// people below them, and their offices, their parties or the dates. It reports false for any
// other lines.
func signOnDots(text string, region []mark) bool {
	rows := lastRows(region, 3)
	if len(rows) < 3 || len(rows[0]) != len(rows[1]) {
		return false
	}
	if len(rows[2]) == len(rows[0]) && !slices.ContainsFunc(rows[1], func(m mark) bool { return !offices(text[m.value.Start:m.value.End]) }) {
		rows[1], rows[2] = rows[2], rows[1] // the offices are captions of the lines
	}
	for i, m := range rows[0] {
		person := rows[1][i]
		if m.role != ignored || m.word != lineWord || person.role != other || !Personal(text[person.value.Start:person.value.End]) || !strings.Contains(text[person.value.Start:person.value.End], " ") {
			return false
		}
	}
	if last := rows[2][0]; last.role != forWhom && last.role != dated && (last.role != other || !office.MatchString(text[last.value.Start:last.value.End]) || sentence(text[last.value.Start:last.value.End])) {
		return false
	}
	for i := range rows[0] {
		rows[0][i].role = signs
	}
	return true
}
