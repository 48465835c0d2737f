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

// Bounds of a ZIP container. Real documents stay far below them; a container that exceeds
// them was built to exhaust the program that unpacks it.
const (
	maxEntries      = 10_000
	maxUnpacked     = 1 << 30
	maxContentTypes = 4 << 20
	// maxRatio is the maximum ratio of uncompressed to compressed size beyond the first
	// freeRatio bytes. Deflate reaches about 1000; long runs of identical table cells
	// reach 100.
	maxRatio  = 200
	freeRatio = 64 << 20
)

// mainTypes maps the content type of a package's main part to the file's type.
var mainTypes = map[string]Type{
	"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml":   DOCX,
	"application/vnd.openxmlformats-officedocument.wordprocessingml.template.main+xml":   DOTX,
	"application/vnd.ms-word.document.macroenabled.main+xml":                             DOCM,
	"application/vnd.ms-word.template.macroenabledtemplate.main+xml":                     DOTM,
	"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml":         XLSX,
	"application/vnd.ms-excel.sheet.macroenabled.main+xml":                               XLSX,
	"application/vnd.openxmlformats-officedocument.spreadsheetml.template.main+xml":      XLSX,
	"application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml": PPTX,
	"application/vnd.openxmlformats-officedocument.presentationml.template.main+xml":     PPTX,
	"application/vnd.openxmlformats-officedocument.presentationml.slideshow.main+xml":    PPTX,
	"application/vnd.ms-powerpoint.presentation.macroenabled.main+xml":                   PPTX,
}

// detectZIP detects the type of a ZIP container from the member that identifies it:
// [Content_Types].xml in Office Open XML, or mimetype in OpenDocument. Names are compared
// ignoring case and leading slashes, as Word does. libs/formats/docx checks the contents
// of word-processing packages more closely.
func detectZIP(r io.ReaderAt, size int64) (Type, error) {
	// archive/zip reads the whole directory before its entries can be counted, so check
	// it first.
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

// detectMember detects the type from the first member that identifies it.
func detectMember(z *zip.Reader) (Type, error) {
	for _, f := range z.File {
		switch strings.ToLower(strings.TrimLeft(f.Name, "/")) {
		case "[content_types].xml":
			return detectOOXML(f)
		case "mimetype":
			t, err := detectODF(f)
			if err == nil && t != ZIP && isEncrypted(z) {
				t = Encrypted
			}
			return t, err
		}
	}
	return ZIP, nil
}

// IsWord reports whether libs/formats/docx can open files of this type.
func (t Type) IsWord() bool { return t == DOCX || t == DOTX || t == DOCM || t == DOTM }

// checkZIP unpacks the contents of z without keeping them, because the sizes in the
// directory cannot be trusted.
func checkZIP(z *zip.Reader, size int64) error {
	if len(z.File) > maxEntries {
		return &Error{Type: ZIP, Reason: fmt.Sprintf("is a ZIP container with %d entries; the limit is %d", len(z.File), maxEntries), Err: errTooLarge}
	}
	limit := min(int64(maxUnpacked), freeRatio+maxRatio*size)
	left := limit
	for _, f := range z.File {
		body, err := f.Open()
		if err != nil {
			continue // an unknown method; reading the entry later reports it
		}
		n, _ := io.Copy(io.Discard, io.LimitReader(body, left+1)) // a wrong checksum is not a bomb
		_ = body.Close()
		if left -= n; left < 0 {
			return &Error{Type: ZIP, Reason: fmt.Sprintf("unpacks to more than %d MiB", limit>>20), Err: errTooLarge}
		}
	}
	return nil
}

var errTooLarge = errors.New("the container exceeds the limits")

// detectOOXML detects the type of an OPC package from the content type of its main part,
// whatever the part's name is.
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

// kindsODF maps the kind of an OpenDocument file to its type. Templates end in "-template".
var kindsODF = map[string]Type{"text": ODT, "spreadsheet": ODS, "presentation": ODP, "graphics": ODG}

// detectODF separates the kinds of OpenDocument.
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
	kind, ok := strings.CutPrefix(strings.TrimSpace(string(mimeType)), "application/vnd.oasis.opendocument.")
	if !ok {
		return ZIP, nil
	}
	if t, ok := kindsODF[strings.TrimSuffix(kind, "-template")]; ok {
		return t, nil
	}
	return ODF, nil
}

// maxManifest bounds how much of the manifest of an OpenDocument file is read, in bytes.
const maxManifest = 4 << 20

// isEncrypted reports whether the manifest of an OpenDocument file says that a member is
// encrypted. A password encrypts all but the manifest and the mimetype.
func isEncrypted(z *zip.Reader) bool {
	f, err := z.Open("META-INF/manifest.xml")
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	d := xml.NewDecoder(io.LimitReader(f, maxManifest))
	d.CharsetReader = func(_ string, input io.Reader) (io.Reader, error) { return input, nil }
	for {
		token, err := d.RawToken()
		if err != nil { // its end, or damage that the converter may tolerate
			return false
		}
		if start, ok := token.(xml.StartElement); ok && start.Name.Local == "encryption-data" {
			return true
		}
	}
}
