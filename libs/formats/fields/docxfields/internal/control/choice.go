package control

import (
	"slices"
	"strconv"
	"strings"

	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/caption"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/sdt"
)

// NameOptions names the options of each field's checkboxes. of returns the controls of a
// field.
func NameOptions(all []fields.Field, of func(id string) []*Control) {
	choices := make([]choice, len(all))
	captions := caption.New()
	for i := range all {
		if all[i].Type != fields.Checkbox {
			continue
		}
		choices[i] = choiceOf(of(all[i].ID))
		for _, c := range choices[i].boxes {
			captions.Note(&c.Control)
		}
	}
	for i := range all {
		f := &all[i]
		switch {
		case len(choices[i].boxes)+len(choices[i].drawn) > 0:
			choices[i].name(f, captions)
		case f.Type == fields.Checkbox && f.Source == fields.ContentControl:
			f.Text, f.Selected = "", selectedIn(f.Text, f.Options)
		}
	}
}

// choice holds the controls of a checkbox field: controls for a single checkbox each, and
// text controls that contain boxes as text.
type choice struct{ boxes, drawn []*Control }

// choiceOf groups the controls of a checkbox field.
func choiceOf(controls []*Control) choice {
	var all choice
	for _, c := range controls {
		if len(all.boxes) >= maxOptions || c.Kind != sdt.Checkbox && c.part.surrounds(c) {
			continue
		}
		switch {
		case c.HoldsText() && len(c.tag.Options) == 0:
			c.readBoxes()
		case c.HoldsText():
			c.readDeclaredBoxes()
		}
		switch {
		case c.Kind == sdt.Checkbox, c.single:
			all.boxes = append(all.boxes, c)
		case len(c.drawn) > 0:
			all.drawn = append(all.drawn, c)
		}
	}
	return all
}

// name names the options of the field and determines which are selected. If the field
// declares as many options as it has checkboxes, these are the options of the checkboxes.
// Other declared options are kept, although they have no box.
func (a choice) name(f *fields.Field, captions caption.Captions) {
	declared := f.Options
	f.Text, f.Options = "", nil
	used := map[string]int{}
	if len(a.boxes) > 0 {
		nameBoxes(f, a.boxes, captions, used)
		if len(a.boxes) == len(declared) {
			a.nameDeclared(declared)
		}
	}
	for _, c := range a.boxes {
		f.Boxes = f.Boxes || c.Kind == sdt.Checkbox || c.boxed
		f.Options = append(f.Options, fields.Option{Display: c.option})
		if c.isChecked() {
			f.Selected = append(f.Selected, c.option)
		}
	}
	for _, c := range a.drawn {
		f.Boxes = f.Boxes || c.boxed
		c.drawnOptions(f, used)
	}
	for _, o := range declared {
		if !hasOption(f.Options, o.Display) {
			f.Options = append(f.Options, o)
		}
	}
}

// nameDeclared gives the checkboxes the declared options, in order, unless their own names
// are the declared options.
func (a choice) nameDeclared(declared []fields.Option) {
	if !slices.ContainsFunc(a.boxes, func(c *Control) bool { return !hasOption(declared, c.option) }) {
		return
	}
	for i, c := range a.boxes {
		c.setOption(declared[i].Display)
	}
}

// hasOption reports whether one of the options has the name.
func hasOption(options []fields.Option, name string) bool {
	return slices.ContainsFunc(options, func(o fields.Option) bool { return o.Display == name })
}

// selectedIn returns the options that a text lists, separated by commas, as they are
// written where a field has no boxes. It returns nil if the text says anything else.
func selectedIn(text string, options []fields.Option) (selected []string) {
	for text != "" {
		longest := ""
		for _, o := range options {
			if rest, ok := strings.CutPrefix(text, o.Display); ok && len(o.Display) > len(longest) && (rest == "" || strings.HasPrefix(rest, separator)) {
				longest = o.Display
			}
		}
		if longest == "" || slices.Contains(selected, longest) {
			return nil
		}
		selected = append(selected, longest)
		text = strings.TrimPrefix(text[len(longest):], separator)
	}
	return selected
}

// nameBoxes names the option of each checkbox of a field: its alias, or else the text
// next to it, or else the end of its tag. If all have the same alias, it is the label of
// the field, and the texts distinguish the options.
func nameBoxes(f *fields.Field, boxes []*Control, captions caption.Captions, used map[string]int) {
	alias := boxes[0].Alias()
	same := !slices.ContainsFunc(boxes, func(c *Control) bool { return c.Alias() != alias })
	if !same && boxes[0].tag.Label == "" {
		f.Label = ""
	}
	texts := make([]string, len(boxes))
	for i, c := range boxes {
		if c.Kind == sdt.Checkbox {
			texts[i] = c.captionInside()
		}
		if texts[i] == "" {
			texts[i] = captions.Of(&c.Control)
		}
	}
	useTexts := alias == "" || same && len(boxes) > 1 && allDifferent(texts)
	for i, c := range boxes {
		name := c.Alias()
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

// allDifferent reports whether all texts are distinct and not empty.
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

// unique returns the name, numbered if it was used before.
func unique(name string, used map[string]int) string {
	numbered := name
	for used[numbered] > 0 {
		used[name]++
		numbered = name + " (" + strconv.Itoa(used[name]) + ")"
	}
	used[numbered]++
	return numbered
}

// setOption sets the option of the checkbox and of its twins.
func (c *Control) setOption(name string) {
	c.option = name
	for _, twin := range c.twins {
		twin.option, twin.single = name, c.single
	}
}

// isChecked reports whether the checkbox is ticked.
func (c *Control) isChecked() bool {
	if c.Kind != sdt.Checkbox {
		return c.ticked
	}
	return c.Checked()
}
