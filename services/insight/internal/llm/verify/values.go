package verify

import (
	"cmp"
	"strings"
	"time"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/llm/prompts"
	"github.com/rectohq/recto/services/insight/internal/rules/date"
	"github.com/rectohq/recto/services/insight/internal/rules/finding"
	"github.com/rectohq/recto/services/insight/internal/rules/money"
	"github.com/rectohq/recto/services/insight/internal/rules/passage"
)

// date returns the date of the quote that the model names. An all-numeric date may be
// read either way, unless the document as a whole settles which. A date that the model
// computed is not in the quote: only the rules compute dates.
func (r *reader) date(m prompts.Date, s layout.Span, confidence float64) (f finding.Found[insightapi.Date], ok bool) {
	said, ok := dateOf(m.Date)
	if !ok {
		return f, false
	}
	for _, at := range r.calendar.Within(s) {
		switch said {
		case day(at), firstOf(at):
		case day(at.Swapped()):
			at = at.Swapped()
		default:
			continue
		}
		f, ok = r.calendar.Named(at, m.Type, confidence)
		return f, ok
	}
	return f, false
}

// firstOf returns the first day of a date whose day is not known, "" for other dates. It
// is what a model must say where only days are allowed; the finding has the month alone.
func firstOf(d date.Date) string {
	if d.Day != 0 {
		return ""
	}
	return day(d) + "-01"
}

// day returns when a date is: the day, or the month if only that is known.
func day(d date.Date) string {
	if v := d.Value(); v != "" {
		return v
	}
	return d.Time().Format(monthOnly)
}

const monthOnly = "2006-01"

// dateOf returns when the date is that a model gives.
func dateOf(s string) (string, bool) {
	if s = strings.TrimSpace(s); len(s) > maxField {
		return "", false
	}
	if t, err := time.Parse(monthOnly, s); err == nil {
		return t.Format(monthOnly), true
	}
	all := date.Find(s, 2)
	if len(all) != 1 {
		return "", false
	}
	return day(all[0]), true
}

// value returns the amount of the quote that the model names.
func (r *reader) value(m prompts.Amount, s layout.Span, confidence float64) (f finding.Found[insightapi.ContractValue], ok bool) {
	a, ok := r.amount(m, s)
	if !ok {
		return f, false
	}
	f = r.amounts.Value(a)
	if label, ok := r.label(m.Label, a.Span); ok {
		f.Item.ContractValueLabel = label
	}
	f.Confidence, f.Reasoning = confidence, ""
	return f, true
}

// payment returns the payment of the quote: the amount that the model names or, if it
// names none, what the quote says instead.
func (r *reader) payment(m prompts.Amount, s layout.Span, confidence float64) (f finding.Found[insightapi.Payment], ok bool) {
	if m.Amount == "" {
		whole, says := r.statement(s)
		f, ok = r.amounts.Unpriced(s, whole)
		ok = ok && says
	} else if a, stated := r.amount(m, s); stated {
		whole, _ := sentences(r.doc, a.Span)
		f, ok = r.amounts.Payment(a, whole)
		if label, ok := r.label(m.Label, a.Span); ok {
			_, due, _ := strings.Cut(f.Item.PaymentLabel, ", ")
			f.Item.PaymentLabel = strings.TrimSuffix(label+", "+due, ", ")
		}
	}
	f.Confidence, f.Reasoning = confidence, ""
	return f, ok
}

// amount returns the amount of the quote that the model names. If it names no currency,
// that of the document is meant.
func (r *reader) amount(m prompts.Amount, s layout.Span) (money.Amount, bool) {
	if len(m.Amount) > maxField || len(m.Currency) > maxField {
		return money.Amount{}, false
	}
	currency := strings.ToUpper(m.Currency)
	said := money.Find(cmp.Or(currency, "USD")+" "+m.Amount, 2)
	if len(said) != 1 {
		return money.Amount{}, false
	}
	for _, a := range r.amounts.Within(s) {
		if a.Value.Equal(said[0].Value) && (currency == "" || a.Currency == said[0].Currency) {
			return a, true
		}
	}
	return money.Amount{}, false
}

// maxLabel is the maximum number of words of a label.
const maxLabel = 8

// label returns what the model says an amount is for, if these words stand together in
// the sentence, in the title of its section or in its label. Otherwise the rules name the
// amount, as they do without a model.
func (r *reader) label(words string, s layout.Span) (string, bool) {
	if len(words) > maxField {
		return "", false
	}
	wanted := wordsOf(words)
	if len(wanted) == 0 || len(wanted) > maxLabel {
		return "", false
	}
	whole, _ := sentences(r.doc, s)
	paragraph := -1
	if i := passage.SentenceAt(r.doc, s.Start); i >= 0 {
		paragraph = r.doc.Sentences[i].Paragraph
	}
	for _, text := range []string{r.doc.Quote(whole), passage.SectionTitle(r.doc, paragraph), passage.LabelOf(r.doc, s)} {
		have := wordsOf(text)
		if i := indexOf(have, wanted); i >= 0 {
			label := text[have[i].Start:have[i+len(wanted)-1].End]
			return passage.SentenceCase(passage.Lower(label)), true
		}
	}
	return "", false
}
