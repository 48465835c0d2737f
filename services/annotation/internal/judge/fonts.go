package judge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/problem"
)

// Fonts are the fonts that a file is filled with.
type Fonts interface {
	// Missing returns the characters of a text that no font has, without duplicates, in
	// the order of the text.
	Missing(text string) []rune
}

// maxNamedCharacters is how many missing characters an error names.
const maxNamedCharacters = 10

// unsupported returns the fault of a text with characters that no font has, or nil.
func unsupported(missing []rune) *problem.Fault {
	if len(missing) == 0 {
		return nil
	}
	named := make([]string, 0, maxNamedCharacters)
	for _, r := range missing[:min(maxNamedCharacters, len(missing))] {
		named = append(named, fmt.Sprintf("%q (U+%04X)", r, r))
	}
	text := strings.Join(named, ", ")
	if more := len(missing) - len(named); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return &problem.Fault{
		Code: problem.CodeUnsupportedCharacter, Message: "contains characters that no installed font can show: " + text,
		Resolution: "Remove these characters, or ask the operator to install a font that has them.",
	}
}

// shown returns the text that a value shows in a file whose choices have no appearance of
// their own.
func shown(f fields.Field, v fields.Filling) string {
	switch {
	case len(v.Pictures) > 0:
		return ""
	case v.Written:
		return strings.Join(f.Displayed(v.Selected), ", ")
	case f.Boxes:
		return "" // boxes are ticked
	}
	return v.Text
}

// Unsupported returns the error for a character that no font has, which a file turned out
// to need when it was filled with the values.
func (v FieldValues) Unsupported(r rune, known []fields.Field, filled map[string]fields.Filling) error {
	var problems problem.List
	for _, value := range v.Values {
		i := slices.IndexFunc(known, func(f fields.Field) bool { return f.ID == value.Key })
		if i >= 0 && strings.ContainsRune(shown(known[i], filled[value.Key]), r) {
			problems.Add(problem.Broken(value.path, value.raw, *unsupported([]rune{r})))
		}
	}
	if problems.Len() == 0 {
		problems.Add(problem.Broken("field_values", jsontext.Value("null"), *unsupported([]rune{r})))
	}
	return problems.Err()
}
