package source_test

import (
	"os"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/conversionapi"
	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/services/insight/internal/domain"
	"github.com/rectohq/recto/services/insight/internal/source"
	"github.com/rectohq/recto/services/insight/internal/source/sourcetest"
)

func TestMain(m *testing.M) { os.Exit(sourcetest.Main(m)) }

// read reads valid material, and closes the reading when the test ends.
func read(t *testing.T, s *sourcetest.System, m domain.Material) *source.Reading {
	t.Helper()
	var stages []string
	r, err := source.NewReader(s.Deps).Read(t.Context(), m, source.Listener{
		Reached: func(stage string) { stages = append(stages, stage) },
		Opened:  func(*source.Reading) { stages = append(stages, "opened") },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	if got := strings.Join(stages, " "); got != "fetched opened read" {
		t.Errorf("the reading has reached %q", got)
	}
	return r
}

// refused checks that material is refused with the code and the texts, and that none of
// its files remains open.
func refused(t *testing.T, s *sourcetest.System, m domain.Material, code problem.Code, texts ...string) {
	t.Helper()
	_, err := source.NewReader(s.Deps).Read(t.Context(), m, source.Listener{Reached: func(string) {}, Opened: func(*source.Reading) {}})
	if !problem.Is(err, code) {
		t.Fatalf("got %v", err)
	}
	for _, text := range texts {
		if detail := problem.Of(err).Detail; !strings.Contains(detail, text) {
			t.Errorf("the detail is %q, want %q in it", detail, text)
		}
	}
	if n := open(t, s.Scratch); n > 0 {
		t.Errorf("%d files remain open", n)
	}
}

// open counts the open files of this process in a folder.
func open(t *testing.T, dir string) (n int) {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if at, err := os.Readlink("/proc/self/fd/" + e.Name()); err == nil && strings.HasPrefix(at, dir+"/") {
			n++
		}
	}
	return n
}

// letter is a page with some text.
func letter() sourcetest.PDF {
	return sourcetest.PDF{Title: "Its title", Pages: [][]string{{"A letter.", "Name:"}}}
}

// The request and response of the conversion service.
type (
	principal = contract.Principal
	request   = conversionapi.StoredRequest
	response  = conversionapi.StoredResponse
)
