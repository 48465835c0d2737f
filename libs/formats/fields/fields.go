// Package fields is what a field of a document is: its id, its type, its options, and
// what it is filled with. It knows no file format: the packages below it find fields in
// files and fill them.
package fields

// Type is what a field holds.
type Type string

// The types of fields, as the API names them.
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

// Source is where the definition of a field comes from.
type Source string

// The sources, the strongest first.
const (
	Registry       Source = "registry"
	ContentControl Source = "content_control"
	TextTag        Source = "text_tag"
	AcroForm       Source = "acroform"
	Detected       Source = "detected"
)

// Option is one of the choices of a field.
type Option struct {
	// Display is what a reader sees, and what values are compared with first.
	Display string `json:"display"`
	// Value is what the list item of a file stands for, where that differs
	// from what it shows; "" otherwise.
	Value string `json:"value,omitzero"`
	// Box is what the file calls the box of this option, where the registry has
	// another name for it; "" otherwise.
	Box string `json:"box,omitzero"`
}

// Field is a field of a document: what it is called, what it may hold, and what
// it holds. One field may stand in several places.
type Field struct {
	// ID is its identifier, "agreementinput-" and more.
	ID   string `json:"id"`
	Type Type   `json:"type"`
	// Label is what the document calls it, "" if it does not.
	Label    string   `json:"label,omitzero"`
	Required bool     `json:"required,omitzero"`
	Options  []Option `json:"options,omitzero"`
	// Boxes says that the options are boxes that the file has.
	Boxes bool `json:"boxes,omitzero"`
	// Written says that the options of a checkbox are those of a registry, for
	// which the file has no boxes: the selected ones are written as text.
	Written bool `json:"written,omitzero"`
	// Min and Max bound how many options of a checkbox are selected, and how
	// many characters a text has. Nil is unbounded.
	Min *int `json:"min,omitzero"`
	Max *int `json:"max,omitzero"`
	// Multiple says whether an image field takes several images; nil where
	// nothing says so.
	Multiple *bool  `json:"multiple,omitzero"`
	Source   Source `json:"source"`
	// Text is what it holds now, as its reader sees it; "" for an empty one, and
	// for one that shows a placeholder. A checkbox has Selected instead.
	Text     string   `json:"text,omitzero"`
	Selected []string `json:"selected,omitzero"`
	// XMLPath leads to its first place: the part and the path of the element in
	// it, for example "word/document.xml#/w:document[1]/w:body[1]/w:sdt[2]". ""
	// where there is no XML.
	XMLPath string `json:"xml_path,omitzero"`
}

// Filling is what one field gets: a value that was checked against the field.
type Filling struct {
	// Type is that of the field after its registry was asked: a control may be
	// of another kind.
	Type Type
	// Text is what is written, for every type but checkbox and image; for a
	// choice what its option displays. Lines are separated by "\n". "" empties
	// the field.
	Text string
	// Value is what the list item stands for, for a choice; otherwise "".
	Value string
	// Selected are the options of a checkbox that are ticked, by the names that
	// the file has for them; the others are cleared. That of a choice is there
	// too: its options may be boxes.
	Selected []string
	// Written says that those are written as text, boxes or not.
	Written bool
	// Pictures are set in place of Text where images were sent.
	Pictures []Picture
}
