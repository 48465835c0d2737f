package docxfields

import (
	"strconv"
	"strings"

	"github.com/beevik/etree"

	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/formats/fields/detect"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/runs"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/wml"
)

// kind is which kind of content control one is.
type kind int

const (
	kindRich kind = iota
	kindPlain
	kindDropDown
	kindCombo
	kindDate
	kindCheckbox
	kindPicture
)

// fieldType returns the type of a field that only its control tells of.
func (k kind) fieldType() fields.Type {
	switch k {
	case kindDropDown, kindCombo:
		return fields.Dropdown
	case kindDate:
		return fields.Date
	case kindCheckbox:
		return fields.Checkbox
	case kindPicture:
		return fields.Image
	default:
		return fields.Text
	}
}

// control is a content control.
type control struct {
	sdtControl
	part *controls
	// id is that of its field, "" if it is none: it shows a custom XML part then.
	id string
	// tag is what the tag says of the field, and suffix the end of the tag of a
	// control that is one of several of a field.
	tag    fields.Tag
	suffix string
	// option is what it stands for in a field of checkboxes.
	option string
	// single tells that it is a control of text that stands for one checkbox, which
	// is ticked or not, and boxed that boxes are drawn in it.
	single, ticked, boxed bool
	// drawn are the checkboxes that are drawn in its text, if it is not single, and
	// question is what they answer there.
	drawn    []detect.Box
	question string
	// twins show the same in other branches of mc:AlternateContent.
	twins []*control
}

// sdtControl is a content control as it stands in its part.
type sdtControl struct {
	// sdt is the control, pr its properties and content what it shows. Pr is never
	// nil, nor is content once it was made.
	sdt, pr, content *etree.Element
	kind             kind
	// kindOf is the child of pr that says the kind, nil if there is none.
	kindOf *etree.Element
	// in tells what stays in the content when it is emptied; nil for a control that
	// is not.
	in *structure
	// broken tells that a complex field begins or ends in the content, but not
	// both.
	broken bool
}

// newSDT returns the control that e is; it reports false if e is none or has no
// properties. In may be nil for a control whose content stays as it is.
func newSDT(e *etree.Element, in *structure) (c sdtControl, ok bool) {
	if !wml.Is(e, "sdt") {
		return sdtControl{}, false
	}
	c = sdtControl{sdt: e, pr: wml.Child(e, "sdtPr"), content: wml.Child(e, "sdtContent"), in: in}
	if c.pr == nil {
		return sdtControl{}, false
	}
	c.setKind()
	return c, true
}

// makeContent gives a control without content an empty one.
func (c *sdtControl) makeContent() {
	if c.content == nil {
		c.content = wml.New(c.sdt, "sdtContent")
		c.sdt.AddChild(c.content)
	}
}

// find finds the controls of the part that are fields or bound, and returns them in
// reading order, without twins.
func (p *controls) find() []*control { return p.findControls(p.root) }

// isField reports whether e is a control that is a field, and is around no other one
// of the same field.
func (p *controls) isField(e *etree.Element) bool { return p.owns(e) && p.around[e] == nil }

// findControls returns the controls at and below e that are fields or bound, in
// reading order, without twins.
func (p *controls) findControls(e *etree.Element) []*control {
	if wml.IsDeleted(e) {
		p.noteMarks(e)
		return nil
	}
	if wml.Named(e, wml.SpaceCompatibility, "AlternateContent") {
		return p.findTwins(e)
	}
	var found []*control
	switch e.Tag {
	case "sdt":
		if c := p.newControl(e); c != nil {
			p.addControl(c)
			found = append(found, c)
		}
	case "sectPr":
		p.keep(e)
	case "fldChar", "instrText":
		p.mark(e)
	}
	for _, token := range e.Child {
		if below, ok := token.(*etree.Element); ok {
			found = append(found, p.findControls(below)...)
		}
	}
	return found
}

