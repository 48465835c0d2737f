package fields

import (
	"slices"
	"strings"
)

// Types lists every type, as the API lists them.
func Types() []Type {
	return []Type{Text, Name, Company, Address, Phone, Email, URL, Number, SSN, Gender, Date, Checkbox, Dropdown, Image, Signature}
}

// InsightName returns how insights spell t, for example "NAMETEXTINPUT", and
// "" for what is no type.
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

// IsText reports whether a value of t is any text. A type that is not known is
// one: nothing says that it is anything else.
func (t Type) IsText() bool {
	switch t {
	case Phone, Email, URL, Number, SSN, Gender, Date, Checkbox, Dropdown, Image:
		return false
	default:
		return true
	}
}

// HasLength reports whether Min and Max of a field of t count characters.
func (t Type) HasLength() bool {
	return t.IsText() || t == Phone || t == Email || t == URL
}

// maxTypeName bounds the spellings that ParseType looks at, in bytes.
const maxTypeName = 64

// ParseType returns the type that s names: as the API does ("name"), as insights
// do ("NAMETEXTINPUT"), or as files were found to ("TEXTINPUT", "SELECT",
// "CHECKBOXINPUT", "company_name"). Case, spaces, hyphens and underscores do not
// matter.
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

// typeOf returns the type of a name in lower case, without what names end in.
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

// IDPrefix is what the id of every field begins with.
const IDPrefix = "agreementinput-"

// maxID bounds what follows IDPrefix, in characters.
const maxID = 200

// ValidID reports whether id has the form of an id: IDPrefix and 1 to 200 of
// the letters, digits, hyphens and underscores of ASCII.
func ValidID(id string) bool {
	rest, ok := strings.CutPrefix(id, IDPrefix)
	return ok && rest != "" && len(rest) <= maxID && !strings.ContainsFunc(rest, notInID)
}

func notInID(r rune) bool {
	letter := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
	return !letter && !('0' <= r && r <= '9') && r != '-' && r != '_'
}
