package documentapi

import (
	"fmt"
	"mime"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/jsonbody"
	"github.com/rectohq/recto/libs/problem"
)

// Limits on the fields of a document, in characters and items.
const (
	MaxNameLength   = 255
	MaxFiles        = 20
	MaxUserIDLength = 128
	maxTypeLength   = 255
)

// CreateRequest creates a document with the metadata of its files.
type CreateRequest struct {
	Name  string    `json:"name"`
	Files []NewFile `json:"files"`
	State State     `json:"state"`
	// ParseCreate sets only the ids of CreatedBy and UpdatedBy, to "" if they were
	// not sent. The gateway completes them.
	CreatedBy contract.User `json:"created_by"`
	UpdatedBy contract.User `json:"updated_by"`
	// ID is the id of the document if a repeated request must not create another
	// document; "" means a new id. Clients cannot set it.
	ID string `json:"id,omitzero"`
	// Staged is the content of the files, or nil if they are uploaded later. Clients
	// cannot set it.
	Staged *Staged `json:"staged,omitzero"`
}

// NewFile is the metadata of a new file.
type NewFile struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

// ParseCreate parses the body of Create Document. The error is a
// *problem.Error that lists every problem of the body.
func ParseCreate(body []byte) (CreateRequest, error) { return parseCreate(body, readFiles) }

// parseCreate parses a document. It reads the files by calling files.
func parseCreate(body []byte, files func(*jsonbody.Object) []NewFile) (CreateRequest, error) {
	r := CreateRequest{State: Draft}
	err := jsonbody.Read(body, func(o *jsonbody.Object) {
		r.Name = readTrimmed(o, "name", checkName)
		r.Files = files(o)
		r.CreatedBy.ID = readUserID(o, "created_by")
		r.UpdatedBy.ID = readUserID(o, "updated_by")
		if v, text, ok := o.OptionalString("state"); ok {
			v.Check(checkState(State(text)))
			r.State = State(text)
		}
	})
	return r, err
}

// Validate checks the rules of the fields again in the service, because the bus
// may not remain the only way into it.
func (r CreateRequest) Validate() error {
	var problems problem.List
	problems.Check("name", r.Name, checkName(r.Name))
	checkFiles(r.Files, &problems)
	problems.Check("created_by", r.CreatedBy.ID, checkUserID(r.CreatedBy.ID))
	problems.Check("updated_by", r.UpdatedBy.ID, checkUserID(r.UpdatedBy.ID))
	problems.Check("state", string(r.State), checkState(r.State))
	if err := problems.Err(); err != nil || r.Staged == nil {
		return err
	}
	return r.Staged.validate(len(r.Files))
}

// checkFiles checks the metadata of files again.
func checkFiles(files []NewFile, problems *problem.List) {
	problems.Check("files", fmt.Sprint(len(files)), checkFileCount(len(files)))
	for i, f := range files {
		problems.Check(fmt.Sprintf("files.%d.name", i), f.Name, checkFileName(f.Name))
		problems.Check(fmt.Sprintf("files.%d.type", i), f.Type, checkType(f.Type))
	}
}

// readFiles reads the names and types of the files. It refuses members that only
// responses have instead of ignoring them, because a client that sends an
// upload_url expects it to have an effect.
func readFiles(o *jsonbody.Object) []NewFile {
	v, ok := o.Required("files")
	if !ok {
		return nil
	}
	return readFileList(v)
}

// readFileList reads the list of files.
func readFileList(v jsonbody.Value) []NewFile {
	var files []NewFile
	count, ok := v.Items(MaxFiles, func(item jsonbody.Value) {
		var f NewFile
		item.Object(func(o *jsonbody.Object) {
			o.Forbidden("id")
			f.Name = readTrimmed(o, "name", checkFileName)
			f.Type = readTrimmed(o, "type", checkType)
			o.Forbidden("download_url", "upload_url")
		})
		files = append(files, f)
	})
	if ok {
		v.Check(checkFileCount(count))
	}
	return files
}

// readTrimmed reads a required string and trims white space.
func readTrimmed(o *jsonbody.Object, name string, check func(string) *problem.Fault) string {
	v, text, ok := o.RequiredString(name)
	if !ok {
		return ""
	}
	text = strings.TrimSpace(text)
	v.Check(check(text))
	return text
}

