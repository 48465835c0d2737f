package conversion

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/rectohq/recto/libs/contract/conversionapi"
	"github.com/rectohq/recto/libs/formats/filetype"
	"github.com/rectohq/recto/services/conversion/internal/domain"
)

// failing is an engine whose conversions return its error, or a PDF of one page.
type failing struct{ err error }

func (f failing) Convert(_ context.Context, path string, _ filetype.Type, _ conversionapi.Profile) (string, error) {
	return path, f.err
}

// Missing implements domain.Engine.
func (failing) Missing(filetype.Type) string { return "" }

func (f failing) Version() string { return "1" }

func TestMeasured(t *testing.T) {
	r := prometheus.NewRegistry()
	const objects = "%PDF-1.7\n1 0 obj\n<</Pages 2 0 R>>\nendobj\n2 0 obj\n<</Kids[ 3 0 R ]/Count 1>>\nendobj\n3 0 obj\n<</Type/Page/MediaBox[0 0 9 9]>>\nendobj\n"
	table := "xref\n0 4\n0000000000 65535 f \n"
	for _, o := range []string{"1 0 obj", "2 0 obj", "3 0 obj"} {
		table += fmt.Sprintf("%010d 00000 n \n", strings.Index(objects, o))
	}
	path := filepath.Join(t.TempDir(), "x.pdf")
	if err := os.WriteFile(path, fmt.Appendf(nil, "%s%strailer\n<</Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", objects, table, len(objects)), 0o600); err != nil {
		t.Fatal(err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		ctx context.Context
		err error
	}{
		{t.Context(), nil}, {t.Context(), domain.ErrUnconvertible}, {t.Context(), errors.New("a full disk")}, {gone, context.Canceled},
	} {
		pdf, err := newMeasured(failing{c.err}, r).Convert(c.ctx, path, filetype.DOCX, "")
		if pdf != path || !errors.Is(err, c.err) {
			t.Errorf("got %q, %v, want %v", pdf, err, c.err)
		}
	}
	families, err := r.Gather()
	if err != nil || len(families) != 2 || len(families[0].GetMetric()) != 4 || families[1].GetMetric()[0].GetCounter().GetValue() != 1 {
		t.Fatalf("got %v, %v", families, err)
	}
	for _, outcome := range []string{"converted", "refused", "failed", "canceled"} {
		if !strings.Contains(families[0].String(), outcome) {
			t.Errorf("there is no outcome %q in %s", outcome, families[0])
		}
	}
}
