package filetype

import (
	"archive/zip"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/rectohq/recto/libs/formats/docx"
)

// Bounds of a ZIP container. Real documents are far below them; what is above
// was made to exhaust whoever unpacks it.
const (
	maxEntries      = 10_000
	maxUnpacked     = 1 << 30
	maxContentTypes = 4 << 20
	// maxRatio is how much larger than packed the unpacked content may be,
	// beyond the first freeRatio bytes. Deflate reaches about 1000; long runs
	// of alike table cells reach 100.
	maxRatio  = 200
	freeRatio = 64 << 20
)

// mainTypes maps the content type of a package's main part to its type.
var mainTypes = map[string]Type{
	"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml":   DOCX,
	"application/vnd.openxmlformats-officedocument.wordprocessingml.template.main+xml":   DOTX,
	"application/vnd.ms-word.document.macroenabled.main+xml":                             DOCM,
	"application/vnd.ms-word.template.macroenabledtemplate.main+xml":                     DOTM,
	"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml":         XLSX,
	"application/vnd.ms-excel.sheet.macroenabled.main+xml":                               XLSX,
	"application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml": PPTX,
	"application/vnd.ms-powerpoint.presentation.macroenabled.main+xml":                   PPTX,
}

// detectZIP tells what a ZIP container holds, by the member that says so:
// [Content_Types].xml in Office Open XML, mimetype in OpenDocument. Names are
// compared in any case, and with leading slashes, as Word does. What is in a
// word-processing package is left to libs/formats/docx, which looks closer.
func detectZIP(r io.ReaderAt, size int64) (Type, error) {
	// archive/zip holds the whole directory before anybody can count its entries.
	var refused *docx.Error
	if err := docx.CheckDirectory(r, size, docx.DefaultLimits()); errors.As(err, &refused) {
		return ZIP, &Error{Type: ZIP, Reason: refused.Reason, Err: err}
	} else if err != nil {
		return ZIP, err
	}
	z, err := zip.NewReader(r, size)
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return ZIP, &Error{Type: ZIP, Reason: "is a damaged ZIP container", Err: err}
	}
	t, err := detectMember(z)
	if err == nil && !t.IsWord() {
		err = checkZIP(z, size)
	}
	return t, err
}

// detectMember tells the type by the first member that says one.
func detectMember(z *zip.Reader) (Type, error) {
	for _, f := range z.File {
		switch strings.ToLower(strings.TrimLeft(f.Name, "/")) {
		case "[content_types].xml":
			return detectOOXML(f)
		case "mimetype":
			return detectODF(f)
		}
	}
	return ZIP, nil
}

// IsWord reports whether the type is one of the four that libs/formats/docx opens.
func (t Type) IsWord() bool { return t == DOCX || t == DOTX || t == DOCM || t == DOTM }

// checkZIP unpacks what z holds, keeping nothing: what its directory says about
// sizes is no more to be believed than a name.
func checkZIP(z *zip.Reader, size int64) error {
	if len(z.File) > maxEntries {
		return &Error{Type: ZIP, Reason: fmt.Sprintf("is a ZIP container with %d entries; the limit is %d", len(z.File), maxEntries), Err: errTooLarge}
	}
	limit := min(int64(maxUnpacked), freeRatio+maxRatio*size)
	left := limit
	for _, f := range z.File {
		body, err := f.Open()
		if err != nil {
			continue // an unknown method; who needs the entry will say so
		}
		n, _ := io.Copy(io.Discard, io.LimitReader(body, left+1)) // a wrong checksum is no bomb
		_ = body.Close()
		if left -= n; left < 0 {
			return &Error{Type: ZIP, Reason: fmt.Sprintf("unpacks to more than %d MiB", limit>>20), Err: errTooLarge}
		}
	}
	return nil
}

var errTooLarge = errors.New("beyond the bounds of a container")

// detectOOXML reads the content types of an OPC package: the main part's says
// what it is, whatever the part is called.
func detectOOXML(f *zip.File) (Type, error) {
	body, err := f.Open()
	if err != nil {
		return ZIP, &Error{Type: ZIP, Reason: "is a damaged Office file", Err: err}
	}
	defer body.Close()
	d := xml.NewDecoder(io.LimitReader(body, maxContentTypes))
	d.CharsetReader = func(_ string, input io.Reader) (io.Reader, error) { return input, nil }
	for {
		token, err := d.RawToken()
		if errors.Is(err, io.EOF) {
			return ZIP, nil
		}
		if err != nil {
			return ZIP, &Error{Type: ZIP, Reason: "is a damaged Office file: its list of content types cannot be read", Err: err}
		}
		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		for _, a := range start.Attr {
			if t, ok := mainTypes[strings.ToLower(strings.TrimSpace(a.Value))]; ok && a.Name.Local == "ContentType" {
				return t, nil
			}
		}
	}
}

// detectODF tells text documents from the other kinds of OpenDocument.
func detectODF(f *zip.File) (Type, error) {
	body, err := f.Open()
	if err != nil {
		return ZIP, &Error{Type: ZIP, Reason: "is a damaged OpenDocument file", Err: err}
	}
	defer body.Close()
	mimeType, err := io.ReadAll(io.LimitReader(body, 256))
	if err != nil {
		return ZIP, &Error{Type: ZIP, Reason: "is a damaged OpenDocument file", Err: err}
	}
	switch kind := strings.TrimSpace(string(mimeType)); {
	case kind == "application/vnd.oasis.opendocument.text", kind == "application/vnd.oasis.opendocument.text-template":
		return ODT, nil
	case strings.HasPrefix(kind, "application/vnd.oasis.opendocument."):
		return ODF, nil
	}
	return ZIP, nil
}