// readUserID reads the id of a user, or returns "" if it is absent. It does not check
// that the user exists.
func readUserID(o *jsonbody.Object, name string) string {
	v, id, ok := o.OptionalString(name)
	if ok {
		v.Check(checkUserID(id))
	}
	return id
}

func checkName(name string) *problem.Fault {
	return checkLine(name, MaxNameLength)
}

func checkUserID(id string) *problem.Fault {
	return checkLine(id, MaxUserIDLength)
}

// checkLine checks that s is a line of 1 to limit characters without control characters.
func checkLine(s string, limit int) *problem.Fault {
	if f := checkLength(s, limit); f != nil {
		return f
	}
	i := strings.IndexFunc(s, IsControl)
	if i < 0 {
		return nil
	}
	r, _ := utf8.DecodeRuneInString(s[i:])
	return &problem.Fault{
		Code: problem.CodeInvalidCharacters, Message: fmt.Sprintf("contains the character %U, which is not allowed", r),
		Resolution: "Send one line of text without control characters.",
	}
}

// checkLength checks that s has 1 to limit characters. Characters are Unicode code
// points.
func checkLength(s string, limit int) *problem.Fault {
	switch n := utf8.RuneCountInString(s); {
	case n == 0:
		return &problem.Fault{
			Code: problem.CodeTooShort, Message: "must not be empty",
			Resolution: fmt.Sprintf("Send 1 to %d characters.", limit),
		}
	case n > limit:
		return &problem.Fault{
			Code: problem.CodeTooLong, Message: fmt.Sprintf("has %d characters; the limit is %d", n, limit),
			Resolution: fmt.Sprintf("Send 1 to %d characters.", limit),
		}
	}
	return nil
}

// checkFileCount checks that there are 1 to MaxFiles files.
func checkFileCount(n int) *problem.Fault {
	switch {
	case n == 0:
		return &problem.Fault{
			Code: problem.CodeTooShort, Message: "must not be empty",
			Resolution: fmt.Sprintf("Send the name and type of 1 to %d files.", MaxFiles),
		}
	case n > MaxFiles:
		return &problem.Fault{
			Code: problem.CodeTooLong, Message: fmt.Sprintf("has %d files; the limit is %d", n, MaxFiles),
			Resolution: fmt.Sprintf("Send the name and type of 1 to %d files.", MaxFiles),
		}
	}
	return nil
}

// checkFileName checks that name is a base name with an extension, which a browser can
// use to save a download.
func checkFileName(name string) *problem.Fault {
	if f := checkLength(name, MaxNameLength); f != nil {
		return f
	}
	f := &problem.Fault{Code: problem.CodeInvalidFileName, Resolution: `Send only the name of the file, with its extension, for example "contract.docx".`}
	extension := path.Ext(name)
	switch {
	case strings.ContainsAny(name, `/\`):
		f.Message = "must not contain a path separator"
	case strings.ContainsFunc(name, IsControl):
		f.Message = "must not contain control characters"
	case len(extension) < 2 || extension == name:
		f.Message = "must have an extension"
	default:
		return nil
	}
	return f
}

// IsControl reports whether r is not allowed in names and ids: a control character,
// a line separator, or a bidirectional control that reorders the text after it, so that
// a name could disguise its ending. The marks LRM and RLM, which right-to-left text
// needs, are allowed.
func IsControl(r rune) bool {
	return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' ||
		r >= '\u202A' && r <= '\u202E' || r >= '\u2066' && r <= '\u2069'
}

// checkType checks that mimeType is a media type (RFC 9110 section 8.3.1), with or
// without parameters, but without wildcards.
func checkType(mimeType string) *problem.Fault {
	if len(mimeType) <= maxTypeLength {
		base, _, err := mime.ParseMediaType(mimeType)
		kind, subtype, _ := strings.Cut(base, "/")
		if err == nil && kind != "" && subtype != "" && !strings.Contains(base, "*") {
			return nil
		}
	}
	return &problem.Fault{
		Code: problem.CodeInvalidMIMEType, Message: "must be a MIME type",
		Resolution: `Send the type of the file, for example "application/pdf".`,
	}
}

// checkState checks that s is a known state.
func checkState(s State) *problem.Fault {
	if s == Draft || s == Agreement {
		return nil
	}
	return &problem.Fault{
		Code: problem.CodeInvalidEnum, Message: `must be "draft" or "agreement"`,
		Resolution: `Send "draft" or "agreement".`,
	}
}
