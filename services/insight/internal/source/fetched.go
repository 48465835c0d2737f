package source

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"path"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"github.com/rectohq/recto/libs/blob"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/filetype"
	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/libs/scratch"
	"github.com/rectohq/recto/services/insight/internal/domain"
	"github.com/rectohq/recto/services/insight/internal/htmltext"
)

// readFetched reads a file that was fetched from a URL. A file that is not a PDF is
// converted inline, since it belongs to no stored document.
func (r *Reading) readFetched(ctx context.Context) error {
	file := r.material.Files[0]
	f, size, err := r.fetch(ctx, file.Key, file.Name)
	if err != nil {
		return err
	}
	original := opened{f, size}
	kind, err := fetchedType(file, original)
	if err != nil {
		return fault(file.Name, err)
	}
	shown := original
	r.Shown = domain.Shown{Key: file.Key, Name: file.Name, Type: pdfType}
	if kind != filetype.PDF {
		if shown, err = r.convert(ctx, file, kind, original); err != nil {
			return err
		}
	}
	r.told.Reached(insightapi.StageFetched)
	return r.readFile(ctx, file, kind, original, shown)
}

// sniffed is how many bytes of a file browsers inspect to detect its type
// (https://mimesniff.spec.whatwg.org/, section 5.2).
const sniffed = 512

// fetchedType detects the type of a fetched file. It is HTML if its server says so and the
// file has no other distinct type, or if it begins like HTML and the server names no type.
func fetchedType(file documentapi.Content, f opened) (filetype.Type, error) {
	kind, err := filetype.Detect(f, f.size)
	if err != nil || kind != filetype.Text && kind != filetype.Unknown && kind != filetype.PDF {
		return kind, err
	}
	head := make([]byte, min(f.size, sniffed))
	if _, err := f.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return kind, scratch.Fault(err, err)
	}
	sent, _, _ := mime.ParseMediaType(file.Type) // "" if it is malformed
	called := sent == "text/html" || sent == "application/xhtml+xml"
	begins := strings.HasPrefix(http.DetectContentType(head), "text/html")
	if called && (begins || kind != filetype.PDF) || begins && sent == "application/octet-stream" {
		return filetype.HTML, nil
	}
	return kind, nil
}

// convert converts a file to PDF, and stores the PDF next to it.
func (r *Reading) convert(ctx context.Context, file documentapi.Content, kind filetype.Type, original opened) (opened, error) {
	r.Shown.Key, r.Shown.Name = file.Key+".pdf", pdfName(file.Name)
	in, name, err := convertible(file, kind, original)
	if err != nil {
		return opened{}, err
	}
	pdf, err := r.convertInline(ctx, in, name)
	if err != nil {
		return opened{}, named(file.Name, err)
	}
	if err := r.reader.Objects.Put(ctx, r.Shown.Key, bytes.NewReader(pdf), int64(len(pdf)), pdfType); err != nil {
		return opened{}, blob.Unavailable(err)
	}
	out, err := scratch.File(r.reader.Scratch)
	if err != nil {
		return opened{}, err
	}
	r.files = append(r.files, out)
	if _, err := out.Write(pdf); err != nil {
		return opened{}, scratch.Fault(err, err)
	}
	return opened{out, int64(len(pdf))}, nil
}

// convertible returns the content and file name to send to the conversion service. Web
// pages and texts become RTF. The name is derived from the type, since names on the web
// say little about it.
func convertible(file documentapi.Content, kind filetype.Type, original opened) (io.Reader, string, error) {
	switch {
	case kind == filetype.HTML || kind == filetype.Text:
		text, err := pageText(file, original)
		return rtf(text), "page.rtf", err
	case kind == filetype.Empty:
		return nil, "", refuse(file.Name, "is empty")
	case kind == filetype.Encrypted:
		return nil, "", refuse(file.Name, "is encrypted; remove its password first")
	case kind.IsWord() || kind == filetype.DOC || kind == filetype.ODT || kind == filetype.RTF:
		return original, "document." + strings.ToLower(string(kind)), nil
	}
	return nil, "", refuse(file.Name, fmt.Sprintf("is %s, which cannot be read; send the URL of a PDF, a Word document, a text or a web page", kind))
}

// pageText returns the text of a web page or a text file. Its limit is that of a sent
// text. As RTF, a character can take 18 bytes.
func pageText(file documentapi.Content, in io.Reader) (string, error) {
	text, err := htmltext.Text(in, file.Type)
	switch {
	case errors.Is(err, htmltext.ErrTooLarge):
		return "", refuse(file.Name, "is too large to be read as text").Because(err)
	case errors.Is(err, htmltext.ErrTooDeep):
		return "", refuse(file.Name, "has elements that are nested too deeply").Because(err)
	case errors.Is(err, htmltext.ErrTooLong):
		return "", refuse(file.Name, "has a tag or a text that is too long").Because(err)
	case err != nil:
		return "", scratch.Fault(err, err)
	case strings.TrimSpace(text) == "":
		return "", refuse(file.Name, "has no text")
	case utf8.RuneCountInString(text) > insightapi.MaxTextLength:
		return "", refuse(file.Name, fmt.Sprintf("has more than %d characters of text", insightapi.MaxTextLength))
	}
	return text, nil
}

// pdfName returns the file name for the PDF of a file. It replaces known extensions only:
// on the web, the text after the last dot of a name is often not an extension.
func pdfName(name string) string {
	if filetype.OfName(name) != filetype.Unknown {
		name = strings.TrimSuffix(name, path.Ext(name))
	}
	return name + ".pdf"
}

// convertInline converts the content of in to PDF. It does not use in after it returns.
func (r *Reading) convertInline(ctx context.Context, in io.Reader, name string) ([]byte, error) {
	body, write := io.Pipe()
	written := make(chan struct{})
	go func() {
		defer close(written)
		write.CloseWithError(writeInline(write, in, name))
	}()
	defer func() {
		_ = body.Close() // stops the writer
		<-written
	}()
	answer, err := r.reader.Inline(ctx, r.material.Principal, contract.Stream{Body: body, Size: -1})
	if err != nil {
		return nil, err
	}
	var converted struct {
		File []byte `json:"file_base64"`
		Name string `json:"filename"`
	}
	err = json.UnmarshalRead(answer.Body, &converted)
	if err = errors.Join(err, answer.Close()); err != nil {
		return nil, fmt.Errorf("read the converted file: %w", err)
	}
	return converted.File, nil
}

// writeInline writes the body of a request to convert a file inline.
func writeInline(w io.Writer, in io.Reader, name string) error {
	if _, err := fmt.Fprintf(w, `{"filename":%q,"file_base64":"`, name); err != nil {
		return err
	}
	encoder := base64.NewEncoder(base64.StdEncoding, w)
	if _, err := io.Copy(encoder, in); err != nil {
		return err
	}
	if err := encoder.Close(); err != nil {
		return err
	}
	_, err := io.WriteString(w, `"}`)
	return err
}

// named puts the name that the client knows the file by into a refusal of the conversion
// service.
func named(name string, err error) error {
	var refused *problem.Error
	if errors.As(err, &refused) && refused.Code == problem.InvalidRequest {
		renamed := *refused
		renamed.Detail = strings.Replace(refused.Detail, "The file", "The file "+name, 1)
		return &renamed
	}
	return err
}

// seconds returns t in Unix seconds with their fraction.
func seconds(t time.Time) float64 { return float64(t.UnixMilli()) / 1000 }
