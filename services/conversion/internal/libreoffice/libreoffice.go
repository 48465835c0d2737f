// Package libreoffice converts documents with LibreOffice: one sandboxed
// process of soffice.bin for each document, with a profile of its own.
//
// The stock command spends most of its time on what no conversion needs: a
// shell script, a Java look-up, first-start tests and the set-up of an empty
// profile. Here soffice.bin is executed itself, with an empty PATH and a copy
// of a profile that has been set up before, which is about five times faster.
package libreoffice

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/rectohq/recto/libs/formats/filetype"
	"github.com/rectohq/recto/libs/sandbox"
	"github.com/rectohq/recto/libs/scratch"
	"github.com/rectohq/recto/services/conversion/internal/domain"
)

// Config is what the operator decides.
type Config struct {
	Program string `env:"CONVERSION_LIBREOFFICE" desc:"folder of soffice.bin. Not set: where Debian, or The Document Foundation, installs it"`
	Memory  uint64 `env:"CONVERSION_MEMORY" envDefault:"4294967296" desc:"bytes of address space that one conversion may take"`
}

// programs are the folders that soffice.bin is looked for in.
var programs = []string{"/usr/lib/libreoffice/program", "/usr/lib64/libreoffice/program", "/opt/libreoffice*/program"}

// settings is the registry of the profile: no first start, no macros, no links
// to elsewhere. In it @VERSION@ stands for the version of LibreOffice.
//
//go:embed registrymodifications.xcu
var settings []byte

// Engine is a domain.Engine.
type Engine struct {
	program string
	memory  uint64
	release string
	version string
	scratch domain.Scratch

	mu       sync.Mutex
	box      *sandbox.Sandbox // nil before it is made
	template string           // the profile that conversions copy, "" before it is made
}

var _ domain.Engine = (*Engine)(nil)

// ErrNotInstalled says that there is no LibreOffice.
var ErrNotInstalled = errors.New("LibreOffice is not installed: there is no soffice.bin")

// New returns an Engine if LibreOffice is installed, and ErrNotInstalled
// otherwise. The profile is made on scratch at the first conversion, or by
// Prepare.
func New(cfg Config, scratch domain.Scratch) (*Engine, error) {
	program, err := find(cfg.Program)
	if err != nil {
		return nil, err
	}
	release, version, err := identify(program)
	if err != nil {
		return nil, fmt.Errorf("identify LibreOffice in %s: %w", program, err)
	}
	return &Engine{program: program, memory: cfg.Memory, release: release, version: version, scratch: scratch}, nil
}

// find returns the folder of soffice.bin: that in the folder program, or of the
// places where packages put it, the last version of the first place that has
// one.
func find(program string) (string, error) {
	candidates := programs
	if program != "" {
		candidates = []string{program}
	}
	for _, pattern := range candidates {
		matches, _ := filepath.Glob(filepath.Join(pattern, "soffice.bin")) // the patterns are well formed
		if len(matches) > 0 {
			return filepath.Dir(matches[len(matches)-1]), nil
		}
	}
	return "", fmt.Errorf("%w in %s", ErrNotInstalled, strings.Join(candidates, ", "))
}

// identify returns the release for people, "LibreOffice 7.4", and a version
// that changes with everything that results depend on.
func identify(program string) (release, version string, err error) {
	hash := sha256.New()
	hash.Write(settings)
	for _, name := range []string{"bootstraprc", "versionrc", "soffice.bin"} {
		content, err := os.ReadFile(filepath.Join(program, name))
		if err != nil {
			return "", "", err
		}
		hash.Write(content)
		for line := range strings.Lines(string(content)) {
			if product, ok := strings.CutPrefix(line, "ProductKey="); ok && name == "bootstraprc" {
				release = strings.TrimSpace(product)
			}
		}
	}
	return release, "libreoffice-" + hex.EncodeToString(hash.Sum(nil))[:16], nil
}

// Version implements domain.Engine.
func (e *Engine) Version() string { return e.version }

// Release returns what is installed, for example "LibreOffice 7.4".
func (e *Engine) Release() string { return e.release }

// Prepare makes the profile, so that the first conversion does not wait for it.
func (e *Engine) Prepare(ctx context.Context) error {
	_, err := e.profile(ctx)
	return err
}

// Confinement returns what confines the conversions, once Prepare or Convert has
// succeeded.
func (e *Engine) Confinement() sandbox.Report {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.box == nil {
		return sandbox.Report{}
	}
	return e.box.Report()
}

