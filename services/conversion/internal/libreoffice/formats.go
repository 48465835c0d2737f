package libreoffice

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/rectohq/recto/libs/contract/conversionapi"
	"github.com/rectohq/recto/libs/formats/filetype"
)

// module is an application of LibreOffice, which Debian packages separately.
type module struct {
	// name is that of its part of the registry, share/registry/<name>.xcd.
	name string
	// product is what people call it, and types what it reads.
	product, types string
	// export is the filter that writes its documents as PDF.
	export string
}

var (
	writer  = module{"writer", "LibreOffice Writer", "documents of Word and OpenDocument, RTF, HTML and text", "writer_pdf_Export"}
	calc    = module{"calc", "LibreOffice Calc", "spreadsheets", "calc_pdf_Export"}
	impress = module{"impress", "LibreOffice Impress", "presentations", "impress_pdf_Export"}
	draw    = module{"draw", "LibreOffice Draw", "drawings and SVG", "draw_pdf_Export"}
	// maths converts no documents by itself. Without it, the formulas in those of the others
	// are left out.
	maths = module{name: "math", product: "LibreOffice Math", types: "formulas in documents"}
)

// applications lists all modules.
var applications = []module{writer, calc, impress, draw, maths}

// modules maps the types of documents to what reads them.
var modules = map[filetype.Type]module{
	filetype.DOCX: writer, filetype.DOCM: writer, filetype.DOTX: writer, filetype.DOTM: writer, filetype.DOC: writer,
	filetype.ODT: writer, filetype.RTF: writer, filetype.Text: writer, filetype.HTML: writer,
	filetype.XLSX: calc, filetype.XLS: calc, filetype.ODS: calc, filetype.CSV: calc,
	filetype.PPTX: impress, filetype.PPT: impress, filetype.ODP: impress,
	filetype.ODG: draw, filetype.SVG: draw,
}

// Module is an application of LibreOffice.
type Module struct {
	// Product is its name, for example "LibreOffice Calc", and Types what it reads, for
	// example "spreadsheets".
	Product, Types string
	// Package is the Debian package that contains it.
	Package string
	// Installed reports whether it is installed.
	Installed bool
}

// Modules returns the applications that convert documents and what is in them.
func (e *Engine) Modules() (all []Module) {
	for _, m := range applications {
		all = append(all, Module{Product: m.product, Types: m.types, Package: "libreoffice-" + m.name + "-nogui", Installed: e.has(m)})
	}
	return all
}

// has reports whether the module is installed.
func (e *Engine) has(m module) bool { return installed(e.program, m) }

func installed(program string, m module) bool {
	_, err := os.Stat(filepath.Join(program, "..", "share", "registry", m.name+".xcd"))
	return err == nil
}

// Missing implements domain.Engine.
func (e *Engine) Missing(t filetype.Type) string {
	m, ok := modules[t]
	switch {
	case !ok:
		return "a converter of this type"
	case !e.has(m):
		return m.product
	}
	return ""
}

// filter returns the argument that names the filter for the file of type t at path. It is
// empty where LibreOffice recognizes the file by itself.
func filter(path string, t filetype.Type) (string, error) {
	switch t {
	case filetype.Text:
		return "--infilter=Text (encoded):UTF8,LF,,,", nil
	case filetype.CSV:
		options, err := csvOptions(path)
		return "--infilter=Text - txt - csv (StarCalc):" + options, err
	default:
		return "", nil
	}
}

const (
	// maxSniffed is how much of a CSV file is searched for its separator, in bytes.
	maxSniffed = 64 << 10
	// maxColumns is the number of columns of a sheet.
	maxColumns = 16384
)

// csvOptions returns the options with which LibreOffice reads the CSV file at path: the
// separator, the quotation mark, UTF-8, the first line, and that each column is text. A
// reader wants to see the values as they are in the file: as numbers, 007 would lose its
// zeros, and a date would be written in another form.
func csvOptions(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	head := make([]byte, maxSniffed)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return "", err
	}
	separator, columns := sniffCSV(head[:n])
	var formats strings.Builder
	for c := range min(columns, maxColumns) {
		if c > 0 {
			formats.WriteByte('/')
		}
		formats.WriteString(strconv.Itoa(c+1) + "/2")
	}
	return strconv.Itoa(int(separator)) + ",34,76,1," + formats.String(), nil
}

// sniffCSV returns the separator of a CSV file that begins with head, and the number of its
// columns. The separator is the character that splits every line into the most columns.
func sniffCSV(head []byte) (separator byte, columns int) {
	separator, fewest := ',', 0
	for _, candidate := range []byte(",;\t|") {
		least, most := countCSV(head, candidate)
		if least > fewest || fewest == 0 && columns < most {
			separator, fewest, columns = candidate, least, most
		}
	}
	return separator, columns
}

// countCSV returns the least and the most columns of the lines in head if c separates them.
func countCSV(head []byte, c byte) (least, most int) {
	lines := bufio.NewScanner(bytes.NewReader(head))
	lines.Buffer(nil, maxSniffed+1)
	columns, quoted := 1, false
	for lines.Scan() {
		for _, b := range lines.Bytes() {
			switch {
			case b == '"':
				quoted = !quoted
			case b == c && !quoted:
				columns++
			}
		}
		if quoted || len(lines.Bytes()) == 0 { // the value goes on in the next line
			continue
		}
		if least == 0 || columns < least {
			least = columns
		}
		most, columns = max(most, columns), 1
	}
	return least, max(most, columns)
}

// ExportOptions returns the options of the export to a PDF of the profile, in the JSON that
// LibreOffice and LibreOfficeKit read. Options in the form Key=value have no effect. Without
// the quality, LibreOfficeKit compresses pictures more than LibreOffice. Comments are left out,
// because they are remarks among those who write the document: LibreOffice would attach them to
// the pages, where printing does not show them, and the other party would get them unnoticed.
func ExportOptions(profile conversionapi.Profile) string {
	options := `{"Quality":{"type":"long","value":"90"},"ExportNotes":{"type":"boolean","value":"false"}`
	switch profile {
	case conversionapi.PDFA2b:
		options += `,"SelectPdfVersion":{"type":"long","value":"2"}`
	case conversionapi.PDFA3b:
		options += `,"SelectPdfVersion":{"type":"long","value":"3"}`
	case conversionapi.PDFUA:
		options += `,"PDFUACompliance":{"type":"boolean","value":"true"}`
	}
	return options + "}"
}
