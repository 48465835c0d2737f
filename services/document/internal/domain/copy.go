package domain

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/rectohq/recto/libs/blob"
	"github.com/rectohq/recto/libs/checksum"
	"github.com/rectohq/recto/libs/contract/documentapi"
)

// copyUpload copies the upload of a file to its content object, unless that exists, and
// returns the seal. An unusable upload stays where it is, and may be replaced.
func (s *Service) copyUpload(ctx context.Context, d Document, f File) (Seal, string, error) {
	body, object, err := s.objects.Get(ctx, d.incomingKey(f))
	if errors.Is(err, blob.ErrNotFound) {
		return s.readContent(ctx, d, f, documentapi.NotUploaded)
	}
	if err != nil {
		return Seal{}, "", err
	}
	defer body.Close()
	upload := bufio.NewReaderSize(body, blob.FormHead)
	head, err := upload.Peek(blob.FormHead)
	if err != nil && !errors.Is(err, io.EOF) {
		return Seal{}, "", err
	}
	if fault := s.fault(object, head); fault != "" {
		// A sealer that died may have copied an earlier upload: that copy counts.
		return s.readContent(ctx, d, f, fault)
	}
	h := checksum.New()
	checked := &checkedReader{reader: upload, left: object.Size, check: func() error { return s.checkUnchanged(ctx, object) }}
	err = s.objects.PutOnce(ctx, d.contentKey(f), io.TeeReader(checked, h), object.Size, f.Type)
	if errors.Is(err, blob.ErrExists) { // another sealer was faster: its copy counts
		seal, err := s.awaitContent(ctx, d, f)
		return seal, "", err
	}
	if err != nil {
		return Seal{}, "", cmp.Or(checked.failed, err)
	}
	return s.newSeal(h, object.Size), "", nil
}

// fault returns why an upload, whose first bytes are head, cannot be sealed, or "" if it
// can.
func (s *Service) fault(upload blob.Object, head []byte) string {
	const again = "; PUT the content to its upload_url again"
	switch {
	case upload.Size == 0:
		return "is empty" + again
	case upload.Size > s.cfg.MaxContent:
		return fmt.Sprintf("has %d bytes (the limit is %d); PUT a smaller file to its upload_url", upload.Size, s.cfg.MaxContent)
	case blob.IsForm(upload.ContentType, head):
		return "was uploaded as a multipart form; PUT the raw bytes to its upload_url, as curl -T does"
	}
	return ""
}

// errReplaced reports that an upload was replaced while it was copied.
var errReplaced = errors.New("the upload was replaced while it was copied")

// checkUnchanged returns errReplaced unless the upload is still the same.
func (s *Service) checkUnchanged(ctx context.Context, upload blob.Object) error {
	now, err := s.objects.Stat(ctx, upload.Key)
	if err == nil && now.ETag == upload.ETag || errors.Is(err, blob.ErrNotFound) { // not found: sealed by another sealer
		return nil
	}
	return cmp.Or(err, errReplaced)
}

// checkedReader is a reader of a known number of bytes that runs check before it returns
// the last ones. If check fails, the copy stays incomplete and is not stored. A
// replacement in the moment between the check and the end of the copy goes unnoticed.
type checkedReader struct {
	reader io.Reader
	left   int64
	check  func() error
	failed error // the error of check
}

// Read implements io.Reader.
func (c *checkedReader) Read(p []byte) (int, error) {
	n, err := c.reader.Read(p)
	if c.left -= int64(n); n > 0 && c.left <= 0 {
		if c.failed = c.check(); c.failed != nil {
			return 0, c.failed
		}
	}
	return n, err
}

// readContent returns the seal of content that another sealer has stored but not recorded
// yet. If there is no such content, it returns the fault.
func (s *Service) readContent(ctx context.Context, d Document, f File, fault string) (Seal, string, error) {
	body, object, err := s.objects.Get(ctx, d.contentKey(f))
	if errors.Is(err, blob.ErrNotFound) {
		return Seal{}, fault, nil
	}
	if err != nil {
		return Seal{}, "", err
	}
	defer body.Close()
	h := checksum.New()
	if _, err := io.Copy(h, body); err != nil {
		return Seal{}, "", err
	}
	return s.newSeal(h, object.Size), "", nil
}

// errHidden reports that the object store does not store the content because it exists, and
// does not return it. The document was purged in between, or the store is at fault.
var errHidden = errors.New("the object store has the content and does not return it")

// awaitContent returns the seal of content that another sealer has stored, according to the
// object store. A store may show it a little later.
func (s *Service) awaitContent(ctx context.Context, d Document, f File) (Seal, error) {
	for tries := range maxTries {
		seal, fault, err := s.readContent(ctx, d, f, documentapi.NotUploaded)
		if err != nil || fault == "" {
			return seal, err
		}
		if err := pause(ctx, tries); err != nil {
			return Seal{}, err
		}
	}
	return Seal{}, errHidden
}

// newSeal returns the seal of content with this size and these checksums.
func (s *Service) newSeal(w *checksum.Writer, size int64) Seal {
	sums := w.Sums()
	return Seal{Size: size, SHA256: sums.SHA256, MD5: sums.MD5, CRC32C: sums.CRC32C, SealedAt: s.now().UnixMilli()}
}
