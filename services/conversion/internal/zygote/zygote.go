// Package zygote converts documents in copies of a warm LibreOffice.
//
// Starting LibreOffice takes several times as long as converting a short document. So a
// small program, recto-zygote, starts LibreOffice once, converts a few samples to fill its
// caches, and then forks a copy of itself for each document. The copy converts the
// document and exits. Documents share nothing but the memory from before the first of
// them, and the state that one leaves behind ends with its copy.
//
// Each zygote runs one copy at a time, in the sandbox and in a folder of its own. A copy
// restricts itself further before it opens its document: it can write only to the work
// folder and the temporary folder, which are emptied after each document, and it has no
// right to fork. Without Landlock, copies could change the profile that later copies read,
// so this package requires it.
//
// Engine converts with the zygotes of a Pool, and with the cold engine, which starts
// LibreOffice for each document, when no zygote is ready or a copy fails.
package zygote

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/rectohq/recto/libs/contract/conversionapi"
	"github.com/rectohq/recto/libs/formats/filetype"
	"github.com/rectohq/recto/services/conversion/internal/domain"
	"github.com/rectohq/recto/services/conversion/internal/libreoffice"
)

// Config is the configuration of zygotes.
type Config struct {
	Program string `env:"CONVERSION_ZYGOTE" desc:"path of recto-zygote, which converts documents in copies of a warm LibreOffice. If not set, it is looked for beside this program, then in /usr/lib/recto. off starts LibreOffice for each document"`
}

// off is the value of Config.Program that turns zygotes off.
const off = "off"

// Off reports whether zygotes are turned off.
func (c Config) Off() bool { return c.Program == off }

// installed is where images and packages have the program.
const installed = "/usr/lib/recto/recto-zygote"

// ErrUnavailable means that there can be no zygotes on this machine.
var ErrUnavailable = errors.New("warm conversions are not available")

// find returns the path of recto-zygote.
func (c Config) find() (string, error) {
	candidates := []string{c.Program}
	switch c.Program {
	case off:
		return "", fmt.Errorf("%w: CONVERSION_ZYGOTE is off", ErrUnavailable)
	case "":
		candidates = []string{installed}
		if self, err := os.Executable(); err == nil {
			candidates = []string{filepath.Join(filepath.Dir(self), "recto-zygote"), installed}
		}
	}
	for _, path := range candidates {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return path, nil
		}
	}
	return "", fmt.Errorf("%w: there is no program %s", ErrUnavailable, candidates)
}

// Engine is a domain.Engine that converts with zygotes, and with a cold engine where they
// fail.
type Engine struct {
	cold *libreoffice.Engine
	pool *Pool
	log  *slog.Logger
}

var _ domain.Engine = (*Engine)(nil)

// NewEngine returns an Engine. The caller runs the pool.
func NewEngine(cold *libreoffice.Engine, pool *Pool, log *slog.Logger) *Engine {
	return &Engine{cold: cold, pool: pool, log: log}
}

// Version implements domain.Engine. Zygotes and the cold engine have the same version,
// because a document may be converted by either.
func (e *Engine) Version() string { return e.cold.Version() }

// Missing implements domain.Engine.
func (e *Engine) Missing(t filetype.Type) string { return e.cold.Missing(t) }

// Convert implements domain.Engine. If a copy crashes or refuses the document, the cold
// engine has the last word. A hang is not repeated: ctx bounds both attempts.
func (e *Engine) Convert(ctx context.Context, path string, t filetype.Type, profile conversionapi.Profile) (string, error) {
	var p *process
	if convertible(t, profile) {
		p = e.pool.take()
	}
	if p == nil {
		e.pool.counts.Cold.Add(1)
		return e.cold.Convert(ctx, path, t, profile)
	}
	e.pool.counts.Warm.Add(1)
	pdf, err := p.convert(ctx, path, t, profile)
	e.pool.release(p)
	switch {
	case err == nil:
		return pdf, nil
	case ctx.Err() != nil:
		return "", fmt.Errorf("LibreOffice was stopped: %w", ctx.Err())
	}
	e.log.InfoContext(ctx, "a document is converted again by a new process", "reason", err)
	e.pool.counts.Cold.Add(1)
	return e.cold.Convert(ctx, path, t, profile)
}

// convertible reports whether a copy converts such a document, to the same bytes as a new
// process.
func convertible(t filetype.Type, profile conversionapi.Profile) bool {
	switch t {
	case filetype.CSV: // LibreOfficeKit asks for the separator in a dialog, whatever the options say
		return false
	case filetype.PPTX, filetype.PPT, filetype.ODP, filetype.ODG, filetype.SVG: // it tags slides differently
		return profile == ""
	}
	return true
}
