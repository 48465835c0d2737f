package httpapi

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/rectohq/recto/gateway/internal/idempotency"
	"github.com/rectohq/recto/libs/blob"
	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/formats/filetype"
	"github.com/rectohq/recto/libs/problem"
)

const (
	// putTries is the maximum number of attempts to put a part into the object store.
	putTries = 3
	// putPause is the pause between two attempts.
	putPause = 200 * time.Millisecond
	// sealRate is the minimum speed, in bytes per second, at which files are sealed. It
	// extends the timeout of large uploads.
	sealRate = 16 << 20
)

// upload creates a document from a request with its files. The files pass through one
// buffer into the object store, where the document service finds them when all of them
// have arrived.
type upload struct {
	*request
	form   *form
	staged documentapi.Staged
	files  []documentapi.NewFile
	// digests are the SHA-256 hashes of the files, for the fingerprint.
	digests [][]byte
	buffer  []byte
	// sealing is set once the document service has the request. From then on, that service
	// removes staged files that it does not use.
	sealing bool
}

// uploadDocument is POST /documents with a multipart/form-data body.
func (s *Server) uploadDocument(r *request) error {
	u, err := r.newUpload()
	if err != nil {
		return err
	}
	document, err := u.create()
	if !u.sealing || err == nil && document.ID != u.staged.DocumentID {
		u.discard()
	}
	return r.answer(document, err)
}

// newUpload opens the body as a form.
func (r *request) newUpload() (*upload, error) {
	form, err := r.openForm(r.server.cfg.MaxUpload, documentapi.PartSize)
	if err != nil {
		return nil, err
	}
	return &upload{
		request: r, form: form, staged: documentapi.Staged{DocumentID: contract.NewID(contract.DocumentPrefix)},
	}, nil
}

// create reads the body and creates the document.
func (u *upload) create() (documentapi.Document, error) {
	if err := u.receive(); err != nil {
		return documentapi.Document{}, err
	}
	create, err := u.document()
	if err != nil {
		return documentapi.Document{}, err
	}
	same, err := u.fingerprint()
	if err != nil {
		return documentapi.Document{}, err
	}
	return once(u.request, operation[documentapi.Document]{
		document: u.staged.DocumentID, body: same, resign: u.signDownloads,
		run: func(record idempotency.Record) (documentapi.Document, error) {
			u.sealing = true
			create.ID = cmp.Or(record.DocumentID, u.staged.DocumentID)
			d, err := bus.Call(bus.WithTimeout(u.ctx, u.sealBudget()), u.server.bus, documentapi.Create, u.principal, create)
			if record.DocumentID != "" && problem.Is(err, problem.DocumentNotFound) {
				return d, errStale // it was created before and has been deleted since
			}
			return d, err
		},
	})
}

// receive reads the body to its end and puts the files into the object store. Once the
// request has a problem, it reads and drops the remaining files.
func (u *upload) receive() error {
	for {
		part, err := u.form.nextFile()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = u.receiveFile(part)
		}
		if err != nil {
			return err
		}
	}
}

// receiveFile reads the part of one file.
func (u *upload) receiveFile(part *multipart.Part) error {
	index := len(u.files)
	if index == documentapi.MaxFiles {
		return problem.New(problem.InvalidRequest, "The body exceeds the limit of %d files. Create several documents.", documentapi.MaxFiles)
	}
	u.files = append(u.files, documentapi.NewFile{Name: part.FileName(), Type: fileType(part)})
	file := documentapi.StagedFile{ID: contract.NewID(contract.FilePrefix)}
	digest := sha256.New()
	err := u.stageFile(part, &file, digest)
	if err == nil {
		u.form.checkContent(index, file.Size, part.FileName())
	}
	u.staged.Files = append(u.staged.Files, file)
	u.digests = append(u.digests, digest.Sum(nil))
	return err
}

// stageFile puts a file into the object store, part by part.
func (u *upload) stageFile(content io.Reader, file *documentapi.StagedFile, digest hash.Hash) error {
	if u.buffer == nil {
		u.buffer = make([]byte, documentapi.PartSize)
	}
	for number := int64(0); ; number++ {
		n, ended, err := fill(u.buffer, content)
		if err != nil {
			return err
		}
		part := u.buffer[:n]
		_, _ = digest.Write(part)
		file.Size += int64(n)
		if n > 0 && u.form.problems.Len() == 0 {
			if err := u.stagePart(part, *file, number); err != nil {
				return err
			}
		}
		if ended {
			return nil
		}
	}
}

