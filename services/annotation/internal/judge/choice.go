package judge

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/problem"
)

// option returns the option that text names: first by display text, then by the value of
// its list item.
func option(options []fields.Option, text string) (fields.Option, bool) {
	for _, o := range options {
		if o.Display == text {
			return o, true
		}
	}
	for _, o := range options {
		if o.Value != "" && o.Value == text {
			return o, true
		}
	}
	return fields.Option{}, false
}

// checkChoice validates the value of a dropdown or gender field.
func checkChoice(f fields.Field, text string) (fields.Filling, []problem.Fault) {
	options := f.Choices()
	o, ok := option(options, text)
	switch {
	case ok:
		return fields.Filling{Type: f.Type, Text: o.Display, Value: cmp.Or(o.Value, o.Display), Selected: []string{o.InFile()}}, nil
	case text == "":
		return fields.Filling{Type: f.Type}, nil
	}
	code := problem.CodeDropdownInvalidOption
	if f.Type == fields.Gender {
		code = problem.CodeGenderInvalidOption
	}
	return fields.Filling{}, []problem.Fault{{
		Code: code, Message: "must be one of the options of the field",
		Resolution: "Send one of " + listed(options) + `, or "" to clear the field.`,
	}}
}

// checkSelection validates the value of a checkbox field.
func checkSelection(f fields.Field, v Value) (fields.Filling, []problem.Fault) {
	if !v.List {
		return fields.Filling{}, []problem.Fault{{
			Code: problem.CodeInvalidType, Message: "must be an array of strings",
			Resolution: "Send an array of the options to select, or [] for none. The options are " + listed(f.Options) + ".",
		}}
	}
	s := selection{seen: map[string]bool{}, known: map[string]string{}}
	for _, o := range f.Options {
		s.known[o.Display] = o.InFile()
	}
	for _, item := range v.Items {
		s.add(item)
	}
	if faults := s.faults(f); len(faults) > 0 {
		return fields.Filling{}, faults
	}
	return fields.Filling{Type: f.Type, Selected: s.selected, Written: f.Written}, nil
}

// selection collects the items of a checkbox value.
type selection struct {
	known    map[string]string // display text to the name in the file
	seen     map[string]bool
	selected []string
	unknown  []string // without duplicates
	repeated []string
}

func (s *selection) add(item Encoded) {
	text, whole := item.Text(maxText)
	name, known := s.known[text]
	switch {
	case s.seen[text]:
		s.repeated = append(s.repeated, text)
	case whole && known:
		s.selected = append(s.selected, name)
	default:
		s.unknown = append(s.unknown, text)
	}
	s.seen[text] = true
}

// faults returns the rules that the selection breaks. A repeated item counts once, as it
// would be ticked once.
func (s *selection) faults(f fields.Field) []problem.Fault {
	var faults []problem.Fault
	if len(s.unknown) > 0 {
		faults = append(faults, problem.Fault{
			Code: problem.CodeCheckboxInvalidOption, Message: "contains options that the field does not have: " + quoted(s.unknown),
			Resolution: "Send only these options: " + listed(f.Options) + ".",
		})
	}
	if len(s.repeated) > 0 {
		faults = append(faults, problem.Fault{
			Code: problem.CodeCheckboxDuplicateOption, Message: "contains an option more than once: " + quoted(s.repeated),
			Resolution: "Send each option once.",
		})
	}
	n := len(s.selected) + len(s.unknown)
	if f.Min != nil && n < *f.Min {
		faults = append(faults, problem.Fault{
			Code: problem.CodeCheckboxMinSelected, Message: fmt.Sprintf("must select at least %s, not %d", count(*f.Min, "option"), n),
			Resolution: fmt.Sprintf("Send at least %d of %s.", *f.Min, listed(f.Options)),
		})
	}
	if f.Max != nil && n > *f.Max {
		faults = append(faults, problem.Fault{
			Code: problem.CodeCheckboxMaxSelected, Message: fmt.Sprintf("must select at most %s, not %d", count(*f.Max, "option"), n),
			Resolution: fmt.Sprintf("Send at most %d of %s.", *f.Max, listed(f.Options)),
		})
	}
	return faults
}

const (
	// maxNamed is how many options an error text lists.
	maxNamed = 20
	// maxNamedLength is how many characters of each option it shows.
	maxNamedLength = 80
)

// listed lists options for an error text.
func listed(options []fields.Option) string {
	if len(options) == 0 {
		return "its options (it has none; define some with PUT /documents/{document_id}/fields)"
	}
	names := make([]string, 0, maxNamed+1)
	for _, o := range options[:min(maxNamed+1, len(options))] {
		names = append(names, o.Display)
	}
	return quotedOf(names, len(options))
}

// quoted lists strings for an error text.
func quoted(texts []string) string { return quotedOf(texts, len(texts)) }

// quotedOf lists the first of n strings.
func quotedOf(texts []string, n int) string {
	named := make([]string, 0, maxNamed)
	for _, text := range texts[:min(maxNamed, len(texts))] {
		named = append(named, `"`+shortened(text)+`"`)
	}
	all := strings.Join(named, ", ")
	if more := n - len(named); more > 0 {
		all += fmt.Sprintf(" and %d more", more)
	}
	return all
}

// shortened returns the beginning of s.
func shortened(s string) string {
	n := 0
	for i := range s {
		if n == maxNamedLength {
			return s[:i] + "…"
		}
		n++
	}
	return s
}
