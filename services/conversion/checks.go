package conversion

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rectohq/recto/libs/contract/conversionapi"
	"github.com/rectohq/recto/libs/formats/filetype"
	"github.com/rectohq/recto/libs/formats/pdf"
	"github.com/rectohq/recto/libs/runner"
	"github.com/rectohq/recto/libs/scratch"
	"github.com/rectohq/recto/services/conversion/internal/domain"
)

// wantedFonts lists the fonts that office documents name most often. For each, it
// has a file of the free font with the same character widths, which keeps line
// breaks in place, and the Debian package of that font.
var wantedFonts = []struct{ names, file, pkg string }{
	{"Arial, Times New Roman, Courier New", "LiberationSans-Regular.ttf", "fonts-liberation"},
	{"Calibri", "Carlito-Regular.ttf", "fonts-crosextra-carlito"},
	{"Cambria", "Caladea-Regular.ttf", "fonts-crosextra-caladea"},
	{"Symbol characters", "DejaVuSans.ttf", "fonts-dejavu-core"},
}

// checkFonts looks for metric-compatible replacements of the fonts that Word
// documents name. Without them documents are still converted, but line and page
// breaks differ.
func checkFonts(dirs ...string) (string, error) {
	files := map[string]bool{}
	for _, dir := range dirs {
		_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				files[d.Name()] = true
			}
			return nil // fonts in an unreadable folder are of no use
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
			Err:      fmt.Errorf("no metric-compatible font for %s is installed: lines break in other places than in Word", strings.Join(missing, ", ")),
			Fix:      "apt-get install -y --no-install-recommends " + strings.Join(slices.Compact(packages), " "),
			Optional: true,
		}
	}
	return fmt.Sprintf("%d font files, including the metric-compatible ones", len(files)), nil
}

// minScratch is the space for two conversions of the largest files, in bytes.
const minScratch = 512 << 20

// checkScratch checks that the scratch folder is a tmpfs and has enough room.
func checkScratch(dir string) (string, error) {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		err = cmp.Or(err, fmt.Errorf("%s is not a folder", dir))
		return "", &runner.Advice{Err: err, Fix: "Set CONVERSION_SCRATCH to a folder on a tmpfs."}
	}
	inMemory, err := scratch.IsMemory(dir)
	if err != nil {
		return "", err
	}
	if !inMemory {
		return "", &runner.Advice{
			Err: fmt.Errorf("%s is not a tmpfs: inline files are written to disk while they are converted", dir),
			Fix: "Mount a tmpfs and set CONVERSION_SCRATCH to it.", Optional: true,
		}
	}
	free, err := scratch.Free(dir)
	if err != nil {
		return "", err
	}
	if free < minScratch {
		return "", &runner.Advice{
			Err: fmt.Errorf("%s has %d MiB left; large documents need %d MiB", dir, free>>20, minScratch>>20),
			Fix: "Make it larger; for a container, use docker run --shm-size=1g.", Optional: true,
		}
	}
	return fmt.Sprintf("%s, %d MiB free", dir, free>>20), nil
}

// missing stands in for an engine that is not installed.
type missing struct{ err error }

// Convert implements domain.Engine. It always fails.
func (m missing) Convert(context.Context, string, filetype.Type, conversionapi.Profile) (string, error) {
	return "", fmt.Errorf("%w: %w", domain.ErrNoEngine, m.err)
}

// Missing implements domain.Engine. Nothing is known to be missing besides the engine, which
// Convert reports.
func (missing) Missing(filetype.Type) string { return "" }

func (missing) Version() string { return "missing" }

// checkPDF reads a PDF.
func checkPDF(ctx context.Context, cfg pdf.Config) (string, error) {
	took, err := cfg.Try(ctx)
	if err != nil {
		return "", &runner.Advice{Err: err, Fix: "Check CONVERSION_PDF_MEMORY and CONVERSION_PDF_CACHE, and the limits of this process: ulimit -a"}
	}
	return fmt.Sprintf("PDFium opens a file; cold start took %d ms", took.Milliseconds()), nil
}