// stagePart puts one part of a file into the object store.
func (u *upload) stagePart(part []byte, file documentapi.StagedFile, number int64) error {
	s := u.server
	staged, err := bus.Call(bus.WithTimeout(u.ctx, s.cfg.Budget), s.bus, documentapi.Stage, u.principal,
		documentapi.StageRequest{DocumentID: u.staged.DocumentID, FileID: file.ID, Part: number})
	if err != nil {
		return err
	}
	if file.Size > staged.MaxContent {
		return problem.New(problem.TooLarge, "File %d exceeds the limit of %s. Send a smaller file.", u.form.files, problem.Bytes(staged.MaxContent))
	}
	ctx, cancel := context.WithTimeout(u.ctx, s.cfg.LongBudget)
	defer cancel()
	for tries := 1; ; tries++ {
		err := s.put(ctx, staged.URL, part)
		if err == nil {
			return nil
		}
		if tries == putTries || ctx.Err() != nil {
			return blob.Unavailable(err)
		}
		time.Sleep(putPause)
	}
}

// put uploads content to a presigned URL.
func (s *Server) put(ctx context.Context, signed string, content []byte) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPut, signed, bytes.NewReader(content))
	if err != nil {
		return err
	}
	answer, err := s.objects.Do(request)
	var failed *url.Error
	if errors.As(err, &failed) {
		return failed.Err // without the URL: it grants access and must not be logged
	}
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	_, err = io.Copy(io.Discard, io.LimitReader(answer.Body, maxPartHead)) // so that the connection can be reused
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("put a part: the object store responded with %s", answer.Status)
	}
	return err
}

// document parses the JSON of the document and completes it.
func (u *upload) document() (documentapi.CreateRequest, error) {
	if u.form.document == nil {
		u.form.problems.Add(problem.Required(partDocument))
		return documentapi.CreateRequest{}, u.form.problems.Err()
	}
	create, err := documentapi.ParseUpload(u.form.document, u.files)
	if err = u.form.withProblems(err); err == nil {
		err = u.server.resolve(u.request, &create.CreatedBy, &create.UpdatedBy)
	}
	create.Staged = &u.staged
	return create, err
}

// fingerprint returns bytes that are the same for all requests with the same document and
// files, even if their bodies are encoded differently.
func (u *upload) fingerprint() ([]byte, error) {
	return json.Marshal(struct {
		Document []byte
		Files    []documentapi.NewFile
		Contents [][]byte
	}{u.form.document, u.files, u.digests})
}

// sealBudget returns the timeout for the document service to seal all files.
func (u *upload) sealBudget() time.Duration {
	var size int64
	for _, f := range u.staged.Files {
		size += f.Size
	}
	return u.server.cfg.LongBudget + time.Duration(size/sealRate)*time.Second
}

// signDownloads returns the document of a kept response with newly presigned download URLs.
// If the document has been deleted since, it returns the response unchanged.
func (u *upload) signDownloads(d documentapi.Document) (documentapi.Document, error) {
	signed, err := bus.Call(bus.WithTimeout(u.ctx, u.server.cfg.Budget), u.server.bus, documentapi.Get, u.principal,
		documentapi.GetRequest{DocumentID: d.ID, Version: documentapi.Version{Number: 1, Given: true}})
	if problem.Is(err, problem.DocumentNotFound) {
		return d, nil
	}
	return signed, err
}

// discard removes staged files that are not used, even if the request was canceled. The
// document service later sweeps up those that it cannot remove.
func (u *upload) discard() {
	ctx := bus.WithTimeout(context.WithoutCancel(u.ctx), u.server.cfg.Budget)
	_, err := bus.Call(ctx, u.server.bus, documentapi.Discard, u.principal, documentapi.DiscardRequest{DocumentID: u.staged.DocumentID})
	if err != nil {
		u.server.log.DebugContext(u.ctx, "cannot remove staged parts, leaving them to the sweep", "document", u.staged.DocumentID, "error", err)
	}
}

// fileType returns the media type of a file: that of its part or, if the part has none or
// an unspecific one, the type for the extension of its name.
func fileType(part *multipart.Part) string {
	const unspecified = "application/octet-stream"
	sent := part.Header.Get("Content-Type")
	if sent == "" || strings.EqualFold(sent, unspecified) {
		return filetype.OfName(part.FileName()).MIME()
	}
	return sent
}
