package docxfields

import (
	"slices"
	"strconv"
	"strings"

	"github.com/beevik/etree"

	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/runs"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/wml"
)

// maxOption bounds the text of an option, in characters.
const maxOption = fields.MaxLabel

// maxOptions bounds the options of a field.
const maxOptions = 1000

// listOptions returns the items of a drop-down list or combo box. Those that ask
// to choose one are none: they have no value, or, as Word writes its own, no text
// beside the value and the first place in the list.
func (c *control) listOptions() []fields.Option {
	var options []fields.Option
	for i, item := range c.listItems() {
		display, value := itemText(item)
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

// listItems returns the items of a drop-down list or combo box.
func (c *sdtControl) listItems() []*etree.Element {
	var items []*etree.Element
	for _, e := range c.kindOf.ChildElements() {
		if wml.Is(e, "listItem") {
			items = append(items, e)
		}
	}
	return items
}

// itemText returns what an item shows and what it stands for.
func itemText(item *etree.Element) (display, value string) {
	value, _ = wml.Attr(item, "value")
	if display, _ = wml.Attr(item, "displayText"); display == "" {
		display = value
	}
	return display, value
}

// prompts reports whether the first item, which has no text beside its value,
// asks to choose one of the others.
func (c *control) prompts(value string) bool {
	if c.showsPlaceholder() && strings.TrimSpace(runs.Read(c.content, maxOption)) == strings.TrimSpace(value) {
		return true
	}
	return slices.ContainsFunc(c.listItems()[1:], func(item *etree.Element) bool {
		_, named := wml.Attr(item, "displayText")
		return named
	})
}

// item returns the item that shows display or stands for value, nil if there is
// none.
func (c *sdtControl) item(display, value string) *etree.Element {
	items := c.listItems()
	at := slices.IndexFunc(items, func(e *etree.Element) bool {
		d, v := itemText(e)
		return d == display && (value == "" || v == value)
	})
	if at < 0 && value != "" {
		at = slices.IndexFunc(items, func(e *etree.Element) bool {
			_, v := itemText(e)
			return v == value
		})
	}
	if at < 0 {
		return nil
	}
	return items[at]
}

// nameOptions gives the checkboxes of each field the names of their options. Of
// returns the controls of a field.
func nameOptions(all []fields.Field, of func(id string) []*control) {
	choices := make([]choice, len(all))
	captions := newCaptions()
	for i := range all {
		if all[i].Type != fields.Checkbox {
			continue
		}
		choices[i] = choiceOf(of(all[i].ID))
		for _, c := range choices[i].boxes {
			captions.note(&c.sdtControl)
		}
	}
	for i := range all {
		if len(choices[i].boxes)+len(choices[i].drawn) > 0 {
			choices[i].name(&all[i], captions)
		}
	}
}

// choice is the controls of a field of checkboxes: those that stand for one each,
// and those of text that boxes are drawn in.
type choice struct{ boxes, drawn []*control }

// choiceOf returns the choice that the controls of a field of checkboxes are.
func choiceOf(controls []*control) choice {
	var all choice
	for _, c := range controls {
		if len(all.boxes) >= maxOptions || c.kind != kindCheckbox && c.part.surrounds(c) {
			continue
		}
		if c.holdsText() && len(c.tag.Options) == 0 {
			c.readBoxes()
		}
		switch {
		case c.kind == kindCheckbox, c.single:
			all.boxes = append(all.boxes, c)
		case len(c.drawn) > 0:
			all.drawn = append(all.drawn, c)
		}
	}
	return all
}

// name names the options of the field, and tells which are selected.
func (a choice) name(f *fields.Field, captions captions) {
	f.Text = ""
	used := map[string]int{}
	if len(a.boxes) > 0 {
		nameBoxes(f, a.boxes, captions, used)
	}
	for _, c := range a.boxes {
		f.Boxes = f.Boxes || c.kind == kindCheckbox || c.boxed
		f.Options = append(f.Options, fields.Option{Display: c.option})
		if c.isChecked() {
			f.Selected = append(f.Selected, c.option)
		}
	}
	for _, c := range a.drawn {
		f.Boxes = f.Boxes || c.boxed
		c.drawnOptions(f, used)
	}
}

// nameBoxes names the option of each checkbox of a field: its alias, or else the
// text beside it, or else the end of its tag. Where all have the same alias, that
// is what the field is called, and the texts tell them apart.
func nameBoxes(f *fields.Field, boxes []*control, captions captions, used map[string]int) {
	alias := boxes[0].alias()
	same := !slices.ContainsFunc(boxes, func(c *control) bool { return c.alias() != alias })
	if !same && boxes[0].tag.Label == "" {
		f.Label = ""
	}
	texts := make([]string, len(boxes))
	for i, c := range boxes {
		if c.kind == kindCheckbox {
			texts[i] = c.captionInside()
		}
		if texts[i] == "" {
			texts[i] = captions.of(&c.sdtControl)
		}
	}
	useTexts := alias == "" || same && len(boxes) > 1 && allDifferent(texts)
	for i, c := range boxes {
		name := c.alias()
		if useTexts && same {
			name = ""
		}
		for _, other := range []string{texts[i], c.suffix, c.tag.Label, "Yes"} {
			if name == "" {
				name = other
			}
		}
		c.setOption(unique(name, used))
	}
}

// allDifferent reports whether no text is empty and no two are the same.
func allDifferent(texts []string) bool {
	seen := map[string]bool{}
	for _, s := range texts {
		if s == "" || seen[s] {
			return false
		}
		seen[s] = true
	}
	return true
}

// unique returns the name, with a number if it was used before.
func unique(name string, used map[string]int) string {
	numbered := name
	for used[numbered] > 0 {
		used[name]++
		numbered = name + " (" + strconv.Itoa(used[name]) + ")"
	}
	used[numbered]++
	return numbered
}

// setOption notes what the checkbox stands for, and its twins.
func (c *control) setOption(name string) {
	c.option = name
	for _, twin := range c.twins {
		twin.option, twin.single = name, c.single
	}
}

// isChecked reports whether the checkbox is ticked.
func (c *control) isChecked() bool {
	if c.kind != kindCheckbox {
		return c.ticked
	}
	return c.checked()
}

// checked reports whether a control for a checkbox is ticked.
func (c *sdtControl) checked() bool {
	for _, e := range c.kindOf.ChildElements() {
		if e.Tag == "checked" {
			return wml.IsOn(e)
		}
	}
	return false
}
