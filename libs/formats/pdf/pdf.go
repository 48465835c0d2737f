// Package pdf reads PDF files: their text, the position of each word, and their form
// fields. It also renders pages and fills forms. It is where untrusted PDFs are admitted.
// PDFium, compiled to WebAssembly, parses files in separate processes that have no network, no
// access to files but the fonts, and limited memory and time. The answer of a process is
// checked against limits before it is used. A process reads files of one owner only, each
// with a new PDFium that has its own memory; see WithOwner.
//
// A separate process is needed because a parser of untrusted files must be stopped from
// outside: the kernel bounds its memory and time, whatever PDFium and the WebAssembly
// runtime do, and a file that crashes the process affects nothing else. Go libraries are
// not suitable: ledongthuc/pdf ends the whole program on a damaged file, and pdfcpu reads
// the objects of a file but not its text. Package form, which fills forms on the objects of
// pdfcpu, runs in such a process too, without PDFium unless the file is damaged.
//
// The process runs this same program, so every program that reads PDFs must call
// sandbox.Main and then Main before anything else.
package pdf

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/rectohq/recto/libs/config"
	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/libs/formats/pdf/form"
)

// Version identifies the output of Read. It changes when the same file would be read
// differently, so that stored results of earlier versions are not used.
const Version = "5"

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
	Memory uint64 `env:"PDF_MEMORY" envDefault:"1073741824" desc:"memory for reading one PDF in bytes; the size limit of a PDF is an eighth of this"`
	// Timeout bounds the reading of one file. It does not include waiting for a free
	// process. A file that another process tries again has this time again.
	Timeout time.Duration `env:"PDF_TIMEOUT" envDefault:"60s" desc:"time limit for reading one PDF"`
	// FontDirs are the folders of the fonts in which values are written. Folders that do
	// not exist are left out.
	FontDirs []string `env:"PDF_FONTS" envDefault:"/usr/share/fonts,/usr/local/share/fonts" desc:"folders of the fonts for filling PDFs, separated by commas"`
	// Processes is how many files are read concurrently. Half as many idle processes, at
	// least one, are kept ready in addition, and as many for filling once a form has been
	// filled. A process that has read a file waits for more of the same owner for some
	// seconds; busy processes and these together are never more than Processes.
	Processes int `env:"PDF_PROCESSES" envDefault:"2" desc:"number of PDFs read concurrently, each in a separate process"`
	// CacheDir keeps PDFium as machine code. Programs execute its content, so it must be
	// writable only by this user. If it cannot be used, a temporary folder takes its
	// place.
	CacheDir string `env:"PDF_CACHE" desc:"folder for the compiled PDFium, which takes seconds to compile; must be writable only by this user. If not set, a temporary folder at each start"`
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

// Try reads a page with the configuration, and returns how long that takes, with the start of
// a process. Only a process that reads shows whether it has enough memory, and permission to
// run in the sandbox.
//
// The error is that of NewReader, Read or Close.
func (c Config) Try(ctx context.Context) (took time.Duration, err error) {
	r, err := NewReader(c, slog.New(slog.DiscardHandler))
	if err != nil {
		return 0, err
	}
	begin := time.Now()
	_, err = r.Read(ctx, strings.NewReader(onePage), int64(len(onePage)))
	took = time.Since(begin)
	return took, errors.Join(err, r.Close())
}

// onePage is a PDF of one page with one word.
const onePage = `%PDF-1.4
1 0 obj <</Type /Catalog /Pages 2 0 R>> endobj
2 0 obj <</Type /Pages /Kids [3 0 R] /Count 1>> endobj
3 0 obj <</Type /Page /Parent 2 0 R /MediaBox [0 0 100 100] /Contents 4 0 R /Resources <</Font <</F 5 0 R>>>>>> endobj
4 0 obj <</Length 33>> stream
BT /F 12 Tf 9 50 Td (Recto) Tj ET
endstream endobj
5 0 obj <</Type /Font /Subtype /Type1 /BaseFont /Helvetica>> endobj
trailer <</Root 1 0 R>>
`

// File is the content of a PDF.
//
// The text is in PDFium's reading order, but the words of a line that run to the right are in
// visual order. Words on a line are separated by one space; lines and pages end with a line break. A hyphen at the end of a line is kept, and so is
// the line break after it. Text outside of the displayed page is left out. Invisible text
// within it, such as the text layer of a scan, is included. Form fields appear as text in
// place, as they would be printed.
type File struct {
	layout.Document
	// Fields are the widgets of form fields, in page order, including those that the file
	// has without an AcroForm dictionary. A field with several widgets appears several
	// times, under the same name.
	Fields []Field
	// Title, Created and HBREF come from the file's metadata. They are "" and the zero time
	// if they are missing. HBREF is a reference that some programs leave there.
	Title   string
	Created time.Time
	HBREF   string
	// Rules are the lines and rectangles drawn on the pages, in page order: thin lines that
	// are long enough to write on, and rectangles with a visible border. Pages with a great
	// many drawings have none.
	Rules []Rule
	// Signed reports whether the file has a signature.
	Signed bool
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
	// Name is the fully qualified name, such as "party.name", or "" if there is none.
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
	// Annotation is the index of the widget among the annotations of the page.
	Annotation int          `json:"annotation"`
	Details    form.Details `json:"details,omitzero"`
}

// Rule is a straight line or a rectangle that is drawn on a page, such as a line to write
// on or a box to tick.
type Rule struct {
	// Page counts from 1.
	Page int
	// Box is as high, or as wide, as the stroke for a line.
	Box layout.Box
	// Filled reports whether the inside of a rectangle is painted in a color other than
	// white. It is false for a line.
	Filled bool
}

// PageSize is the size of a page as displayed, rotated and cropped, in points.
type PageSize struct {
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
	// Rotation is the clockwise rotation in degrees that the file asks for: 0, 90, 180 or
	// 270. It is already applied to Width and Height.
	Rotation int `json:"rotation"`
}

// Filling describes how Fill writes.
type Filling struct {
	form.Order
	// Pictures are the pictures of the order.
	Pictures []fields.Picture
}

// Filled is the outcome of Fill.
type Filled struct {
	// Size is the number of bytes written.
	Size int64
	// Calculations reports whether scripts of the form would calculate other fields from
	// the new values. No script was run.
	Calculations bool
	// Illegible holds the Field of each value whose text is too long for one of its places,
	// so that it was written in a size that is hard to read, below 4 points.
	Illegible []string
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
