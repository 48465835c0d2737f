package fields

import (
	"slices"
	"strings"
)

// Types returns all types in the order of the API.
func Types() []Type {
	return []Type{Text, Name, Company, Address, Phone, Email, URL, Number, SSN, Gender, Date, Checkbox, Dropdown, Image, Signature}
}

// InsightName returns the spelling of t in insights, for example "NAMETEXTINPUT", or ""
// if t is not a type.
func (t Type) InsightName() string {
	switch t {
	case Text:
		return "FREETEXTINPUT"
	case Company:
		return "COMPANYNAMETEXTINPUT"
	case Checkbox:
		return "CHECKTEXTINPUT"
	case Name, Address, Phone, Email, URL, Number, SSN:
		return strings.ToUpper(string(t)) + "TEXTINPUT"
	case Gender, Date, Dropdown, Image, Signature:
		return strings.ToUpper(string(t)) + "INPUT"
	default:
		return ""
	}
}

// HasOptions reports whether values of t are chosen from a list.
func (t Type) HasOptions() bool {
	return t == Checkbox || t == Dropdown || t == Gender
}

// HasImages reports whether a field of type t may hold images.
func (t Type) HasImages() bool { return t == Image || t == Signature }

// IsText reports whether any text is a value of t. That includes unknown types, because
// nothing restricts their values.
func (t Type) IsText() bool {
	switch t {
	case Phone, Email, URL, Number, SSN, Gender, Date, Checkbox, Dropdown, Image:
		return false
	default:
		return true
	}
}

// HasLength reports whether Min and Max count characters for a field of type t.
func (t Type) HasLength() bool {
	return t.IsText() || t == Phone || t == Email || t == URL
}

// MinLength returns how many characters a value of type t may need at least, or 0 if any
// text is a value of t. A field that cannot hold as many is no field of type t.
func (t Type) MinLength() int {
	switch t {
	case Phone:
		return 7
	case Email:
		return 6
	case URL:
		return 11
	case SSN:
		return 9
	case Date:
		return len("2006-01-02")
	case Gender:
		return len("Prefer not to say")
	}
	return 0
}

// maxTypeName is the maximum length, in bytes, of a spelling that ParseType accepts.
const maxTypeName = 64

// ParseType returns the type with the given name, in the spelling of the API ("name") or
// of insights ("NAMETEXTINPUT"), or in a spelling found in files ("TEXTINPUT", "SELECT",
// "CHECKBOXINPUT", "company_name"). Case, spaces, hyphens and underscores do not matter.
func ParseType(s string) (Type, bool) {
	if len(s) > maxTypeName {
		return "", false
	}
	s = strings.ToLower(strings.NewReplacer(" ", "", "-", "", "_", "").Replace(s))
	if t, ok := typeOf(s); ok {
		return t, true
	}
	for _, end := range []string{"textinput", "input", "field", "text"} {
		if base, ok := strings.CutSuffix(s, end); ok && base != "" {
			return typeOf(base)
		}
	}
	return "", false
}

// typeOf returns the type for a lower-case name without its usual suffixes.
func typeOf(name string) (Type, bool) {
	switch name {
	case "freetext", "free", "string", "textinput", "textarea", "plaintext", "richtext", "multiline":
		return Text, true
	case "fullname", "personname":
		return Name, true
	case "companyname", "organization", "organisation", "organizationname":
		return Company, true
	case "phonenumber", "telephone", "tel":
		return Phone, true
	case "emailaddress":
		return Email, true
	case "link", "website":
		return URL, true
	case "numeric", "decimal":
		return Number, true
	case "socialsecuritynumber":
		return SSN, true
	case "check", "checkboxes":
		return Checkbox, true
	case "select", "dropdownlist", "combobox", "choice":
		return Dropdown, true
	case "images", "picture":
		return Image, true
	case "sign", "sig":
		return Signature, true
	}
	t := Type(name)
	return t, slices.Contains(Types(), t)
}

// IDPrefix is the prefix of all field IDs.
const IDPrefix = "agreementinput-"

// maxID bounds the rest of an ID after IDPrefix, in characters.
const maxID = 200

// ValidID reports whether id is a well-formed field ID: IDPrefix followed by 1 to 200
// ASCII letters, digits, hyphens and underscores.
func ValidID(id string) bool {
	rest, ok := strings.CutPrefix(id, IDPrefix)
	return ok && rest != "" && len(rest) <= maxID && !strings.ContainsFunc(rest, notInID)
}

func notInID(r rune) bool {
	letter := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
	return !letter && !('0' <= r && r <= '9') && r != '-' && r != '_'
}
