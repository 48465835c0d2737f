// Package fields defines the fields of a document: their ID, type, options and value. It
// knows no file formats; the packages below it find fields in files and fill them.
package fields

import "github.com/rectohq/recto/libs/formats/layout"

// Type is the type of a field's value.
type Type string

// The types of fields, with their names in the API.
const (
	Text      Type = "text"
	Name      Type = "name"
	Company   Type = "company"
	Address   Type = "address"
	Phone     Type = "phone"
	Email     Type = "email"
	URL       Type = "url"
	Number    Type = "number"
	SSN       Type = "ssn"
	Gender    Type = "gender"
	Date      Type = "date"
	Checkbox  Type = "checkbox"
	Dropdown  Type = "dropdown"
	Image     Type = "image"
	Signature Type = "signature"
)

// Source is where a field's definition comes from.
type Source string

// The sources, from highest to lowest precedence.
const (
	Registry       Source = "registry"
	ContentControl Source = "content_control"
	TextTag        Source = "text_tag"
	AcroForm       Source = "acroform"
	Detected       Source = "detected"
)

// Option is a choice of a field.
type Option struct {
	// Display is the visible text. Values are compared with it first.
	Display string `json:"display"`
	// Value is the value of a list item in the file if it differs from the display text,
	// or else "".
	Value string `json:"value,omitzero"`
	// Box is the file's name for the checkbox of this option if the registry uses another
	// one, or else "".
	Box string `json:"box,omitzero"`
}

// Field is a field of a document. It may occur in several places.
type Field struct {
	// ID is the identifier, which begins with "agreementinput-".
	ID   string `json:"id"`
	Type Type   `json:"type"`
	// Label is the document's label for the field, or "".
	Label    string   `json:"label,omitzero"`
	Required bool     `json:"required,omitzero"`
	Options  []Option `json:"options,omitzero"`
	// Boxes reports whether the options are checkboxes in the file.
	Boxes bool `json:"boxes,omitzero"`
	// Written reports whether the options of a checkbox field come from a registry and
	// have no checkboxes in the file. The selected ones are written as text.
	Written bool `json:"written,omitzero"`
	// Min and Max bound the number of selected options of a checkbox field, or the number
	// of characters of a text. nil means unbounded.
	Min *int `json:"min,omitzero"`
	Max *int `json:"max,omitzero"`
	// Multiple reports whether an image field takes several images; nil means
	// unspecified.
	Multiple *bool  `json:"multiple,omitzero"`
	Source   Source `json:"source"`
	// Text is the current value as a reader sees it. It is "" if the field is empty or
	// shows a placeholder. A checkbox field uses Selected instead.
	Text     string   `json:"text,omitzero"`
	Selected []string `json:"selected,omitzero"`
	// XMLPath identifies the field's first place by part and element path, for example
	// "word/document.xml#/w:document[1]/w:body[1]/w:sdt[2]". It is "" if the file is not
	// XML.
	XMLPath string `json:"xml_path,omitzero"`
	// Places are where the field is on the pages of a PDF, in reading order. There are
	// none in other files.
	Places []Place `json:"places,omitzero"`
	// ReadOnly reports whether the form of a PDF keeps people from changing the field. It
	// can be filled nonetheless.
	ReadOnly bool `json:"read_only,omitzero"`
	// Format is the pattern of dates in the form of a PDF, such as "mm/dd/yyyy", or "".
	Format string `json:"format,omitzero"`
}

// Place is a place of a field on a page.
type Place struct {
	// Page counts from 1.
	Page int        `json:"page"`
	Box  layout.Box `json:"box"`
	// Widget is the index of the widget annotation among the annotations of the page, or
	// nil if the place has none.
	Widget *int `json:"widget,omitzero"`
	// Option is the file's name of the option whose box is here, or "".
	Option string `json:"option,omitzero"`
	// Size is the size of the surrounding text in points, or 0 to fit a value to the box.
	Size float64 `json:"size,omitzero"`
	// Multiline reports whether text may wrap.
	Multiline bool `json:"multiline,omitzero"`
	// Cover reports whether a value hides the text in the box. If the box is that of an
	// option, the text is a printed mark, which is hidden if the option is not selected.
	Cover bool `json:"cover,omitzero"`
	// Glyph reports whether the text to hide is a whole ticked box rather than a mark in one.
	// An empty box replaces it.
	Glyph bool `json:"glyph,omitzero"`
	// Continued reports whether the text to hide only continues here from the place before,
	// which shows the value.
	Continued bool `json:"continued,omitzero"`
}

// Filling is a value for a field that has been validated against the field.
type Filling struct {
	// Type is the type of the field as defined by the registry, which may differ from the
	// kind of content control.
	Type Type
	// Text is the text to write, for every type except checkbox and image; for a choice,
	// it is the display text of the option. Lines are separated by "\n". "" empties the
	// field.
	Text string
	// Value is the value of the list item for a choice, or else "".
	Value string
	// Selected holds the selected options of a checkbox field by their names in the file;
	// all others are cleared. It also holds the option of a choice, whose options may be
	// checkboxes.
	Selected []string
	// Written means that the selected options are written as text, even if the file has
	// checkboxes.
	Written bool
	// Pictures replace Text if the value consists of images.
	Pictures []Picture
}
