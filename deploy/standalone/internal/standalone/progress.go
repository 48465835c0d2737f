package standalone

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/rectohq/recto/deploy/standalone/internal/datadir"
	"github.com/rectohq/recto/libs/runner"
)

// progress tells the person at the terminal what starts and how long it took.
type progress struct {
	w     io.Writer
	begin time.Time
}

// newProgress returns a progress that is shown on w, and shows the version.
func newProgress(w io.Writer) *progress {
	p := &progress{w: w, begin: time.Now()}
	p.line("Recto %s", runner.Version)
	return p
}

func (p *progress) line(format string, args ...any) { fmt.Fprintf(p.w, format+"\n", args...) }

// step names what is done before it is done, so that what hangs has a name, and
// then how long it took.
func (p *progress) step(name, what string, do func() error) error {
	fmt.Fprintf(p.w, "  %-13s", name)
	begin := time.Now()
	err := do()
	if err != nil {
		p.line("failed")
		return err
	}
	p.line("%5d ms  %s", time.Since(begin).Milliseconds(), what)
	return nil
}

// ready says that Recto can be used, and how.
func (p *progress) ready(f Flags, dir datadir.Dir, c datadir.Credentials, made bool) {
	p.line("Ready after %d ms. The data is in %s\n", time.Since(p.begin).Milliseconds(), dir.Path())
	p.line("  API           %s/v2", f.PublicURL)
	p.line("  reference     %s/docs", f.PublicURL)
	if c.APIKey == "" {
		p.line("\nThere is no credentials.json. A new key is made with:  recto keys create --data %s", quote(dir.Path()))
		return
	}
	p.line("  organization  %s", c.OrganizationID)
	p.line("  user          %s  %s", c.User.ID, c.User.Email)
	if made {
		p.line("  API key       %s", c.APIKey)
		p.line("\nThe key is shown this once. It is also in %s", dir.Credentials())
	} else {
		p.line("  API key       in %s", dir.Credentials())
	}
	curl := "curl -K " + quote(dir.CurlConfig())
	p.line("\nTo copy:")
	p.line("  %s %s/me", curl, c.BaseURL)
	p.line(`  %s %s/documents -d '{"name":"Agreement","files":[{"name":"agreement.docx","type":"application/vnd.openxmlformats-officedocument.wordprocessingml.document"}]}'`, curl, c.BaseURL)
	p.line("  curl --cacert %s -T agreement.docx '<upload_url of the answer>'", quote(c.CAFile))
	p.line("  %s -X POST %s/documents/<id of the answer>/convert", curl, c.BaseURL)
}

// quote makes a path one word for a shell.
func quote(path string) string {
	for _, r := range path {
		if !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '/' || r == '.' || r == '-' || r == '_') {
			return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
		}
	}
	return path
}
