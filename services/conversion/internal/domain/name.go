package domain

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/formats/filetype"
	"github.com/rectohq/recto/services/conversion/internal/webpage"
)

// nameForEngine renames the file so that its extension matches its type. It also
// converts text to the encoding that the engine expects, and HTML to what it shows well.
func nameForEngine(dir string, in *os.File, l label, t filetype.Type) (string, error) {
	named := filepath.Join(dir, engineName(l.name, t))
	if t == filetype.HTML {
		if err := webpage.HidePictures(in); err != nil {
			return "", err
		}
	}
	if t != filetype.Text && t != filetype.CSV {
		return named, os.Rename(in.Name(), named)
	}
	text, err := filetype.TextReader(in, l.charset)
	if err != nil {
		return "", err
	}
	out, err := os.Create(named)
	if err != nil {
		return "", err
	}
	_, err = io.Copy(out, text)
	return named, errors.Join(err, out.Close())
}

// showsName reports whether documents of type t can show the name of their file: in a field, a
// cell or, for CSV, as the name of the sheet.
func showsName(t filetype.Type) bool {
	switch t {
	case filetype.Text, filetype.HTML, filetype.SVG:
		return false
	}
	return true
}

// maxStem bounds the name of a file without its extension, in bytes. LibreOffice creates files
// beside it whose names are longer, and file systems allow 255 bytes.
const maxStem = 180

// engineName returns the name under which a file of type t that the client called name is
// converted: the same, if that is possible, with the extension of its type.
func engineName(name string, t filetype.Type) string {
	extension := "." + strings.ToLower(string(t))
	if t == filetype.Text {
		extension = ".txt"
	}
	if !showsName(t) {
		return "input" + extension
	}
	stem := strings.TrimSuffix(name, path.Ext(name))
	if strings.EqualFold(path.Ext(name), extension) {
		extension = path.Ext(name)
	}
	stem = strings.Map(func(r rune) rune {
		if r == '/' || r == '\\' || documentapi.IsControl(r) {
			return '_'
		}
		return r
	}, strings.ToValidUTF8(stem, "_"))
	if len(stem) > maxStem {
		stem = strings.ToValidUTF8(stem[:maxStem], "")
	}
	if stem = strings.TrimLeft(stem, ". "); stem == "" {
		stem = "document"
	}
	return stem + extension
}

// suffix is the part of a key for what the client says about a file of type t, if its PDF can
// depend on it.
func (l label) suffix(t filetype.Type) string {
	said := ""
	if showsName(t) {
		said = engineName(l.name, t)
	}
	if t == filetype.Text || t == filetype.CSV {
		said += l.charset
	}
	if said == "" || t.IsPicture() {
		return ""
	}
	digest := sha256.Sum256([]byte(said))
	return "-" + hex.EncodeToString(digest[:8])
}