// noteMarks notes the marks of complex fields at and below e, in which no controls
// are looked for.
func (s *structure) noteMarks(e *etree.Element) {
	if e.Tag == "fldChar" || e.Tag == "instrText" {
		s.mark(e)
	}
	for _, below := range e.ChildElements() {
		s.noteMarks(below)
	}
}

// addControl notes a control that was found.
func (p *controls) addControl(c *control) {
	p.all = append(p.all, c)
	if c.id != "" {
		p.own(c.sdt)
		p.ids[c.sdt] = c.id
		if c.tag.Type == fields.Checkbox && c.holdsText() {
			p.choices[c.sdt] = c.id
		}
		p.noteAround(c)
	}
}

// findTwins returns the controls of alternatives that a reader sees one of. The
// n-th control of an id in one branch is the n-th in another one.
func (p *controls) findTwins(alternate *etree.Element) []*control {
	var found []*control
	known := map[string]*control{}
	for _, branch := range alternate.ChildElements() {
		count := map[string]int{}
		for _, c := range p.findControls(branch) {
			count[c.id+c.suffix]++
			key := c.id + "\x00" + c.suffix + "\x00" + strconv.Itoa(count[c.id+c.suffix])
			switch first := known[key]; {
			case c.id == "":
				found = append(found, c)
			case first != nil && first.kind == c.kind:
				first.twins = append(first.twins, c)
				first.twins = append(first.twins, c.twins...)
			default:
				known[key] = c
				found = append(found, c)
			}
		}
	}
	return found
}

// newControl returns the control that e is, nil if it is none or of no use.
func (p *controls) newControl(e *etree.Element) *control {
	base, ok := newSDT(e, p.structure)
	if !ok {
		return nil
	}
	c := &control{sdtControl: base, part: p}
	c.setField()
	if c.id == "" && (c.content == nil || c.binding() == nil) {
		return nil
	}
	c.makeContent()
	return c
}

// setKind finds the child of the properties that says what kind of control it
// is.
func (c *sdtControl) setKind() {
	for _, e := range c.pr.ChildElements() {
		switch {
		case wml.Named(e, wml.Space2010, "checkbox"), wml.Is(e, "checkbox"):
			c.kind, c.kindOf = kindCheckbox, e
		case wml.Is(e, "dropDownList"):
			c.kind, c.kindOf = kindDropDown, e
		case wml.Is(e, "comboBox"):
			c.kind, c.kindOf = kindCombo, e
		case wml.Is(e, "date"):
			c.kind, c.kindOf = kindDate, e
		case wml.Is(e, "picture"):
			c.kind, c.kindOf = kindPicture, e
		case wml.Is(e, "text"):
			c.kind, c.kindOf = kindPlain, e
		}
	}
}

// checkboxInfix stands between the id of a field and what distinguishes one of
// its checkboxes in their tags.
const checkboxInfix = "-checkbox-"

// setField reads the tag. Without the id of a field it leaves the control as it
// is.
func (c *control) setField() {
	tag := strings.TrimSpace(wml.Val(wml.Child(c.pr, "tag")))
	switch parsed, ok := fields.ParseTag(tag); {
	case ok:
		c.tag = parsed
	case fields.ValidID(tag):
		c.tag = fields.Tag{FieldID: tag}
	case c.kind == kindCheckbox:
		c.tag.FieldID = c.part.choiceAround(c.sdt)
	}
	if c.tag.FieldID == "" {
		return
	}
	c.readOldProperties()
	c.id = c.tag.FieldID
	at := strings.LastIndex(c.id, checkboxInfix)
	if at > 0 && fields.ValidID(c.id[:at]) && c.isBox() {
		c.id, c.suffix = c.id[:at], c.id[at+len(checkboxInfix):]
		c.tag.Type = fields.Checkbox
	}
}

// isBox reports whether the control is a checkbox: a control for one, one whose
// tag says so, or one that has a box for its content.
func (c *control) isBox() bool {
	return c.kind == kindCheckbox || c.tag.Type == fields.Checkbox || c.tag.Type == "" && c.holdsText() && c.content != nil &&
		detect.BeginsWithBox(strings.TrimSpace(runs.Read(c.content, maxOption)))
}

