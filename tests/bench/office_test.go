package bench

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rectohq/recto/libs/testkit/corpus"
	"github.com/rectohq/recto/libs/testkit/patience"
	"github.com/rectohq/recto/tests/harness"
)

// officeTimeout is the time that the stock command has for a document. Recto gives up
// after 50 seconds by itself.
const officeTimeout = 60 * time.Second

// accepted lists the files that only the stock command converts, with the reasons why
// Recto refuses them.
const accepted = "office.md"

// converted is what one way to convert makes of a file: a PDF, or the problem if there is
// none.
type converted struct {
	pdf     string
	pages   int
	problem string
}

func (c converted) String() string {
	if c.problem != "" {
		return c.problem
	}
	return fmt.Sprint(c.pages)
}

// officeRow is a row of the table that TestBenchOffice prints.
type officeRow struct {
	file         string
	stock, recto converted
	likeness
}

// both reports whether both ways convert the file.
func (r officeRow) both() bool { return r.stock.problem == "" && r.recto.problem == "" }

func (r officeRow) String() string {
	share, worst := "", ""
	if r.both() {
		share = fmt.Sprintf("%d of %d", r.same, r.compared)
	}
	if r.same < r.compared {
		worst = fmt.Sprintf("%.1f %%", 100*r.worst)
	}
	return fmt.Sprintf("| `%s` | %s | %s | %s | %s |", r.file, r.stock, r.recto, share, worst)
}

// TestBenchOffice converts odd, damaged and ordinary Word documents through the API and
// with the stock command, and prints which of them each converts, and whether the pages
// look the same. It fails if Recto refuses a document that the stock command converts,
// unless office.md accepts that with a reason.
func TestBenchOffice(t *testing.T) {
	corpus.Program(t, "pdftoppm")
	files := officeFiles(t)
	s := start(t)
	work := t.TempDir()
	var rows []officeRow
	table := "\n| file | stock LibreOffice | Recto | pages that look the same | most pixels that differ |\n| --- | --- | --- | --- | --- |\n"
	for i, path := range files {
		folder := filepath.Join(work, fmt.Sprintf("%03d", i))
		row := convertBoth(t, s, path, folder)
		if row.both() {
			row.likeness = compareFiles(t, row.stock.pdf, row.recto.pdf)
		}
		keep(t, folder, row)
		table += row.String() + "\n"
		rows = append(rows, row)
	}
	t.Log(table)
	printTotals(t, rows)
	failRefusals(t, rows)
}

// officeFiles returns the documents of the folders office and docx-templates.
func officeFiles(t *testing.T) []string {
	t.Helper()
	var files []string
	for _, pattern := range []string{filepath.Join(corpus.Folder(t, "office"), "*.do[ct]?"), filepath.Join(corpus.Folder(t, "docx-templates"), "*.docx")} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("no documents: %v", err)
		}
		files = append(files, found...)
	}
	return files
}

// convertBoth converts a file in both ways and leaves the PDFs in a folder. The row has no
// likeness yet.
func convertBoth(t *testing.T, s *harness.System, path, folder string) officeRow {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	in := filepath.Join(folder, "in", filepath.Base(path)) // LibreOffice leaves lock files beside documents
	if err := os.MkdirAll(filepath.Dir(in), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(in, content, 0o600); err != nil {
		t.Fatal(err)
	}
	row := officeRow{file: filepath.Join(filepath.Base(filepath.Dir(path)), filepath.Base(path))}
	row.stock = convertStock(t, in, folder)
	row.recto = convertInline(t, s, filepath.Base(path), content, filepath.Join(folder, "recto.pdf"))
	return row
}

// convertStock converts a file with the stock command. Each file has a profile of its own,
// so that one that ends in a crash cannot affect the next.
func convertStock(t *testing.T, path, folder string) converted {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience.Scale(officeTimeout))
	defer cancel()
	profile := filepath.Join(folder, "profile")
	defer func() { _ = os.RemoveAll(profile) }()
	cmd := exec.CommandContext(ctx, "soffice", "--headless", "-env:UserInstallation=file://"+profile, "--convert-to", "pdf", "--outdir", folder, path)
	// The command starts others, which must end with it.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	// The command succeeds even if it converts nothing, so only the PDF counts.
	if err := cmd.Run(); errors.Is(err, exec.ErrNotFound) {
		t.Fatal(err)
	}
	pdf := filepath.Join(folder, strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))+".pdf")
	switch {
	case ctx.Err() != nil:
		return converted{problem: "failed: timeout"}
	case isThere(pdf) != nil:
		return converted{problem: "failed"}
	}
	return converted{pdf: pdf, pages: pdfPages(t, pdf)}
}

