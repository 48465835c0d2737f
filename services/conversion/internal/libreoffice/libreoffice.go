// Package libreoffice converts documents with LibreOffice: one sandboxed
// soffice.bin process for each document, with its own profile.
//
// The stock command spends most of its time on work that no conversion needs: a
// shell script, a Java lookup, first-start tests and setting up an empty
// profile. This package executes soffice.bin directly, with an empty PATH and a
// copy of a prepared profile, which is about five times faster.
package libreoffice

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/rectohq/recto/libs/contract/conversionapi"
	"github.com/rectohq/recto/libs/formats/filetype"
	"github.com/rectohq/recto/libs/sandbox"
	"github.com/rectohq/recto/libs/scratch"
	"github.com/rectohq/recto/services/conversion/internal/domain"
)

// Config is the configuration of LibreOffice.
type Config struct {
	Program string `env:"CONVERSION_LIBREOFFICE" desc:"folder that contains soffice.bin. If not set, where Debian or The Document Foundation install it"`
	Memory  uint64 `env:"CONVERSION_MEMORY" envDefault:"4294967296" desc:"maximum address space of one conversion, in bytes"`
}

// programs lists the folders in which to look for soffice.bin.
var programs = []string{"/usr/lib/libreoffice/program", "/usr/lib64/libreoffice/program", "/opt/libreoffice*/program"}

// settings is the registry of the profile: no first-start setup, no macros, no external
// links. The placeholder @VERSION@ stands for the version of LibreOffice.
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
	box      *sandbox.Sandbox // nil until it is created
	template string           // path of the profile that conversions copy, "" until it is created
}

var _ domain.Engine = (*Engine)(nil)

// ErrNotInstalled means that LibreOffice is not installed.
var ErrNotInstalled = errors.New("LibreOffice is not installed: there is no soffice.bin")

// New returns an Engine if LibreOffice is installed, and ErrNotInstalled
// otherwise. The first conversion, or Prepare, creates the profile in scratch.
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

// find returns the folder that contains soffice.bin. If program is set, only that
// folder is searched. Otherwise, find returns the last match of the first pattern in
// programs that has any.
func find(program string) (string, error) {
	candidates := programs
	if program != "" {
		candidates = []string{program}
	}
	for _, pattern := range candidates {
		matches, _ := filepath.Glob(filepath.Join(pattern, "soffice.bin")) // the patterns are well-formed
		if len(matches) > 0 {
			return filepath.Dir(matches[len(matches)-1]), nil
		}
	}
	return "", fmt.Errorf("%w in %s", ErrNotInstalled, strings.Join(candidates, ", "))
}

