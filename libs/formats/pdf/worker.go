package pdf

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
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

// work reads jobs from in, and writes the answers to out.
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
	buffered := bufio.NewWriterSize(out, 64<<10)
	w := &worker{settings: s, forms: realForms(fonts)}
	if err := w.prepare(fonts); err != nil {
		return err
	}
	debug.SetGCPercent(usual)
	for {
		if _, err := out.Write([]byte{ready}); err != nil {
			return err
		}
		j, err := readJob(in, s.Memory)
		if err != nil || j == nil {
			return err
		}
		w.answer = sender{w: buffered, flush: buffered.Flush}
		if err := errors.Join(w.perform(j), buffered.Flush()); err != nil {
			return err
		}
		if !j.Again || hasGrown(s.Memory) {
			return nil
		}
		if err := w.restart(); err != nil {
			return err
		}
	}
}

// hasGrown reports whether the process has so little of the memory left that it should not
// read another file.
func hasGrown(memory uint64) bool {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapSys > memory/4
}

// worker performs jobs.
type worker struct {
	settings
	library pdfium.Pool   // nil if Bare is set
	pdfium  pdfium.Pdfium // of the library
	forms   forms
	answer  sender
	// document is the one that PDFium opened last, nil if there is none.
	document *document
}

// prepare does what takes time and needs no file: it starts PDFium or, in a process that
// only fills forms, reads the font that most values are written in.
func (w *worker) prepare(fonts *typeset.Fonts) (err error) {
	if w.Bare {
		fonts.Prepare()
		return nil
	}
	w.library, err = compiledPDFium(w.settings)
	if err != nil {
		return err
	}
	w.pdfium, err = newPDFium(w.library)
	return err
}

// restart replaces PDFium with a new one, which has its own memory, so that nothing of a file
// is left for the next.
func (w *worker) restart() (err error) {
	if w.document != nil {
		// The library keeps all memory of a PDFium that has an open form.
		if err := w.document.endForm(); err != nil {
			return fmt.Errorf("close the form: %w", err)
		}
		w.document = nil
	}
	if err := w.pdfium.Close(); err != nil {
		return fmt.Errorf("close PDFium: %w", err)
	}
	// The collector does not run while the process is idle, which would then keep the memory of
	// several PDFiums.
	debug.FreeOSMemory()
	w.pdfium, err = newPDFium(w.library)
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

// newPDFium returns a PDFium of the library.
func newPDFium(library pdfium.Pool) (pdfium.Pdfium, error) {
	instance, err := startPDFium(library)
	if err != nil {
		return nil, err
	}
	return instance, exports.Keep(instance)
}

// startPDFium returns a PDFium that looks up its functions for each call.
func startPDFium(library pdfium.Pool) (pdfium.Pdfium, error) {
	instance, err := library.GetInstanceWithContext(context.Background())
	if err != nil {
		return nil, fmt.Errorf("start PDFium: %w", err)
	}
	return instance, nil
}

// compiledPDFium returns a library for one PDFium at a time, which has no access to files and
// no output.
func compiledPDFium(s settings) (pdfium.Pool, error) {
	config := wazero.NewRuntimeConfig()
	if s.Cache != "" {
		cache, err := wazero.NewCompilationCacheWithDir(s.Cache)
		if err != nil {
			return nil, fmt.Errorf("open the cache of compiled code: %w", err)
		}
		config = config.WithCompilationCache(cache)
	}
	library, err := webassembly.Init(webassembly.Config{
		MaxIdle: 1, MaxTotal: 1, FSConfig: wazero.NewFSConfig(), RuntimeConfig: config,
		Stdout: io.Discard, Stderr: io.Discard,
	})
	if err != nil {
		return nil, fmt.Errorf("compile PDFium: %w", err)
	}
	return library, nil
}
