package standalone

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/rectohq/recto/deploy/standalone/internal/datadir"
	"github.com/rectohq/recto/gateway"
	"github.com/rectohq/recto/libs/runner"
)

// progress shows the person at the terminal what starts and how long it took.
type progress struct {
	w     io.Writer
	begin time.Time

	mu   sync.Mutex
	open string // the step whose line is not complete yet
}

// newProgress returns a progress that writes to w, and writes the version.
func newProgress(w io.Writer) *progress {
	p := &progress{w: w, begin: time.Now()}
	p.line("Recto %s", runner.Version)
	return p
}

func (p *progress) line(format string, args ...any) { fmt.Fprintf(p.w, format+"\n", args...) }

// step prints the name of a step before it runs, so that a hanging step can be
// identified, and its duration afterwards.
func (p *progress) step(name, what string, do func() error) error {
	p.setOpen(name)
	begin := time.Now()
	err := do()
	p.setOpen("")
	if err != nil {
		p.line("failed")
		return err
	}
	p.line("%5d ms  %s", time.Since(begin).Milliseconds(), what)
	return nil
}

// setOpen begins the line of a step, or notes that the line is about to be completed.
func (p *progress) setOpen(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.open = name; name != "" {
		p.name(name)
	}
}

func (p *progress) name(step string) { fmt.Fprintf(p.w, "  %-13s", step) }

// beside returns a writer of log lines to w. It puts each on its own line, even in the
// middle of a step.
func (p *progress) beside(w io.Writer) io.Writer { return logWriter{p, w} }

type logWriter struct {
	p *progress
	w io.Writer
}

func (l logWriter) Write(line []byte) (int, error) {
	l.p.mu.Lock()
	defer l.p.mu.Unlock()
	if l.p.open != "" {
		fmt.Fprintln(l.p.w)
		defer l.p.name(l.p.open)
	}
	return l.w.Write(line)
}

// lacking lists the features that err disables.
func (p *progress) lacking(err error) {
	if err == nil {
		return
	}
	p.line("\nWARNING: %v", err)
	p.line("  Word, OpenDocument, RTF and text files cannot be converted to PDF (503, code 5003), and insights about them time out (504, code 5004).")
	p.line("  PDF files, the fields of Word documents, and insights about text sent as doc_text still work.")
	if advice := (*runner.Advice)(nil); errors.As(err, &advice) {
		p.line("  To fix this, stop Recto, run this command, and start Recto again:  %s", advice.Fix)
	}
}

// sample is a document that needs no file.
const sample = "This agreement is made between Ann Ash and Tom Reed."

// ready prints where Recto is and what to try first. The link signs in to the console; it
// is "" without a valid API key in the credentials.
func (p *progress) ready(f Flags, dir datadir.Dir, c datadir.Credentials, link string, made bool) {
	p.line("Ready in %d ms. The data folder is %s\n", time.Since(p.begin).Milliseconds(), dir.Path())
	p.line("  API           %s/v2", f.PublicURL)
	p.line("  API reference %s/docs", f.PublicURL)
	p.line("  console       %s", cmp.Or(link, gateway.ConsoleURL(f.PublicURL)))
	if link != "" {
		p.line("                (signs in once, within 10 minutes; recto open makes a new link)")
	}
	if c.APIKey == "" {
		p.line("\nThere is no credentials.json. Create an API key with:  recto keys create --data %s", quote(dir.Path()))
		return
	}
	p.line("  organization  %s", c.OrganizationID)
	p.line("  user          %s  %s", c.User.ID, c.User.Email)
	if made {
		p.line("  API key       %s", c.APIKey)
		p.line("\nThe API key is not shown again. It is saved in %s", dir.Credentials())
	} else {
		p.line("  API key       in %s", dir.Credentials())
	}
	curl := "curl -K " + quote(dir.CurlConfig())
	p.line("\nTry it. Replace DOCUMENT_ID with the id from the second response.\n")
	p.line("  %s %s/me", curl, c.BaseURL)
	p.line(`  %s %s/documents -F 'document={"name":"Agreement"};type=application/json' -F 'files=%s;filename=agreement.txt;type=text/plain'`, curl, c.BaseURL, sample)
	p.line(`  %s %s/insights -d '{"doc_text":"%s","insights":[{"type":"document_parties"}]}'`, curl, c.BaseURL, sample)
	p.line("  %s -X POST %s/documents/DOCUMENT_ID/convert", curl, c.BaseURL)
}

// quote quotes a path for a shell if it needs quoting.
func quote(path string) string {
	for _, r := range path {
		if !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '/' || r == '.' || r == '-' || r == '_') {
			return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
		}
	}
	return path
}
