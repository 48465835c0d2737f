// Package pdf reads PDF files: their text, the position of each word, and their form
// fields. It is where untrusted PDFs are admitted. PDFium, compiled to WebAssembly,
// parses each file in a separate process that has no network, no access to files, and
// limited memory and time. The answer of that process is checked against limits before it
// is used.
//
// A separate process is needed because a parser of untrusted files must be stopped from
// outside: the kernel bounds its memory and time, whatever PDFium and the WebAssembly
// runtime do, and a file that crashes the process affects nothing else. Go libraries are
// not suitable: ledongthuc/pdf ends the whole program on a damaged file, and pdfcpu reads
// the objects of a file but not its text.
//
// The process runs this same program, so every program that reads PDFs must call
// sandbox.Main and then Main before anything else.
package pdf

import (
	"fmt"
	"time"

	"github.com/rectohq/recto/libs/config"
	"github.com/rectohq/recto/libs/formats/layout"
)

// Version identifies the output of Read. It changes when the same file would be read
// differently, so that stored results of earlier versions are not used.
const Version = "1"

// Config is the operator's configuration of a Reader that reads files. A service embeds
// it in its own configuration with the tag envPrefix, so its variables begin with the
// service's name.
type Config struct {
	ProcessConfig
	// Pages is the maximum number of pages of a file.
	Pages int `env:"PDF_PAGES" envDefault:"2000" desc:"maximum number of pages of a PDF"`
}

// ProcessConfig is the operator's configuration of the processes. A service that only
// counts pages needs nothing else.
type ProcessConfig struct {
	// Memory bounds one process that reads a file. PDFium gets what the process itself
	// does not need.
	Memory uint64 `env:"PDF_MEMORY" envDefault:"1073741824" desc:"bytes of memory for reading one PDF; the size limit of a PDF is an eighth of this"`
	// Timeout bounds the reading of one file. It does not include waiting for a free
	// process.
	Timeout time.Duration `env:"PDF_TIMEOUT" envDefault:"60s" desc:"time limit for reading one PDF"`
	// Processes is how many files are read concurrently. Half as many idle processes, at
	// least one, are kept ready in addition.
	Processes int `env:"PDF_PROCESSES" envDefault:"2" desc:"number of PDFs read concurrently, each in its own process"`
	// CacheDir keeps PDFium as machine code. Programs execute its content, so it must be
	// writable only by this user. If it cannot be used, a temporary folder takes its
	// place.
	CacheDir string `env:"PDF_CACHE" desc:"folder for the compiled PDFium, which takes seconds to compile; must be writable only by this user. Not set: a temporary folder at each start"`
}

// leastMemory is enough for PDFium to read a file of a few hundred pages, and for the
// process itself.
const leastMemory = 256 << 20

// Check adds the problems of the variables, whose names begin with prefix.
func (c Config) Check(p *config.Problems, prefix string) {
	c.ProcessConfig.Check(p, prefix)
	config.AtLeast(p, prefix+"PDF_PAGES", c.Pages, 1)
}

// Check adds the problems of the variables, whose names begin with prefix.
func (c ProcessConfig) Check(p *config.Problems, prefix string) {
	config.AtLeast(p, prefix+"PDF_MEMORY", c.Memory, leastMemory)
	p.Require(c.Memory <= maxMemory, "%sPDF_MEMORY must be at most %d, the most that WebAssembly can address here", prefix, uint64(maxMemory))
	p.Positive(prefix+"PDF_TIMEOUT", c.Timeout)
	config.AtLeast(p, prefix+"PDF_PROCESSES", c.Processes, 1)
}

// File is the content of a PDF.
//
// The text is in PDFium's reading order. Words on a line are separated by one space;
// lines and pages end with a line break. A hyphen at the end of a line is kept, and so is
// the line break after it. Text outside of the displayed page is left out. Invisible text
// within it, such as the text layer of a scan, is included. Form fields appear as text in
// place, as they would be printed.
type File struct {
	layout.Document
	// Fields are the widgets of the AcroForm, in page order. A field with several widgets
	// appears several times, under the same name.
	Fields []Field
	// Title and Created come from the file's metadata. They are "" and the zero time if
	// they are missing.
	Title   string
	Created time.Time
}

// FieldType is the type of a form field.
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

// Field is one widget of a form field.
type Field struct {
	// Name is the fully qualified name, such as "party.name".
	Name string    `json:"name"`
	Type FieldType `json:"type"`
	// Label is the alternate field name, which viewers show as a tooltip.
	Label string `json:"label"`
	// Value is the text of the field. For a checkbox or radio button it is the name of
	// the state to which Checked refers.
	Value string `json:"value"`
	// Checked reports whether a checkbox or radio button is on.
	Checked bool `json:"checked"`
	// Options are the displayed options of a choice field, and Selected the selected
	// ones.
	Options  []string `json:"options,omitempty"`
	Selected []string `json:"selected,omitempty"`
	ReadOnly bool     `json:"read_only"`
	Required bool     `json:"required"`
	// Page counts from 1.
	Page int        `json:"-"`
	Box  layout.Box `json:"-"`
}

// Error is the reason why a file is refused.
type Error struct {
	// Reason completes a sentence that begins with "The file", for the person who sent
	// it.
	Reason string
	// Err is the cause, for logs. It may be nil.
	Err error
}

// Error returns a text for logs, with the cause.
func (e *Error) Error() string {
	if e.Err == nil {
		return "the file " + e.Reason
	}
	return fmt.Sprintf("the file %s: %v", e.Reason, e.Err)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }
