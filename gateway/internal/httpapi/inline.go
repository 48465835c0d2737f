package httpapi

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"mime/multipart"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/problem"
)

// inlineBuffer is how much of a file is encoded at a time, in bytes: a multiple of
// three, so that only the end of the file is padded.
const inlineBuffer = 48 << 10

// inlineForm reads a form with one file as the JSON of an inline conversion, which is
// {"file_base64": …, "filename": …} and what else the part document has. It keeps
// nothing of the file.
type inlineForm struct {
	form   *form
	file   *multipart.Part // the file that is being read, nil before and after it
	name   string
	empty  bool // nothing of the file was read yet
	buffer []byte
	out    bytes.Buffer // JSON that was not read yet
	ended  bool
}

// inlineForm opens the body of an inline conversion that is a form. Base64 makes a
// file a third larger: the limit of the JSON holds for it.
func (r *request) inlineForm() (contract.Stream, error) {
	form, err := r.openForm(r.server.cfg.MaxBody/4*3, inlineBuffer*3)
	if err != nil {
		return contract.Stream{}, err
	}
	return contract.Stream{Body: &inlineForm{form: form, buffer: make([]byte, inlineBuffer)}, Size: -1}, nil
}

// Read implements io.Reader.
func (f *inlineForm) Read(p []byte) (int, error) {
	for f.out.Len() == 0 {
		if f.ended {
			return 0, io.EOF
		}
		if err := f.advance(); err != nil {
			return 0, err
		}
	}
	return f.out.Read(p)
}

// advance writes more JSON.
func (f *inlineForm) advance() error {
	if f.file != nil {
		return f.encode()
	}
	file, err := f.form.nextFile()
	switch {
	case errors.Is(err, io.EOF):
		return f.end()
	case err != nil:
		return err
	case f.form.files > 1:
		return problem.New(problem.InvalidRequest, "The body has several parts files. Send one file for each conversion.")
	}
	f.file, f.name, f.empty = file, file.FileName(), true
	f.out.WriteString(`{"file_base64":"`)
	return nil
}

// encode writes more of the file.
func (f *inlineForm) encode() error {
	n, ended, err := fill(f.buffer, f.file)
	if err != nil {
		return err
	}
	if ended && n == 0 && f.empty {
		f.form.checkContent(0, 0, f.name)
	}
	f.empty = false
	f.out.Write(base64.StdEncoding.AppendEncode(f.out.AvailableBuffer(), f.buffer[:n]))
	if ended {
		f.file = nil
		f.out.WriteByte('"')
	}
	return nil
}

// end writes the members that are not the file.
func (f *inlineForm) end() error {
	f.ended = true
	if f.form.files == 0 {
		f.form.problems.Add(problem.Required(partFiles))
	}
	if err := f.form.problems.Err(); err != nil {
		return err
	}
	members, err := f.options()
	if err != nil {
		return err
	}
	if len(members) > 0 {
		f.out.WriteByte(',')
	}
	rest, err := json.Marshal(members, json.Deterministic(true))
	if err != nil {
		return fmt.Errorf("write the members of a conversion: %w", err)
	}
	f.out.Write(rest[1:]) // without its opening brace
	return nil
}

// options returns the members beside the file: those of the part document, and the
// name of the file where that does not have one.
func (f *inlineForm) options() (map[string]jsontext.Value, error) {
	members := map[string]jsontext.Value{}
	if f.form.document != nil {
		if err := json.Unmarshal(f.form.document, &members); err != nil || members == nil {
			return nil, problem.New(problem.InvalidRequest, "The part document is not a JSON object. Send one, or omit the part.").Because(err)
		}
	}
	if sent, ok := members["file_base64"]; ok {
		var problems problem.List
		problems.Add(problem.Broken("file_base64", sent, problem.Fault{
			Code: problem.CodeUnrecognizedKey, Message: "is not a member of the part document", Resolution: "Send the file in the part files alone.",
		}))
		return nil, problems.Err()
	}
	if _, named := members["filename"]; !named && f.name != "" {
		name, err := json.Marshal(f.name)
		if err != nil {
			return nil, problem.New(problem.InvalidRequest, "The name of the file is not UTF-8. Send it in UTF-8.").Because(err)
		}
		members["filename"] = name
	}
	return members, nil
}
