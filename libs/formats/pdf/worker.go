package pdf

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"github.com/go-json-experiment/json"
	"github.com/klippa-app/go-pdfium"
	"github.com/klippa-app/go-pdfium/webassembly"
	"github.com/tetratelabs/wazero"
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

// work reads a task and its file from in, and writes the answer to out.
func work(raw string, in io.Reader, out io.Writer) error {
	var s settings
	if err := json.Unmarshal([]byte(raw), &s); err != nil {
		return fmt.Errorf("decode the settings: %w", err)
	}
	debug.SetMemoryLimit(int64(s.Memory) - codeMemory)
	// The start produces hardly any garbage, and collecting it takes as long as the start
	// itself.
	usual := debug.SetGCPercent(-1)
	pdfium, err := newPDFium(s)
	if err != nil {
		return err
	}
	debug.SetGCPercent(usual)
	if _, err := out.Write([]byte{ready}); err != nil {
		return err
	}
	task, file, err := readTask(in, s.Memory)
	if err != nil || file == nil {
		return err
	}
	buffered := bufio.NewWriterSize(out, 64<<10)
	answer := sender{w: buffered}
	switch task {
	case taskRead:
		err = extract(pdfium, file, s.Pages, answer.send)
	case taskCount:
		var count int
		if count, err = countPages(pdfium, file); err == nil {
			err = answer.send(message{Count: count})
		}
	default:
		err = fmt.Errorf("no such task: %q", task)
	}
	var refused errRefused
	if errors.As(err, &refused) {
		err = answer.send(message{Refused: refusal(refused)})
	}
	return errors.Join(err, buffered.Flush())
}

// readTask reads the task and its file. It returns neither a file nor an error if the
// reader no longer needs the process.
func readTask(in io.Reader, limit uint64) (task, []byte, error) {
	var o order
	err := binary.Read(in, binary.BigEndian, &o)
	switch {
	case errors.Is(err, io.EOF):
		return 0, nil, nil
	case err != nil:
		return 0, nil, err
	case o.Size < 0 || uint64(o.Size) > limit:
		return 0, nil, fmt.Errorf("a file of %d bytes", o.Size)
	}
	file := make([]byte, o.Size)
	_, err = io.ReadFull(in, file)
	return o.Task, file, err
}

// newPDFium returns a PDFium without access to files and without output.
func newPDFium(s settings) (pdfium.Pdfium, error) {
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
