package conversionapi

import (
	"strings"

	"github.com/rectohq/recto/libs/problem"
)

// Details describe a converted file.
type Details struct {
	// Size is the size of the file in bytes.
	Size int64 `json:"size,omitzero"`
	// PageCount is the number of pages. It is 0, and PageSizes is empty, if the pages of a
	// PDF that needed no conversion cannot be listed.
	PageCount int        `json:"page_count,omitzero"`
	PageSizes []PageSize `json:"page_sizes,omitempty"`
	// ReplacedFonts are the fonts of the document that are not installed.
	ReplacedFonts []ReplacedFont `json:"replaced_fonts,omitempty"`
}

// ReplacedFont is a font that is not installed, with its replacement.
type ReplacedFont struct {
	Font        string `json:"font"`
	Replacement string `json:"replacement"`
}

// PageSize is the size of consecutive pages.
type PageSize struct {
	// FirstPage and LastPage count from 1.
	FirstPage int `json:"first_page"`
	LastPage  int `json:"last_page"`
	// Width and Height are in points, as the pages are displayed.
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
}

// MaxPageSizes bounds the page sizes of Details. Further pages are left out.
const MaxPageSizes = 1000

// Profile is a standard that a converted file conforms to, or "" for none.
type Profile string

// The profiles.
const (
	PDFA2b Profile = "pdf/a-2b"
	PDFA3b Profile = "pdf/a-3b"
	PDFUA  Profile = "pdf/ua"
)

// ParseProfile returns the profile of that name, in any case.
func ParseProfile(name string) (Profile, *problem.Fault) {
	switch p := Profile(strings.ToLower(name)); p {
	case PDFA2b, PDFA3b, PDFUA:
		return p, nil
	}
	return "", &problem.Fault{
		Code: problem.CodeInvalidEnum, Message: "must be pdf/a-2b, pdf/a-3b or pdf/ua",
		Resolution: "Send one of these, or omit it for a PDF without a profile.",
	}
}
