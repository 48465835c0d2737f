package title

import (
	"strings"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/layout"
	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
	"github.com/rectohq/recto/services/insight/internal/rules/finding"
	"github.com/rectohq/recto/services/insight/internal/rules/passage"
	"github.com/rectohq/recto/services/insight/internal/structure"
	"github.com/rectohq/recto/services/insight/internal/structure/wording"
)

var (
	subjectLine = regexp.MustCompile(`(?i)^\s*(?:(?:re|sub|subject|regarding)\s*:\s*)+`)
	// salutation matches the line that greets the reader of a letter. After "Hi", only names may follow.
	salutation = regexp.MustCompile(`(?i)^\s*(?:dear\b|gentlemen|ladies and gentlemen|to whom it may concern|(?:hi|hello|hey|hallo|kia ora|good (?:morning|afternoon|evening))\b(?:[ ,&]+[\pL'’.-]+){0,7}[ ]*[,!:–-]*\s*$)`)
	// mailHeader matches the line of an e-mail that says who wrote it, to whom, or when.
	mailHeader = regexp.MustCompile(`(?i)^\s*(?:from|to|sent|cc)\s*:\s*\S`)
	// letterAgreement and offerWords determine the kind of a letter.
	letterAgreement = regexp.MustCompile(`(?i)\bthis\s+letter\s+(?:agreement|contract)\b`)
	offerWords      = regexp.MustCompile(`(?i)\boffer\b`)
	// retainer matches a subject about hiring a professional, whatever document the matter is
	// about.
	retainer = regexp.MustCompile(`(?i)^(?:our |your )?(?:retainer|engagement of our (?:firm|services))\b`)
	// engaging are the words by which the subject of a letter that names no kind of document
	// shows what it agrees.
	engaging = []struct {
		words *regexp.Regexp
		kind  string
	}{
		{regexp.MustCompile(`(?i)\bescrow\b`), "Escrow Agreement"},
		{retainer, "Engagement Letter"},
		{regexp.MustCompile(`(?i)\b(?:engagement|appointment|services) as (?:an? |our )?(?:[\w-]+ ){0,3}consultant\b|\bconsult(?:ing|ancy)\b`), "Consultancy Agreement"},
		{regexp.MustCompile(`(?i)^(?:terms of )?engagement\b`), "Engagement Letter"},
	}
)

// letterConfidence is the confidence of a letter's subject as its title.
const letterConfidence = 0.6

// mailHeaders is how many lines the head of an e-mail may have.
const mailHeaders = 4

// letterTitle returns the subject of a letter: the "Re: …" line of a document with a salutation or the head
// of an e-mail, or else a short line of its own right after the salutation.
func letterTitle(d *structure.Document, lines []line) (finding.Found[insightapi.Title], bool) {
	subject, saluted := layout.Span{}, false
	for i, l := range lines {
		text := d.Quote(l.Span)
		m := subjectLine.FindString(text)
		if m == "" && subject.Len() == 0 && i > 0 && salutation.MatchString(d.Quote(lines[i-1].Span)) && isBareSubject(d, l.Span) {
			subject = trimmed(d, l.Span)
		}
		if rest := strings.TrimRight(text[len(m):], titleSpace+".,:;"); m != "" && subject.Len() == 0 && len(rest) > 3 && len(rest) <= maxTitle {
			subject = layout.Span{Start: l.Start + len(m), End: l.Start + len(m) + len(rest)}
		}
		saluted = saluted || salutation.MatchString(text) || i < mailHeaders && m == "" && mailHeader.MatchString(text)
	}
	if !saluted || subject.Len() == 0 {
		return finding.Found[insightapi.Title]{}, false
	}
	return finding.Found[insightapi.Title]{
		Item: insightapi.Title{Title: passage.Text(d, subject), TitleSource: insightapi.FromHeading}, Span: subject,
		Reasoning: "The document is a letter, and this is its subject.", Confidence: letterConfidence,
	}, true
}

// maxBareSubject is the maximum length in bytes of the subject of a letter without "Re:".
const maxBareSubject = 100

// isBareSubject reports whether the line after a salutation is the subject of the letter rather than
// its first sentence.
func isBareSubject(d *structure.Document, s layout.Span) bool {
	text := passage.Text(d, s)
	return len(text) > 3 && len(text) <= maxBareSubject && blankLine.MatchString(d.Text[s.End:min(len(d.Text), s.End+maxBareSubject)]) &&
		!wording.StartsLower(text) && !strings.ContainsAny(text[len(text)-1:], ".,;:!?") && !notTitle.MatchString(text) && !sentenceLike.MatchString(text)
}

// blankLine matches an empty line after a line.
var blankLine = regexp.MustCompile(`^[ \t\r]*\n[ \t\r]*\n`)

// isSaluted reports whether a document is a letter: a letterhead is not its title.
func isSaluted(d *structure.Document, lines []line) bool {
	for _, l := range lines[:min(len(lines), letterheadLines)] {
		if salutation.MatchString(d.Quote(l.Span)) {
			return true
		}
	}
	return false
}

// letterheadLines is how many lines may precede the salutation of a letter.
const letterheadLines = 20

// letterKind returns the kind of a letter with this subject.
func letterKind(d *structure.Document, subject finding.Found[insightapi.Title]) string {
	if titleNoun.MatchString(subject.Item.Title) && !retainer.MatchString(subject.Item.Title) {
		kind, _ := kindOf(subject.Item.Title)
		return kind
	}
	switch {
	case letterAgreement.MatchString(d.Text[:min(len(d.Text), titleReach)]):
		return "Letter Agreement"
	case belowSalutation(d, subject):
		return "Letter" // such a line is more often about the business than about the letter
	case offerWords.MatchString(subject.Item.Title):
		return "Offer Letter"
	}
	for _, e := range engaging {
		if e.words.MatchString(subject.Item.Title) {
			return e.kind
		}
	}
	return "Letter"
}

// isSubject reports whether a title is the subject of a letter.
func isSubject(d *structure.Document, f finding.Found[insightapi.Title]) bool {
	start := strings.LastIndexByte(d.Text[:f.Span.Start], '\n') + 1
	return subjectLine.FindString(d.Text[start:f.Span.Start]) == d.Text[start:f.Span.Start] && start < f.Span.Start || belowSalutation(d, f)
}

// belowSalutation reports whether a title is the line after a salutation.
func belowSalutation(d *structure.Document, f finding.Found[insightapi.Title]) bool {
	above := strings.TrimRight(d.Text[:f.Span.Start], titleSpace)
	return salutation.MatchString(above[strings.LastIndexByte(above, '\n')+1:])
}
