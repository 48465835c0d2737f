package conversion

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/rectohq/recto/libs/formats/filetype"
	"github.com/rectohq/recto/services/conversion/internal/domain"
)

// failing is an engine whose conversions return its error.
type failing struct{ err error }

func (f failing) Convert(context.Context, string, filetype.Type) (string, error) {
	return "x.pdf", f.err
}
func (f failing) Version() string { return "1" }

func TestMeasured(t *testing.T) {
	r := prometheus.NewRegistry()
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		ctx context.Context
		err error
	}{
		{t.Context(), nil}, {t.Context(), domain.ErrUnconvertible}, {t.Context(), errors.New("a full disk")}, {gone, context.Canceled},
	} {
		pdf, err := newMeasured(failing{c.err}, r).Convert(c.ctx, "x.docx", filetype.DOCX)
		if pdf != "x.pdf" || !errors.Is(err, c.err) {
			t.Errorf("got %q, %v, want %v", pdf, err, c.err)
		}
	}
	families, err := r.Gather()
	if err != nil || len(families) != 1 || len(families[0].GetMetric()) != 4 {
		t.Fatalf("got %v, %v", families, err)
	}
	for _, outcome := range []string{"converted", "refused", "failed", "canceled"} {
		if !strings.Contains(families[0].String(), outcome) {
			t.Errorf("there is no outcome %q in %s", outcome, families[0])
		}
	}
}
