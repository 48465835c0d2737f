package control

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/beevik/etree"

	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/runs"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/sdt"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/wml"
)

// maxOption bounds the text of an option, in characters.
const maxOption = fields.MaxLabel

// maxOptions bounds the options of a field.
const maxOptions = 1000

// listOptions returns the options of a drop-down list or combo box. Items that ask the
// user to choose are not options: they have no value or, like Word's own, come first and
// have no display text apart from their value.
func (c *Control) listOptions() []fields.Option {
	var options []fields.Option
	for i, item := range c.Items() {
		display, value := sdt.ItemText(item)
		_, named := wml.Attr(item, "displayText")
		if value == "" || i == 0 && !named && c.prompts(value) || len(options) == maxOptions {
			continue
		}
		option := fields.Option{Display: display}
		if value != display {
			option.Value = value
		}
		if !slices.Contains(options, option) {
			options = append(options, option)
		}
	}
	return options
}

// prompts reports whether the first item, which has no display text apart from its value,
// asks the user to choose. Word writes its own prompt in this way, "Choose an item." in
// the language of the user, and shows it as the placeholder. Where it does not, the prompt
// is a sentence among items with display texts; other programs write ordinary items
// without them.
func (c *Control) prompts(value string) bool {
	value = strings.TrimSpace(value)
	if c.ShowsPlaceholder() && strings.TrimSpace(runs.Read(c.Content, maxOption)) == value {
		return true
	}
	if last, _ := utf8.DecodeLastRuneInString(value); !unicode.Is(unicode.STerm, last) && last != '…' && last != ':' {
		return false
	}
	return slices.ContainsFunc(c.Items()[1:], func(item *etree.Element) bool {
		_, named := wml.Attr(item, "displayText")
		return named
	})
}
