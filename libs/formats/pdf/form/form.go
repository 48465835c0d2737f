// Package form writes into PDF files on pdfcpu's object model: values into the widgets of
// form fields, each with an appearance stream of its own, and text and pictures onto pages.
// It appends an incremental update, so the bytes of the file itself stay as they are.
//
// Its functions parse untrusted files. Call them only in the processes of package pdf, which
// have limits on memory and time.
package form

import (
	"github.com/rectohq/recto/libs/formats/layout"
)

// Ref identifies a widget by its place in the file, because names of fields may be missing
// or shared, and PDFium finds widgets that the AcroForm dictionary lacks.
type Ref struct {
	// Page counts from 1. Annotation is the index in the page's array of annotations.
	Page, Annotation int
}

// Description holds what PDFium does not report about a form.
type Description struct {
	Details map[Ref]Details
	// Signed reports whether the file has a signature.
	Signed bool
}

// Details are properties of a form field, including those inherited from its ancestors, and
// of one of its widgets.
type Details struct {
	// Name is the fully qualified name, such as "party.name", or "" if there is none.
	Name string `json:"name,omitzero"`
	// First is the first widget of a field without a name, unless this is the first one.
	First Ref `json:"first,omitzero"`
	// MaxLength is the maximum number of characters of a text; 0 means unbounded.
	MaxLength int  `json:"max_length,omitzero"`
	Multiline bool `json:"multiline,omitzero"`
	Password  bool `json:"password,omitzero"`
	// Comb reports whether the characters of a text stand in boxes of equal width.
	Comb bool `json:"comb,omitzero"`
	// Editable reports whether a dropdown takes text that is not one of its options.
	Editable bool `json:"editable,omitzero"`
	// MultiSelect reports whether a list takes several options.
	MultiSelect bool `json:"multi_select,omitzero"`
	// Options are the options of a choice field.
	Options []Option `json:"options,omitzero"`
	// State stands for the on-state of a checkbox or radio button. Widgets of a field with
	// equal states have equal ones. It is the name of the state as far as that is text, and
	// chosen by Describe if the widget has no appearance. Caption is the display text that
	// /Opt gives to this state, or "".
	State   string `json:"state,omitzero"`
	Caption string `json:"caption,omitzero"`
	// Format is the script that formats the value, such as
	// AFDate_FormatEx("mm/dd/yyyy"), cut to a few hundred bytes, or "".
	Format string `json:"format,omitzero"`
	// Calculated reports whether a script calculates the value.
	Calculated bool `json:"calculated,omitzero"`
	// Icon reports whether a push button is meant to show a picture: it has no action
	// other than choosing one.
	Icon bool `json:"icon,omitzero"`
	// Signed reports whether a signature field has been signed.
	Signed bool `json:"signed,omitzero"`
}

// Option is an option of a choice field.
type Option struct {
	Display string `json:"display"`
	// Export is the value in the file, "" if it equals Display.
	Export string `json:"export,omitzero"`
}

// Order says what to write into a file. It is sent to the process that writes.
type Order struct {
	Values []Value `json:"values"`
	// Pictures are the pictures that values refer to by index. Their bytes are passed
	// separately.
	Pictures []Picture `json:"pictures,omitzero"`
	// Flatten makes the form part of the pages: it draws all fields there, and removes
	// them. Links, comments and other annotations stay.
	Flatten bool `json:"flatten,omitzero"`
}

// Value is a value and all places where it is written.
type Value struct {
	// Field identifies the value for the caller. It is not sent between processes.
	Field string `json:"-"`
	// Widgets belong to one form field.
	Widgets []Widget `json:"widgets,omitzero"`
	Stamps  []Stamp  `json:"stamps,omitzero"`
	// Text is the text to show, with lines separated by "\n". "" empties the places. For
	// a choice it is the display text.
	Text string `json:"text,omitzero"`
	// Export holds the export values of the selected options of a choice field, and Shown
	// their display texts in the same order.
	Export []string `json:"export,omitzero"`
	Shown  []string `json:"shown,omitzero"`
	// Pictures are indices of Order.Pictures. They are shown instead of Text, next to each
	// other.
	Pictures []int `json:"pictures,omitzero"`
}

// Widget is a widget to be filled.
type Widget struct {
	Ref `json:",inline"`
	// On is the new state of a checkbox or radio button.
	On bool `json:"on,omitzero"`
}

// Stamp is a place on a page that has no widget.
type Stamp struct {
	// Page counts from 1. Box is in fractions of the displayed page.
	Page int        `json:"page"`
	Box  layout.Box `json:"box"`
	// Size is the size of the text in points; 0 fits it to the box.
	Size float64 `json:"size,omitzero"`
	// Multiline allows the text to wrap.
	Multiline bool `json:"multiline,omitzero"`
	// Cover paints the box white first, to hide a prompt.
	Cover bool `json:"cover,omitzero"`
	// Tick draws a check mark in the box instead of the text.
	Tick bool `json:"tick,omitzero"`
	// EmptyBox draws a box without a check mark instead of the text.
	EmptyBox bool `json:"empty_box,omitzero"`
}

// Picture describes a validated image; see fields.Picture.
type Picture struct {
	MediaType   string `json:"media_type"`
	Width       int    `json:"width"`
	Height      int    `json:"height"`
	Orientation int    `json:"orientation"`
	Size        int64  `json:"size"`
}

// Result is what was written.
type Result struct {
	// Update is to be appended to the file or, if Whole is set, to replace it.
	Update []byte
	Whole  bool
	// Calculations reports whether scripts of the form would calculate other fields from
	// the new values. No script was run.
	Calculations bool
	// Illegible holds the indices of the values of the order whose text is too long for one
	// of its places, so that it was written in a size that is hard to read.
	Illegible []int
}

// Refusal is a reason why a file cannot be filled. It is sent between processes.
type Refusal string

// The refusals.
const (
	// Damaged means that the objects of the file cannot be read, SignedDamaged that the file
	// is signed and too damaged to append to: repairing it would break its signature.
	Damaged       Refusal = "damaged"
	SignedDamaged Refusal = "damaged and signed"
	// Encrypted means that the file cannot be opened without a password.
	Encrypted Refusal = "encrypted"
	// Forbidden means that the file's owner does not permit filling.
	Forbidden Refusal = "filling forbidden"
	// XFA means that the form exists only as XFA.
	XFA Refusal = "xfa"
	// Certified means that a signature of the file does not permit filling, Locked that it
	// locks one of the fields, and SignedPage that a place is not a form field, so that
	// writing there would break the signature.
	Certified  Refusal = "certified"
	Locked     Refusal = "locked"
	SignedPage Refusal = "signed page"
	// Missing means that the file has no such page or widget.
	Missing Refusal = "missing"
	// Signed means that flattening would break a signature, Fixed that the file's owner
	// permits filling but not flattening, and Crowded that the file has too many widgets
	// to flatten them.
	Signed  Refusal = "signed"
	Fixed   Refusal = "flattening forbidden"
	Crowded Refusal = "widgets to flatten"
)

// Error implements error.
func (r Refusal) Error() string { return "the file cannot be filled: " + string(r) }
