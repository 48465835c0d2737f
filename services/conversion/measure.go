package conversion

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/rectohq/recto/libs/contract/conversionapi"
	"github.com/rectohq/recto/libs/formats/filetype"
	"github.com/rectohq/recto/libs/formats/pdf/plain"
	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/libs/telemetry"
	"github.com/rectohq/recto/services/conversion/internal/domain"
	"github.com/rectohq/recto/services/conversion/internal/zygote"
)

// measured is an engine whose conversions are measured and traced.
type measured struct {
	domain.Engine
	seconds *prometheus.HistogramVec
	pages   prometheus.Counter
}

func newMeasured(e domain.Engine, r prometheus.Registerer) *measured {
	return &measured{e, telemetry.Register(r, prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "recto_conversion_duration_seconds", Help: "Duration of a conversion, by type of file and outcome: converted, refused, canceled or failed.",
		Buckets: []float64{.025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60},
	}, []string{"type", "outcome"})), telemetry.Register(r, prometheus.NewCounter(prometheus.CounterOpts{
		Name: "recto_conversion_pages_total", Help: "Pages of converted documents.",
	}))}
}

// Convert implements domain.Engine.
func (m *measured) Convert(ctx context.Context, path string, t filetype.Type, profile conversionapi.Profile) (string, error) {
	begin := time.Now()
	ctx, span := telemetry.Child(ctx, "convert document", trace.SpanKindInternal, attribute.String("recto.file.type", string(t)))
	made, err := m.Engine.Convert(ctx, path, t, profile)
	telemetry.End(span, blame(err))
	m.seconds.WithLabelValues(string(t), outcome(ctx, err)).Observe(time.Since(begin).Seconds())
	if err == nil {
		m.pages.Add(float64(pagesOf(made)))
	}
	return made, err
}

// blame returns the error that the API reports for a failed conversion.
func blame(err error) error {
	if errors.Is(err, domain.ErrUnconvertible) {
		return problem.New(problem.InvalidRequest, "The document could not be converted.").Because(err)
	}
	return err
}

// pagesOf returns the number of pages of a PDF that an engine made, or 0 if they cannot be
// counted.
func pagesOf(path string) int {
	f, err := os.Open(path)
	if err != nil {
		return 0
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return 0
	}
	pages, err := plain.Pages(f, info.Size())
	if err != nil {
		return 0
	}
	return len(pages)
}

// outcome names how a conversion ended: it is "refused" if the document is at fault, and
// "canceled" if ctx ended, which includes a timeout.
func outcome(ctx context.Context, err error) string {
	switch {
	case err == nil:
		return "converted"
	case errors.Is(err, domain.ErrUnconvertible):
		return "refused"
	case ctx.Err() != nil:
		return "canceled"
	}
	return "failed"
}

// measureEngine registers the metrics of warm conversions.
func measureEngine(r prometheus.Registerer, pool *zygote.Pool) {
	counts := pool.Counts()
	gauge := func(name, help string, value func() float64) {
		telemetry.Register(r, prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, value))
	}
	counter := func(name, help string, labels prometheus.Labels, value func() float64) {
		telemetry.Register(r, prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help, ConstLabels: labels}, value))
	}
	const attempts = "Attempts to convert a document, by engine: in a copy of a warm LibreOffice, or in a new process."
	counter("recto_conversion_attempts_total", attempts, prometheus.Labels{"engine": "warm"}, func() float64 { return float64(counts.Warm.Load()) })
	counter("recto_conversion_attempts_total", attempts, prometheus.Labels{"engine": "cold"}, func() float64 { return float64(counts.Cold.Load()) })
	counter("recto_conversion_zygote_starts_total", "Warm LibreOffice processes that became ready.", nil, func() float64 { return float64(counts.Started.Load()) })
	counter("recto_conversion_zygote_losses_total", "Warm LibreOffice processes that ended unasked.", nil, func() float64 { return float64(counts.Lost.Load()) })
	counter("recto_conversion_cpu_seconds_total", "CPU time of conversions in copies of a warm LibreOffice.", nil, func() float64 { return time.Duration(counts.CPU.Load()).Seconds() })
	gauge("recto_conversion_peak_memory_bytes", "The most memory that a copy of a warm LibreOffice used.", func() float64 { return float64(counts.Peak.Load()) })
	gauge("recto_conversion_zygotes_ready", "Warm LibreOffice processes that wait for a document.", func() float64 { return float64(pool.Ready()) })
}
