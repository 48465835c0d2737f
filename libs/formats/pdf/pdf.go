// Package pdf reads PDF files: their text, where each word stands, and their form
// fields. It owns the admission of hostile PDFs: the bytes are parsed by PDFium,
// compiled to WebAssembly, in a process of its own for each file, which has no
// network, no files, and so much memory and time. What that process answers is
// held against limits before any of it is believed.
//
// The process is there because a parser of hostile files has to be stopped from
// outside: the kernel bounds its memory and time, whatever PDFium and the runtime of
// WebAssembly do, and a file that ends the process ends nothing else. Libraries in Go
// do not serve: ledongthuc/pdf ends the whole program on a damaged file, and pdfcpu
// reads the objects of a file but not its text.
//
// The process is this program again, so whatever reads PDFs calls sandbox.Main and
// then Main first of all.
package pdf

import (
	"fmt"
	"time"

	"github.com/rectohq/recto/libs/config"
	"github.com/rectohq/recto/libs/formats/layout"
)

// Version names what Read makes of a file: it changes when the same file would be
// read otherwise, so that what is kept of earlier readings is not used.
const Version = "1"

// Config is what the operator decides for a Reader that reads files. The names of its
// variables begin with that of the service: it is a field of the service's
// configuration, with the tag envPrefix.
type Config struct {
	ProcessConfig
	// Pages is how many pages a file may have that is read.
	Pages int `env:"PDF_PAGES" envDefault:"2000" desc:"pages that a PDF may have"`
}

// ProcessConfig is what the operator decides about the processes. It is all of the
// configuration of a service that only counts pages.
type ProcessConfig struct {
	// Memory bounds one process that reads a file: the memory that PDFium has is
	// this less what the process itself takes.
	Memory uint64 `env:"PDF_MEMORY" envDefault:"1073741824" desc:"bytes of memory that the reading of one PDF may take; a PDF may have an eighth of that"`
	// Timeout bounds the reading of one file, without the wait for its turn.
	Timeout time.Duration `env:"PDF_TIMEOUT" envDefault:"60s" desc:"time for the reading of one PDF"`
	// Processes is how many files are read at a time. Half as many processes, and
	// at least one, stand ready beside them.
	Processes int `env:"PDF_PROCESSES" envDefault:"2" desc:"PDFs that are read at a time, each in a process of its own"`
	// CacheDir keeps PDFium as machine code. Programs run what is in it: nobody
	// else may write to it. Where it cannot be used, a temporary folder is.
	CacheDir string `env:"PDF_CACHE" desc:"folder for the compiled PDFium, which takes seconds to compile; nobody else may write to it. Not set: a temporary folder, at each start"`
}

// leastMemory is what PDFium needs for a file of some hundred pages, and the
// process for itself.
const leastMemory = 256 << 20

// Check adds the problems of the variables, whose names begin with prefix.
func (c Config) Check(p *config.Problems, prefix string) {
	c.ProcessConfig.Check(p, prefix)
	config.AtLeast(p, prefix+"PDF_PAGES", c.Pages, 1)
}

// Check adds the problems of the variables, whose names begin with prefix.
func (c ProcessConfig) Check(p *config.Problems, prefix string) {
	config.AtLeast(p, prefix+"PDF_MEMORY", c.Memory, leastMemory)
	p.Require(c.Memory <= maxMemory, "%sPDF_MEMORY must be at most %d, which is all that WebAssembly can address here", prefix, uint64(maxMemory))
	p.Positive(prefix+"PDF_TIMEOUT", c.Timeout)
	config.AtLeast(p, prefix+"PDF_PROCESSES", c.Processes, 1)
}

// File is what was read of a PDF.
//
// The text is in the order in which PDFium reads it. Words of a line are separated
// by one space; lines and pages end with a line break. A hyphen at the end of a
// line is kept, and so is the line break behind it. What stands outside of the page
// as it is shown is left out; text that is there but not painted, as that of a scan
// with recognized text, is not. Form fields are text where they stand, as they
// would be printed.
type File struct {
	layout.Document
	// Fields are the widgets of the form, in the order of the pages. A field that
	// is shown several times is several, of the same name.
	Fields []Field
	// Title and Created are what the file says of itself, "" and the zero time
	// where it does not.
	Title   string
	Created time.Time
}

// FieldType is what a form field is filled with.
type FieldType string

// The types of form fields.
const (
	Text      FieldType = "text"
	Checkbox  FieldType = "checkbox"
	Radio     FieldType = "radio"
	Choice    FieldType = "choice"
	Signature FieldType = "signature"
	Button    FieldType = "button"
)

// Field is a form field as one place of a page shows it.
type Field struct {
	// Name is the fully qualified name, such as "party.name".
	Name string    `json:"name"`
	Type FieldType `json:"type"`
	// Label is the alternate name, which programs show as a tooltip.
	Label string `json:"label"`
	// Value is the text of the field. Of a checkbox or radio button it is the name
	// of the state that Checked is about.
	Value string `json:"value"`
	// Checked tells of a checkbox or radio button whether it is on.
	Checked bool `json:"checked"`
	// Options are those of a choice, as they are shown, and Selected those of them
	// that are chosen.
	Options  []string `json:"options,omitempty"`
	Selected []string `json:"selected,omitempty"`
	ReadOnly bool     `json:"read_only"`
	Required bool     `json:"required"`
	// Page counts from 1.
	Page int        `json:"-"`
	Box  layout.Box `json:"-"`
}

// Error says what is wrong with a file.
type Error struct {
	// Reason completes "The file" to a sentence for the person who sent it.
	Reason string
	// Err is the cause, for logs. It may be nil.
	Err error
}

// Error returns a text for logs: it holds the cause.
func (e *Error) Error() string {
	if e.Err == nil {
		return "the file " + e.Reason
	}
	return fmt.Sprintf("the file %s: %v", e.Reason, e.Err)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }
