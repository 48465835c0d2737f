package conversion

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/rectohq/recto/libs/formats/filetype"
	"github.com/rectohq/recto/libs/formats/pdf"
	"github.com/rectohq/recto/libs/runner"
	"github.com/rectohq/recto/libs/scratch"
	"github.com/rectohq/recto/services/conversion/internal/domain"
)

// wantedFonts maps the fonts that office documents name most to a file of the
// free font that has the same widths, so that lines break where they did, and
// its Debian package.
var wantedFonts = []struct{ names, file, pkg string }{
	{"Arial, Times New Roman, Courier New", "LiberationSans-Regular.ttf", "fonts-liberation"},
	{"Calibri", "Carlito-Regular.ttf", "fonts-crosextra-carlito"},
	{"Cambria", "Caladea-Regular.ttf", "fonts-crosextra-caladea"},
	{"Symbol characters", "DejaVuSans.ttf", "fonts-dejavu-core"},
}

// checkFonts looks for the fonts that have the widths of those that Word
// documents name. Without them a document is converted, but its lines and pages
// break elsewhere.
func checkFonts(dirs ...string) (string, error) {
	files := map[string]bool{}
	for _, dir := range dirs {
		_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				files[d.Name()] = true
			}
			return nil // a folder that cannot be read has no fonts for us
		})
	}
	var missing, packages []string
	for _, f := range wantedFonts {
		if !files[f.file] {
			missing, packages = append(missing, f.names), append(packages, f.pkg)
		}
	}
	if len(missing) > 0 {
		return "", &runner.Advice{
			Err:      fmt.Errorf("there is no font with the widths of %s: lines break elsewhere than in Word", strings.Join(missing, ", ")),
			Fix:      "apt-get install -y --no-install-recommends " + strings.Join(slices.Compact(packages), " "),
			Optional: true,
		}
	}
	return fmt.Sprintf("%d files, the metric-compatible ones among them", len(files)), nil
}

// minScratch is what two conversions of the largest content take.
const minScratch = 512 << 20

// checkScratch sees to it that the scratch folder is in memory and has room.
func checkScratch(dir string) (string, error) {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		err = cmp.Or(err, fmt.Errorf("%s is not a folder", dir))
		return "", &runner.Advice{Err: err, Fix: "Set CONVERSION_SCRATCH to a folder that exists, on a tmpfs."}
	}
	inMemory, err := scratch.IsMemory(dir)
	if err != nil {
		return "", err
	}
	if !inMemory {
		return "", &runner.Advice{
			Err: fmt.Errorf("%s is not a tmpfs: inline files reach a disk while they are converted", dir),
			Fix: "Mount a tmpfs and set CONVERSION_SCRATCH to it.", Optional: true,
		}
	}
	free, err := scratch.Free(dir)
	if err != nil {
		return "", err
	}
	if free < minScratch {
		return "", &runner.Advice{
			Err: fmt.Errorf("%s has %d MiB left, large documents need %d", dir, free>>20, minScratch>>20),
			Fix: "Make it larger; for a container, docker run --shm-size=1g.", Optional: true,
		}
	}
	return fmt.Sprintf("%s, %d MiB free", dir, free>>20), nil
}

// missing is the engine where there is none.
type missing struct{ err error }

// Convert implements domain.Engine: it refuses.
func (m missing) Convert(context.Context, string, filetype.Type) (string, error) {
	return "", fmt.Errorf("%w: %w", domain.ErrNoEngine, m.err)
}

func (missing) Version() string { return "missing" }

// checkPDF opens a PDF, which is the only proof that counts: its process may not be
// allowed the memory, or to run in the sandbox.
func checkPDF(ctx context.Context, cfg pdf.ProcessConfig) (string, error) {
	advice := func(err error) error {
		return &runner.Advice{Err: err, Fix: "Check CONVERSION_PDF_MEMORY and CONVERSION_PDF_CACHE, and the limits of this process: ulimit -a"}
	}
	reader, err := pdf.NewReader(pdf.Config{ProcessConfig: cfg}, slog.New(slog.DiscardHandler))
	if err != nil {
		return "", advice(err)
	}
	begin := time.Now()
	_, err = reader.CountPages(ctx, strings.NewReader(onePage), int64(len(onePage)))
	took := time.Since(begin)
	if err = errors.Join(err, reader.Close()); err != nil {
		return "", advice(err)
	}
	return fmt.Sprintf("PDFium opens a file, in %d ms from nothing", took.Milliseconds()), nil
}

// onePage is a PDF of one empty page.
const onePage = `%PDF-1.4
1 0 obj <</Type /Catalog /Pages 2 0 R>> endobj
2 0 obj <</Type /Pages /Kids [3 0 R] /Count 1>> endobj
3 0 obj <</Type /Page /Parent 2 0 R /MediaBox [0 0 100 100]>> endobj
trailer <</Root 1 0 R>>
`
