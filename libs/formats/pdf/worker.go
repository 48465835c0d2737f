package pdf

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"github.com/go-json-experiment/json"
	"github.com/klippa-app/go-pdfium"
	"github.com/klippa-app/go-pdfium/webassembly"
	"github.com/tetratelabs/wazero"

	"github.com/rectohq/recto/libs/formats/pdf/internal/exports"
	"github.com/rectohq/recto/libs/formats/pdf/typeset"
)

// childName is the first argument of a process that reads PDFs.
const childName = "recto-pdf"

// ready is the byte that a process sends when it is ready.
const ready = 'R'

const (
	// codeMemory is the size of PDFium's machine code, plus what the Go runtime uses
	// beyond what it counts.
	codeMemory = 48 << 20
	// maxMemory is the most that this build of PDFium can address.
	maxMemory = 2 << 30
)

// Main returns immediately unless this process was started by a Reader. In that case it
// does not return.
func Main() {
	if len(os.Args) != 3 || os.Args[1] != childName {
		return
	}
	if err := work(os.Args[2], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "pdf:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// work reads a job from in, and writes the answer to out.
func work(raw string, in io.Reader, out io.Writer) error {
	var s settings
	if err := json.Unmarshal([]byte(raw), &s); err != nil {
		return fmt.Errorf("decode the settings: %w", err)
	}
	debug.SetMemoryLimit(int64(s.Memory) - codeMemory)
	// The start produces hardly any garbage, and collecting it takes as long as the start
	// itself.
	usual := debug.SetGCPercent(-1)
	fonts := typeset.NewFonts(s.Fonts...)
	w := &worker{settings: s, forms: realForms(fonts)}
	if err := w.prepare(fonts); err != nil {
		return err
	}
	debug.SetGCPercent(usual)
	if _, err := out.Write([]byte{ready}); err != nil {
		return err
	}
	j, err := readJob(in, s.Memory)
	if err != nil || j == nil {
		return err
	}
	buffered := bufio.NewWriterSize(out, 64<<10)
	w.answer = sender{w: buffered, flush: buffered.Flush}
	return errors.Join(w.perform(j), buffered.Flush())
}

// worker performs a job.
type worker struct {
	settings
	pdfium pdfium.Pdfium // nil if Bare is set
	forms  forms
	answer sender
}

// prepare does what takes time and needs no file: it starts PDFium or, in a process that
// only fills forms, reads the font that most values are written in.
func (w *worker) prepare(fonts *typeset.Fonts) (err error) {
	if w.Bare {
		fonts.Prepare()
		return nil
	}
	w.pdfium, err = newPDFium(w.settings)
	return err
}

// perform performs the job and sends the answer.
func (w *worker) perform(j *job) error {
	err := w.do(j)
	var refused errRefused
	var missing *typeset.MissingError
	switch {
	case errors.As(err, &refused):
		return w.answer.send(message{Refused: refusal(refused)})
	case errors.As(err, &missing):
		return w.answer.send(message{Missing: missing.Rune})
	}
	return err
}

func (w *worker) do(j *job) error {
	switch j.task {
	case taskRead:
		return w.extract(j.file)
	case taskCount:
		count, err := countPages(w.pdfium, j.file)
		if err != nil {
			return err
		}
		return w.answer.send(message{Count: count})
	case taskSizes:
		return w.sizes(j.file)
	case taskWords:
		return w.words(j.file, j.Page)
	case taskRender:
		return w.render(j.file, j.Page, j.Width)
	case taskFill:
		return w.fill(j)
	case taskShow:
		return w.show(j)
	case taskFlaws:
		return w.flaws(j)
	}
	return fmt.Errorf("no such task: %q", j.task)
}

// newPDFium returns a PDFium without access to files and without output.
func newPDFium(s settings) (pdfium.Pdfium, error) {
	instance, err := startPDFium(s)
	if err != nil {
		return nil, err
	}
	return instance, exports.Keep(instance)
}

// startPDFium returns a PDFium that looks up its functions for each call.
func startPDFium(s settings) (pdfium.Pdfium, error) {
	config := wazero.NewRuntimeConfig()
	if s.Cache != "" {
		cache, err := wazero.NewCompilationCacheWithDir(s.Cache)
		if err != nil {
			return nil, fmt.Errorf("open the cache of compiled code: %w", err)
		}
		config = config.WithCompilationCache(cache)
	}
	pool, err := webassembly.Init(webassembly.Config{
		MaxIdle: 1, MaxTotal: 1, FSConfig: wazero.NewFSConfig(), RuntimeConfig: config,
		Stdout: io.Discard, Stderr: io.Discard,
	})
	if err != nil {
		return nil, fmt.Errorf("compile PDFium: %w", err)
	}
	instance, err := pool.GetInstanceWithContext(context.Background())
	if err != nil {
		return nil, fmt.Errorf("start PDFium: %w", err)
	}
	return instance, nil
}