// convertInline converts a file through the API, without storing it there, and writes the
// PDF to a file.
func convertInline(t *testing.T, s *harness.System, name string, content []byte, pdf string) converted {
	t.Helper()
	answer := s.Client(t).Post("/documents/convert", map[string]any{"filename": name, "file_base64": base64.StdEncoding.EncodeToString(content)})
	if answer.Status == http.StatusBadRequest {
		return converted{problem: answer.Fails(http.StatusBadRequest, 3001).Detail}
	}
	if answer.Status != http.StatusOK {
		return converted{problem: fmt.Sprintf("status %d", answer.Status)}
	}
	var body struct {
		File []byte `json:"file_base64"`
	}
	answer.OK(&body)
	if err := os.WriteFile(pdf, body.File, 0o600); err != nil {
		t.Fatal(err)
	}
	return converted{pdf: pdf, pages: pdfPages(t, pdf)}
}

var pagesOfPDF = regexp.MustCompile(`(?m)^Pages: +([0-9]+)$`)

// pdfPages returns the number of pages of a PDF.
func pdfPages(t *testing.T, pdf string) (pages int) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "pdfinfo", pdf).Output()
	found := pagesOfPDF.FindSubmatch(out)
	if err != nil || found == nil {
		t.Fatalf("pdfinfo %s: %v: %s", pdf, err, out)
	}
	if _, err := fmt.Sscan(string(found[1]), &pages); err != nil {
		t.Fatal(err)
	}
	return pages
}

// keep moves the PDFs of a row to the folder that RECTO_BENCH_OUT names, to be looked at
// if their pages differ. Otherwise it removes them.
func keep(t *testing.T, folder string, row officeRow) {
	t.Helper()
	out := os.Getenv("RECTO_BENCH_OUT")
	if out != "" && row.same < row.compared {
		to := filepath.Join(out, filepath.Base(row.file))
		if err := os.MkdirAll(to, 0o700); err != nil {
			t.Fatal(err)
		}
		for name, pdf := range map[string]string{"stock.pdf": row.stock.pdf, "recto.pdf": row.recto.pdf} {
			content, err := os.ReadFile(pdf)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(to, name), content, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := os.RemoveAll(folder); err != nil {
		t.Fatal(err)
	}
}

// printTotals prints how many files each way converts, and how many pages look the same.
func printTotals(t *testing.T, rows []officeRow) {
	t.Helper()
	var both, onlyStock, onlyRecto, none int
	var all likeness
	for _, r := range rows {
		switch {
		case r.both():
			both++
		case r.stock.problem == "":
			onlyStock++
		case r.recto.problem == "":
			onlyRecto++
		default:
			none++
		}
		all.compared += r.compared
		all.same += r.same
	}
	t.Logf("%d files: both convert %d, only stock LibreOffice %d, only Recto %d, none %d", len(rows), both, onlyStock, onlyRecto, none)
	t.Logf("%d pages compared, %d of them look the same (%.1f %%)", all.compared, all.same, 100*float64(all.same)/float64(max(1, all.compared)))
}

// failRefusals fails the test for every file that only the stock command converts and
// that has no reason in office.md.
func failRefusals(t *testing.T, rows []officeRow) {
	t.Helper()
	reasons := acceptedRefusals(t)
	for _, r := range rows {
		if r.stock.problem == "" && r.recto.problem != "" && !reasons[r.file] {
			t.Errorf("stock LibreOffice converts %s, but Recto does not (%s), and %s gives no reason", r.file, r.recto.problem, accepted)
		}
	}
}

var acceptedRow = regexp.MustCompile("(?m)^\\| `([^`]+)` \\| *[^| ][^|]* \\|$")

// acceptedRefusals returns the files in the table of refusals of office.md. Its rows have
// two cells, those of the table of results have more.
func acceptedRefusals(t *testing.T) map[string]bool {
	t.Helper()
	page, err := os.ReadFile(accepted)
	if err != nil {
		t.Fatal(err)
	}
	_, section, ok := strings.Cut(string(page), "\n## Refused by Recto only\n")
	if !ok {
		t.Fatalf("%s lacks the section of refusals", accepted)
	}
	section, _, _ = strings.Cut(section, "\n## ")
	files := map[string]bool{}
	for _, row := range acceptedRow.FindAllStringSubmatch(section, -1) {
		files[row[1]] = true
	}
	return files
}
