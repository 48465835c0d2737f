package insight_test

import (
	"context"
	"fmt"
	"io"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/pdf"
	"github.com/rectohq/recto/libs/jobservice/jobrun"
	"github.com/rectohq/recto/libs/testkit/patience"
	"github.com/rectohq/recto/libs/testkit/pdftest"
	"github.com/rectohq/recto/services/insight/internal/domain"
	"github.com/rectohq/recto/services/insight/internal/engine"
	"github.com/rectohq/recto/services/insight/internal/source"
	"github.com/rectohq/recto/services/insight/internal/source/sourcetest"
)

// held reads PDF files, but takes no page after the first ones until release is closed.
type held struct {
	source.PDF
	release chan struct{}
	read    atomic.Bool // to the end
}

// ReadAhead implements source.PDF.
func (h *held) ReadAhead(ctx context.Context, f io.ReaderAt, size int64, pages int, opened func(*pdf.File)) (*pdf.File, error) {
	file, err := h.PDF.ReadAhead(ctx, f, size, pages, func(first *pdf.File) {
		opened(first)
		select {
		case <-h.release:
		case <-ctx.Done():
		}
	})
	h.read.Store(true)
	return file, err
}

// TestStreamBeginsEarly shows that a client has the title and the ids of a PDF of hundreds of
// pages while the reader has only the first ten: it gets no other page before.
func TestStreamBeginsEarly(t *testing.T) {
	t.Parallel()
	// On a busy machine, the race detector makes this take longer than a test waits.
	if err := pdftest.Compile(); err != nil {
		t.Fatal(err)
	}
	s := prepare(t)
	cfg := pdftest.Config()
	cfg.Pages = 300
	reader := &held{PDF: pdftest.NewReader(t, cfg), release: make(chan struct{})}
	file := sourcetest.PDF{Title: "Supply Agreement", Pages: make([][]string, 300)}
	for n := range file.Pages {
		file.Pages[n] = append([]string{fmt.Sprintf("Page %d", n+1)}, strings.Split(strings.Repeat("The Supplier shall deliver the goods in time.;", 25), ";")...)
	}
	file.Pages[0][0] = "SUPPLY AGREEMENT"
	s.Service = s.instanceOf(jobrun.All, engine.New(source.NewReader(source.Deps{Objects: s.Blobs, PDF: reader, Scratch: t.TempDir()}), nil),
		func(_ context.Context, _ string, to io.Writer) (domain.Fetched, error) {
			_, err := to.Write(file.Bytes())
			return domain.Fetched{Name: "a.pdf", Type: "application/pdf"}, err
		})
	begun, err := bus.Call(patience.Context(t), s.Caller, insightapi.Begin, principal, ask(insightapi.URL, "https://example.com/a.pdf"))
	if err != nil {
		t.Fatal(err)
	}
	early := s.follow(begun.ID, 5) // fetched, the title, the ids, and that each is answered
	if reader.read.Load() {
		t.Error("the PDF is already read to its end")
	}
	if title := string(early[1].Data); early[1].Kind != insightapi.EventInsight || !strings.Contains(title, `"title":"SUPPLY AGREEMENT"`) {
		t.Errorf("the first item is %s", title)
	}
	close(reader.release)
	s.isLogged(begun.ID)
	if again := s.follow(begun.ID, len(early)); !reflect.DeepEqual(again, early) {
		t.Errorf("a replay begins with %+v, the stream with %+v", again, early)
	}
}
