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

// Bounds of the fields of a document, in characters and items.
const (
	MaxNameLength   = 255
	MaxFiles        = 20
	MaxUserIDLength = 128
	maxTypeLength   = 255
)

// CreateRequest makes a document and the metadata of its files.
type CreateRequest struct {
	Name  string    `json:"name"`
	Files []NewFile `json:"files"`
	State State     `json:"state"`
	// CreatedBy and UpdatedBy hold only an id as ParseCreate returns them, ""
	// where none was sent. The gateway completes them.
	CreatedBy contract.User `json:"created_by"`
	UpdatedBy contract.User `json:"updated_by"`
	// ID is the id of the document if a repeated request must not make another
	// one; "" for a new id. No client sets it.
	ID string `json:"id,omitzero"`
	// Staged is the content of the files, nil if they are yet to be uploaded. No
	// client sets it.
	Staged *Staged `json:"staged,omitzero"`
}

// NewFile is the metadata of a file that is yet to be uploaded.
type NewFile struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

// ParseCreate reads the body of Create Document. The error is a
// *problem.Error with all that is wrong with it.
func ParseCreate(body []byte) (CreateRequest, error) { return parseCreate(body, readFiles) }

// parseCreate reads a document whose files are read by files.
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

// Validate checks the rules of the fields once more, where the request
// arrives: the bus is not the only way into a service for ever.
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

// checkFiles checks the metadata of files once more.
func checkFiles(files []NewFile, problems *problem.List) {
	problems.Check("files", fmt.Sprint(len(files)), checkFileCount(len(files)))
	for i, f := range files {
		problems.Check(fmt.Sprintf("files.%d.name", i), f.Name, checkFileName(f.Name))
		problems.Check(fmt.Sprintf("files.%d.type", i), f.Type, checkType(f.Type))
	}
}

// readFiles reads the names and types of the files. Members that only answers
// have are refused, and not ignored: who sends an upload_url believes that it
// means something.
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

// readTrimmed returns a required string without the white space around it.
func readTrimmed(o *jsonbody.Object, name string, check func(string) *problem.Fault) string {
	v, text, ok := o.RequiredString(name)
	if !ok {
		return ""
	}
	text = strings.TrimSpace(text)
	v.Check(check(text))
	return text
}

// readUserID reads the id of a user, "" if it is absent. Whether there is such a
// user is not known here.
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

// checkLine allows 1 to limit characters that one line of text can show.
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

// checkLength allows 1 to limit characters, which are code points as people
// count them and not bytes.
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

// checkFileCount allows 1 to MaxFiles files.
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

// checkFileName accepts a base name with an extension: what a browser may save
// a download as.
func checkFileName(name string) *problem.Fault {
	if f := checkLength(name, MaxNameLength); f != nil {
		return f
	}
	f := &problem.Fault{Code: problem.CodeInvalidFileName, Resolution: `Send the name of the file alone, with its extension, for example "contract.docx".`}
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
// a line separator, or a bidirectional control that changes the order in which the
// text after it is shown, so that a name can lie about its end. The marks LRM and
// RLM, which right-to-left text needs, are allowed.
func IsControl(r rune) bool {
	return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' ||
		r >= '\u202A' && r <= '\u202E' || r >= '\u2066' && r <= '\u2069'
}

// checkType allows media types of RFC 9110 section 8.3.1, with or without
// parameters, but no wildcards.
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

// checkState allows the states that a document can be created in.
func checkState(s State) *problem.Fault {
	if s == Draft || s == Agreement {
		return nil
	}
	return &problem.Fault{
		Code: problem.CodeInvalidEnum, Message: `must be "draft" or "agreement"`,
		Resolution: `Send "draft" or "agreement".`,
	}
}
