package domain

import (
	"context"
	"errors"
	"io"
	"os"
	"path"
	"strings"

	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/conversionapi"
	"github.com/rectohq/recto/libs/formats/filetype"
	"github.com/rectohq/recto/libs/formats/pdf"
	"github.com/rectohq/recto/libs/formats/pdf/form"
	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/libs/scratch"
)

// pdfType is the media type of PDF files.
const pdfType = "application/pdf"

// copied is a filled copy of a file.
type copied struct {
	kind filetype.Type
	// file is a scratch file with size bytes, from its beginning.
	file *os.File
	size int64
}

// close releases the scratch file.
func (c copied) close() {
	if c.file != nil {
		_ = c.file.Close()
	}
}

// convert replaces the filled copy by its PDF. The conversion service takes the file over
// the bus, so the copy is stored nowhere, and queues it, so that the load stays bounded. A
// conversion that fails although the file is valid is retried with the whole request, by
// the client or as the next try of the job.
func (s *Service) convert(ctx context.Context, p contract.Principal, c *copied, name string) error {
	return s.replace(c, name, func(out *os.File) (int64, error) { return s.convertTo(ctx, p, *c, out) })
}

// flatten replaces a converted copy by one that is no form. Newer versions of LibreOffice
// make form fields of content controls.
func (s *Service) flatten(ctx context.Context, c *copied, name string) error {
	release, err := s.slots.Acquire(ctx)
	if err != nil {
		return err
	}
	defer release()
	return s.replace(c, name, func(out *os.File) (int64, error) {
		filled, err := s.PDF.Fill(ctx, c.file, c.size, pdf.Filling{Order: form.Order{Flatten: true}}, &boundWriter{ctx, out})
		var refused *pdf.Error
		if errors.As(err, &refused) {
			return 0, problem.New(problem.InvalidRequest, "The file cannot be flattened: it %s.", refused.Reason).Because(err)
		}
		return filled.Size, unanswered(ctx, err)
	})
}

// replace replaces the copy by the PDF that write writes into a file, and whose size it
// returns. Name is that of the document's file, for errors.
func (s *Service) replace(c *copied, name string, write func(*os.File) (int64, error)) error {
	out, err := scratch.File(s.Scratch)
	if err != nil {
		return err
	}
	written := copied{kind: filetype.PDF, file: out}
	if written.size, err = write(out); err == nil {
		_, err = out.Seek(0, io.SeekStart)
	}
	if err != nil {
		written.close()
		return named(name, scratch.Fault(err, err))
	}
	c.close()
	*c = written
	return nil
}

// convertTo writes the PDF of the copy to out and returns its size.
func (s *Service) convertTo(ctx context.Context, p contract.Principal, c copied, out *os.File) (int64, error) {
	// The content decides, whatever the name of the file is.
	payload := conversionapi.NewInline("document."+strings.ToLower(string(c.kind)), c.file)
	defer payload.Close()
	answer, err := s.Convert(ctx, p, payload)
	if err != nil {
		return 0, err
	}
	size, err := conversionapi.ReadInline(answer, &boundWriter{ctx, out})
	return size, errors.Join(err, answer.Close())
}

// named puts the name that the client knows the file by into a refusal of the conversion
// service.
func named(name string, err error) error {
	var refused *problem.Error
	if !errors.As(err, &refused) || refused.Code != problem.InvalidRequest {
		return err
	}
	renamed := *refused
	renamed.Detail = strings.Replace(refused.Detail, "The file", "The filled file "+name, 1)
	return &renamed
}

// pdfName returns the name with its last extension replaced by .pdf.
func pdfName(name string) string {
	return strings.TrimSuffix(name, path.Ext(name)) + ".pdf"
}
