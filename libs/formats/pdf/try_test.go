package pdf_test

import (
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/formats/pdf"
	"github.com/rectohq/recto/libs/testkit/pdftest"
)

func TestTry(t *testing.T) {
	if took, err := pdftest.Config().Try(t.Context()); err != nil || took <= 0 {
		t.Errorf("got %v, %v", took, err)
	}
	for name, change := range map[string]func(*pdf.Config){
		"invalid configuration": func(c *pdf.Config) { c.Processes = 0 },
		"takes longer than":     func(c *pdf.Config) { c.Timeout = 1 },
	} {
		cfg := pdftest.Config()
		change(&cfg)
		if _, err := cfg.Try(t.Context()); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("want an error that says %s, got %v", name, err)
		}
	}
}