// profile returns the profile that conversions copy. It is made, and the sandbox
// before it, by whoever comes first, and tried again by the next one if that fails.
func (e *Engine) profile(ctx context.Context) (string, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.box == nil {
		box, err := sandbox.New(ctx)
		if err != nil {
			return "", err
		}
		e.box = box
	}
	if e.template == "" {
		template, err := e.makeTemplate(ctx)
		if err != nil {
			return "", err
		}
		e.template = template
	}
	return e.template, nil
}

// makeTemplate lets soffice.bin set up a new profile, by converting a page: if
// that fails, so would every document, and none would be at fault.
func (e *Engine) makeTemplate(ctx context.Context) (string, error) {
	dir, err := e.scratch.Make()
	if err != nil {
		return "", err
	}
	user := filepath.Join(dir, "profile", "user")
	page := filepath.Join(dir, "page.txt")
	err = errors.Join(
		os.MkdirAll(user, 0o700),
		os.WriteFile(filepath.Join(user, "registrymodifications.xcu"), e.settings(), 0o600),
		os.WriteFile(page, []byte("A page.\n"), 0o600),
	)
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, prepareTimeout)
	defer cancel()
	for range setupRuns {
		_, err = e.convert(ctx, page, filetype.Text)
		if err == nil {
			return filepath.Join(dir, "profile"), nil
		}
	}
	// What err wraps is not passed on: no document is at fault.
	return "", fmt.Errorf("LibreOffice does not convert a page: %v", err) //nolint:errorlint // see above
}

// settings is the user profile's configuration. It names the installed version:
// a profile of another one makes every start four times as slow, since
// LibreOffice then sets itself up anew.
func (e *Engine) settings() []byte {
	_, version, _ := strings.Cut(e.release, " ") // "LibreOffice 7.4"
	return bytes.ReplaceAll(settings, []byte("@VERSION@"), []byte(version))
}

// setupRuns is how often soffice.bin is started on a new profile: it ends the
// first time when it has set that up.
const setupRuns = 2

// Convert implements domain.Engine.
func (e *Engine) Convert(ctx context.Context, path string, t filetype.Type) (string, error) {
	template, err := e.profile(ctx)
	if err != nil {
		return "", err
	}
	if err := os.CopyFS(filepath.Join(filepath.Dir(path), "profile"), os.DirFS(template)); err != nil {
		return "", fmt.Errorf("copy the profile: %w", err)
	}
	return e.convert(ctx, path, t)
}

// convert converts the file at path with the profile beside it.
func (e *Engine) convert(ctx context.Context, path string, t filetype.Type) (string, error) {
	dir := filepath.Dir(path)
	args := []string{"--convert-to", "pdf:writer_pdf_Export", "--outdir", dir}
	if t == filetype.Text {
		args = append(args, "--infilter=Text (encoded):UTF8,LF,,,")
	}
	code, output, err := e.run(ctx, dir, append(args, path)...)
	switch {
	case ctx.Err() != nil:
		return "", fmt.Errorf("LibreOffice was stopped: %w", ctx.Err())
	case err != nil:
		return "", err
	case code == sandbox.ExitRefused:
		return "", fmt.Errorf("LibreOffice was not started: %s", output)
	}
	pdf := strings.TrimSuffix(path, filepath.Ext(path)) + ".pdf"
	if err := checkPDF(pdf); err != nil {
		if free, freeErr := scratch.Free(dir); freeErr == nil && free < minFree {
			return "", fmt.Errorf("there is no room left in %s: %w", dir, err) // which is no fault of the document
		}
		// It ends with 0 when it could not load a file, and by a signal when
		// the file crashed it or made it exceed a limit.
		return "", fmt.Errorf("%w: exit code %d: %w: %s", domain.ErrUnconvertible, code, err, output)
	}
	return pdf, nil
}

// minFree is how many bytes of scratch are left where there is room.
const minFree = 1 << 20

// checkPDF sees to it that the result begins and ends as a PDF does: one that was
// cut off, by a crash or a full disk, is none.
func checkPDF(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	var head [5]byte
	if _, err := io.ReadFull(f, head[:]); err != nil || !bytes.Equal(head[:], []byte("%PDF-")) {
		return fmt.Errorf("the result is no PDF: %q", head)
	}
	info, err := f.Stat()
	if err != nil {
		return err
	}
	tail := make([]byte, min(info.Size(), 1024))
	if _, err := f.ReadAt(tail, info.Size()-int64(len(tail))); err != nil {
		return err
	}
	if !bytes.Contains(tail, []byte("%%EOF")) {
		return errors.New("the result is a PDF that was cut off")
	}
	return nil
}
