package problem

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// EntryCode identifies the rule that a field broke.
type EntryCode string

// The rules that a field can break.
const (
	CodeRequired          EntryCode = "required"
	CodeInvalidType       EntryCode = "invalid_type"
	CodeUnrecognizedKey   EntryCode = "unrecognized_key"
	CodeDuplicateKey      EntryCode = "duplicate_key"
	CodeCustom            EntryCode = "custom"
	CodeTooShort          EntryCode = "too_short"
	CodeTooLong           EntryCode = "too_long"
	CodeOutOfRange        EntryCode = "out_of_range"
	CodeInvalidEnum       EntryCode = "invalid_enum"
	CodeForbiddenField    EntryCode = "forbidden_field"
	CodeInvalidMIMEType   EntryCode = "invalid_mime_type"
	CodeInvalidFileName   EntryCode = "invalid_file_name"
	CodeOrderByInvalid    EntryCode = "order_by_invalid"
	CodeFilterInvalid     EntryCode = "filter_invalid"
	CodeUnknownParameter  EntryCode = "unknown_parameter"
	CodeVersionInvalid    EntryCode = "version_invalid"
	CodeFormatUnsupported EntryCode = "format_unsupported"
	CodeStateMismatch     EntryCode = "state_mismatch"
	CodeDocumentAgreement EntryCode = "document_is_agreement"
	CodeInvalidCharacters EntryCode = "invalid_characters"
	CodeInvalidBox        EntryCode = "invalid_box"
)

// The rules that the value of a document field can break.
const (
	CodeFieldKeyInvalid         EntryCode = "field_key_invalid"
	CodeFieldDuplicate          EntryCode = "field_duplicate"
	CodeFieldNotFound           EntryCode = "field_not_found"
	CodeCheckboxInvalidOption   EntryCode = "checkbox_invalid_option"
	CodeCheckboxDuplicateOption EntryCode = "checkbox_duplicate_option"
	CodeCheckboxMinSelected     EntryCode = "checkbox_min_selected"
	CodeCheckboxMaxSelected     EntryCode = "checkbox_max_selected"
	CodeDropdownInvalidOption   EntryCode = "dropdown_invalid_option"
	CodeGenderInvalidOption     EntryCode = "gender_invalid_option"
	CodeURLInvalid              EntryCode = "url_invalid"
	CodeURLMissingProtocol      EntryCode = "url_missing_protocol"
	CodeNumberInvalid           EntryCode = "number_invalid"
	CodeSSNInvalid              EntryCode = "ssn_invalid"
	CodeEmail                   EntryCode = "email"
	CodePhoneInvalid            EntryCode = "phone_invalid"
	CodeInvalidDateFormat       EntryCode = "invalid_date_format"
	CodeTextTooLong             EntryCode = "text_too_long"
	CodeImageInvalidHeader      EntryCode = "image_invalid_header"
	CodeImageUnsupportedType    EntryCode = "image_unsupported_type"
	CodeImageInvalidBase64      EntryCode = "image_invalid_base64"
	CodeImageTooLarge           EntryCode = "image_too_large"
	CodeImageCorrupt            EntryCode = "image_corrupt"
	CodeImageMultipleNotAllowed EntryCode = "image_multiple_not_allowed"
	CodeUnsupportedCharacter    EntryCode = "unsupported_character"
)

// The rules that a request for insights can break.
const (
	CodeSourceRequired     EntryCode = "source_required"
	CodeSourceMultiple     EntryCode = "source_multiple"
	CodeInsightTypeUnknown EntryCode = "insight_type_unknown"
	CodePromptRequired     EntryCode = "prompt_required"
	CodeURLUnreachable     EntryCode = "url_unreachable"
	CodeURLForbidden       EntryCode = "url_forbidden"
)

// Class is the kind of an entry. The classes of all entries determine the code of the
// whole response.
type Class string

const (
	// Missing is a required member that is absent or null.
	Missing Class = "missing"
	// Format is a value of the wrong JSON type, or a path or query value that
	// cannot be parsed.
	Format Class = "format"
	// Rule is everything else.
	Rule Class = "rule"
)

// Entry describes one invalid field.
type Entry struct {
	// Path is the dotted path of the field, for example "files.0.name", or the name of a
	// query parameter.
	Path string `json:"path"`
	// Code is the rule that was broken.
	Code EntryCode `json:"code"`
	// Message says what is wrong, for the end user of a form.
	Message string `json:"message"`
	// Value is the invalid value, shortened by Echo, or null for a missing one.
	Value jsontext.Value `json:"value"`
	// InternalMessage says what is wrong, for the developer of the client.
	InternalMessage string `json:"internal_message"`
	// Resolution says what to do.
	Resolution string `json:"resolution"`
	// Class determines how the entry affects the code of the response. It travels on the
	// bus but is not part of the response.
	Class Class `json:"class"`
}

var null = jsontext.Value("null")

// Required returns the entry for a missing member.
func Required(path string) Entry {
	return Entry{
		Path: path, Code: CodeRequired, Class: Missing, Value: null,
		Message:         fmt.Sprintf("%s is required", path),
		InternalMessage: fmt.Sprintf("%s is absent or null", path),
		Resolution:      fmt.Sprintf("Send a value for %s.", path),
	}
}

// WrongType returns the entry for a value that does not have the wanted type, for example
// "a string".
func WrongType(path, want string, got jsontext.Value) Entry {
	return Entry{
		Path: path, Code: CodeInvalidType, Class: Format, Value: Echo(got),
		Message:         fmt.Sprintf("%s must be %s", path, want),
		InternalMessage: fmt.Sprintf("%s: expected %s, received %s", path, want, kindName(got)),
		Resolution:      fmt.Sprintf("Send %s as %s.", path, want),
	}
}

// Unparsable returns the entry for a path or query value that cannot be parsed as what is
// wanted, for example "an integer".
func Unparsable(path string, code EntryCode, want, got string) Entry {
	return Entry{
		Path: path, Code: code, Class: Format, Value: EchoString(got),
		Message:         fmt.Sprintf("%s must be %s", path, want),
		InternalMessage: fmt.Sprintf("%s: cannot parse the value as %s", path, want),
		Resolution:      fmt.Sprintf("Send %s as %s.", path, want),
	}
}

// Fault is a broken rule, without the field that broke it. A nil *Fault means no fault.
type Fault struct {
	// Code names the rule.
	Code EntryCode
	// Message completes a sentence that begins with the path of the field, for example
	// "must have at most 255 characters".
	Message string
	// Resolution says what to do.
	Resolution string
}

// Broken returns the entry for a value that has the fault f.
func Broken(path string, value jsontext.Value, f Fault) Entry {
	return Entry{
		Path: path, Code: f.Code, Class: Rule, Value: Echo(value),
		Message:         fmt.Sprintf("%s %s", path, f.Message),
		InternalMessage: fmt.Sprintf("%s: rule %s: the value %s", path, f.Code, f.Message),
		Resolution:      f.Resolution,
	}
}

// kindName names the JSON type of v for messages.
func kindName(v jsontext.Value) string {
	switch v.Kind() {
	case 'n':
		return "null"
	case 't', 'f':
		return "a boolean"
	case '"':
		return "a string"
	case '0':
		return "a number"
	case '[':
		return "an array"
	case '{':
		return "an object"
	default:
		return "nothing"
	}
}
