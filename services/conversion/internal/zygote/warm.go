package zygote

import (
	"context"
	"errors"
	"fmt"

	"github.com/rectohq/recto/libs/formats/filetype"
	"github.com/rectohq/recto/services/conversion/internal/libreoffice"
)

// warm has the zygote convert the samples, and waits until it is ready to fork.
func (z *process) warm(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	hello, err := z.next(ctx)
	if err != nil {
		return err
	}
	if hello.kind != frameHello || string(hello.payload) != protocol {
		return fmt.Errorf("the zygote speaks protocol %q, not %s: it belongs to another version of Recto", hello.payload, protocol)
	}
	if err := z.sendSamples(); err != nil {
		return err
	}
	ready, err := z.next(ctx)
	switch {
	case err != nil:
		return err
	case ready.kind == frameWarning:
		return fmt.Errorf("LibreOffice cannot convert a sample: %s", ready.payload)
	case ready.kind != frameReady:
		return fmt.Errorf("a frame of kind %q is out of order", ready.kind)
	}
	z.before = z.resident()
	return z.dir.freeze()
}

// rounds is how often each sample is converted. Some of LibreOffice's caches are full only
// after the second document.
const rounds = 3

// sendSamples has the zygote convert the samples, learn what memory copies touch, and fork.
func (z *process) sendSamples() error {
	send := func(kind byte, s sample) error {
		return writeFrame(z.in, kind, libreoffice.DocumentURL(s.name), z.dir.url(work, "sample.pdf"), loadOptions(s.kind))
	}
	for _, s := range samples {
		if z.missing(s.kind) != "" {
			continue
		}
		err := s.write(z.dir.path(work))
		for range rounds {
			err = errors.Join(err, send(frameSample, s))
		}
		if err != nil {
			return fmt.Errorf("send a sample: %w", err)
		}
	}
	return errors.Join(send(frameLearn, samples[len(samples)-1]), writeFrame(z.in, frameFork))
}

// loadOptions returns the options of LibreOfficeKit with which a file of type t is loaded.
func loadOptions(t filetype.Type) string {
	options := "Batch=true,Language=en-US" // ask nothing
	if pageless[t] {
		options = "Batch=true,Language=en-150"
	}
	if t == filetype.Text {
		options += ",UTF8,LF,,,"
	}
	return options
}

// pageless holds the types whose documents may leave out the size of their pages. It then
// depends on the country: English of Europe (en-150) means A4, as for a new process, and
// the formats of en-US for numbers and dates.
var pageless = map[filetype.Type]bool{
	filetype.Text: true, filetype.HTML: true, filetype.RTF: true, filetype.ODT: true, filetype.ODS: true,
}