// identify returns the release for display, such as "LibreOffice 7.4", and a version
// that changes with everything that results depend on.
func identify(program string) (release, version string, err error) {
	hash := sha256.New()
	hash.Write(settings)
	fmt.Fprintln(hash, ExportOptions(""))
	for _, m := range applications {
		fmt.Fprintln(hash, m.name, installed(program, m)) // each replaces the filters of others
	}
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

// Release returns the installed release, for example "LibreOffice 7.4".
func (e *Engine) Release() string { return e.release }

// Program returns the folder that contains LibreOffice's programs and libraries.
func (e *Engine) Program() string { return e.program }

// Prepare creates the profile, so that the first conversion does not wait for it.
func (e *Engine) Prepare(ctx context.Context) error {
	_, err := e.profile(ctx)
	return err
}

// Confinement returns the restrictions on conversions. It is empty until Prepare or
// Convert has succeeded.
func (e *Engine) Confinement() sandbox.Report {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.box == nil {
		return sandbox.Report{}
	}
	return e.box.Report()
}

// Sandbox returns the sandbox of conversions. The first call creates it. If that fails, the
// next call tries again.
func (e *Engine) Sandbox(ctx context.Context) (*sandbox.Sandbox, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.sandbox(ctx)
}

// sandbox is Sandbox for a caller that holds the mutex.
func (e *Engine) sandbox(ctx context.Context) (*sandbox.Sandbox, error) {
	if e.box == nil {
		box, err := sandbox.New(ctx)
		if err != nil {
			return nil, err
		}
		e.box = box
	}
	return e.box, nil
}

// profile returns the path of the profile that conversions copy. The first call creates
// the sandbox and then the profile. If that fails, the next call tries again.
func (e *Engine) profile(ctx context.Context) (string, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if _, err := e.sandbox(ctx); err != nil {
		return "", err
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

// makeTemplate has soffice.bin set up a new profile by converting a page. If that
// fails, every document would fail through no fault of its own.
func (e *Engine) makeTemplate(ctx context.Context) (string, error) {
	dir, err := e.scratch.Make()
	if err != nil {
		return "", err
	}
	if err := e.setUp(ctx, dir); err != nil {
		e.scratch.Remove(dir) // every conversion tries again, and scratch is memory
		return "", err
	}
	return filepath.Join(dir, "profile"), nil
}

// setUp creates the profile in the new folder dir.
func (e *Engine) setUp(ctx context.Context, dir string) error {
	user := filepath.Join(dir, "profile", "user")
	page := filepath.Join(dir, "page.txt")
	err := errors.Join(
		os.MkdirAll(user, 0o700),
		os.WriteFile(filepath.Join(user, "registrymodifications.xcu"), e.settings(), 0o600),
		os.WriteFile(page, []byte("A page.\n"), 0o600),
	)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, prepareTimeout)
	defer cancel()
	for range setupRuns {
		if _, err = e.convert(ctx, page, filetype.Text, ""); err == nil {
			return nil
		}
	}
	// Do not wrap err: it may wrap ErrUnconvertible, but no document is at fault.
	return fmt.Errorf("LibreOffice cannot convert a page: %v", err) //nolint:errorlint // see above
}

// settings returns the configuration of the user profile. It names the installed
// version: with a profile of another version, LibreOffice repeats its setup at every
// start, which is then four times as slow.
func (e *Engine) settings() []byte {
	_, version, _ := strings.Cut(e.release, " ") // "LibreOffice 7.4"
	return bytes.ReplaceAll(settings, []byte("@VERSION@"), []byte(version))
}

// setupRuns is how many times soffice.bin is started on a new profile. The first time, it
// sets up the profile and exits.
const setupRuns = 2

// Convert implements domain.Engine.
func (e *Engine) Convert(ctx context.Context, path string, t filetype.Type, profile conversionapi.Profile) (string, error) {
	if err := e.CopyProfile(ctx, filepath.Join(filepath.Dir(path), "profile")); err != nil {
		return "", err
	}
	return e.convert(ctx, path, t, profile)
}

// CopyProfile copies the prepared profile into the new folder dir.
func (e *Engine) CopyProfile(ctx context.Context, dir string) error {
	template, err := e.profile(ctx)
	if err != nil {
		return err
	}
	if err := os.CopyFS(dir, os.DirFS(template)); err != nil {
		return fmt.Errorf("copy the profile: %w", err)
	}
	return nil
}

// convert converts the file at path, using the profile in the same folder. LibreOffice colors
// tracked changes by the number of their author, and it numbers authors for as long as it
// lives. Since a warm LibreOffice has numbered one already, for its samples, this one opens a
// page first, so that the same document always gets the same colors.
func (e *Engine) convert(ctx context.Context, path string, t filetype.Type, profile conversionapi.Profile) (string, error) {
	dir := filepath.Dir(path)
	args := []string{"--convert-to", "pdf:" + modules[t].export + ":" + ExportOptions(profile), "--outdir", dir}
	named, err := filter(path, t)
	if err != nil {
		return "", err
	}
	if named != "" {
		args = append(args, named)
	}
	if modules[t] == writer && t != filetype.Text {
		first := path + ".txt" // its PDF has another name than that of the document
		if err := os.WriteFile(first, []byte("A page.\n"), 0o600); err != nil {
			return "", err
		}
		args = append(args, first)
	}
	code, output, err := e.run(ctx, dir, append(args, DocumentURL(filepath.Base(path)))...)
	switch {
	case ctx.Err() != nil:
		return "", fmt.Errorf("LibreOffice was stopped: %w", ctx.Err())
	case err != nil:
		return "", err
	case code == sandbox.ExitRefused:
		return "", fmt.Errorf("LibreOffice was not started: %s", output)
	}
	pdf := strings.TrimSuffix(path, filepath.Ext(path)) + ".pdf"
	if err := Finish(pdf); err != nil {
		if free, freeErr := scratch.Free(dir); freeErr == nil && free < minFree {
			return "", fmt.Errorf("scratch is full: %s: %w", dir, err) // not the document's fault
		}
		// soffice.bin exits with 0 if it could not load a file. A signal ends it
		// if the file made it crash or exceed a limit.
		return "", fmt.Errorf("%w: exit code %d: %w: %s", domain.ErrUnconvertible, code, err, output)
	}
	return pdf, nil
}

// minFree is the number of free bytes below which scratch counts as full.
const minFree = 1 << 20