// choiceAround returns the id of the nearest field of checkboxes whose control of
// text e is in, "" if the nearest field is none: checkboxes in it that have no tag
// are its own.
func (p *controls) choiceAround(e *etree.Element) string {
	for e = e.Parent(); e != nil; e = e.Parent() {
		if p.owns(e) {
			return p.choices[e]
		}
	}
	return ""
}

// readOldProperties reads what the properties say of the field beside the tag,
// where that says nothing.
func (c *control) readOldProperties() {
	if c.tag.Type == "" {
		for _, name := range []string{"fieldType", "fieldTypeShort"} {
			if t, ok := fields.ParseType(c.oldProperty(name)); ok && c.tag.Type == "" {
				c.tag.Type = t
			}
		}
	}
	if c.tag.Multiple == nil {
		switch strings.ToLower(c.oldProperty("fieldMultipleImage")) {
		case "true", "1", "on":
			c.tag.Multiple = new(true)
		case "false", "0", "off":
			c.tag.Multiple = new(false)
		}
	}
	if c.tag.Label == "" {
		c.tag.Label = fields.CleanLabel(c.oldProperty("displayLabel"))
	}
}

// oldProperty returns a property of the field: that of an element of the
// properties, or an attribute of them or of the tag.
func (c *sdtControl) oldProperty(name string) string {
	if e := wml.Child(c.pr, name); e != nil {
		return wml.Val(e)
	}
	if v, ok := wml.Attr(c.pr, name); ok {
		return v
	}
	v, _ := wml.Attr(wml.Child(c.pr, "tag"), name)
	return v
}

// alias returns the title of the control.
func (c *sdtControl) alias() string { return fields.CleanLabel(wml.Val(wml.Child(c.pr, "alias"))) }

// field returns what the control alone says of its field. Options of checkboxes
// are added when all of them are known.
func (c *control) field() fields.Field {
	f := fields.Field{
		ID: c.id, Type: c.tag.Type, Label: c.tag.Label, Multiple: c.tag.Multiple, Source: fields.ContentControl,
	}
	if inner := c.part.around[c.sdt]; f.Type == "" && inner != nil && inner.kind == kindCheckbox {
		f.Type = fields.Checkbox
	}
	if f.Type == "" {
		f.Type = c.kind.fieldType()
	}
	if f.Label == "" {
		f.Label = c.alias()
	}
	if c.kind == kindDropDown || c.kind == kindCombo {
		f.Options = c.listOptions()
	}
	if len(f.Options) == 0 && f.Type.HasOptions() {
		f.Options = c.tag.Options
	}
	if c.kind != kindCheckbox && c.kind != kindPicture && f.Type != fields.Image {
		f.Text = c.text()
	}
	if c.kind == kindDate && f.Type == fields.Date {
		f.Text = c.day(f.Text)
	}
	return f
}

// surrounds reports whether the control is around another one of its own field, as
// around the checkboxes of a group: what else it holds is no value.
func (p *controls) surrounds(c *control) bool { return p.around[c.sdt] != nil }

// noteAround notes which controls of the same field c is in.
func (p *controls) noteAround(c *control) {
	for e := c.sdt.Parent(); e != nil; e = e.Parent() {
		if p.owns(e) && p.ids[e] == c.id {
			if p.around[e] == nil {
				p.around[e] = c
			}
			return
		}
	}
}

// text returns what the control shows, "" for a placeholder.
func (c *sdtControl) text() string {
	if c.showsPlaceholder() {
		return ""
	}
	return runs.Read(c.content, runs.MaxValue)
}

// showsPlaceholder reports whether the content is a placeholder.
func (c *sdtControl) showsPlaceholder() bool { return wml.IsOn(wml.Child(c.pr, "showingPlcHdr")) }
