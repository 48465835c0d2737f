package job

import "github.com/prometheus/client_golang/prometheus"

// metrics are those of one kind of jobs.
type metrics struct {
	unended prometheus.Gauge       // jobs that have not ended, in the whole system
	waiting prometheus.Gauge       // requests that wait for a job
	running prometheus.Gauge       // jobs in work
	ended   *prometheus.CounterVec // tries by their outcome
	seconds prometheus.Histogram   // of a try that ended the job
}

// newMetrics makes the metrics and registers them. What is registered already,
// by an earlier pool of this process, is left: it is a programming error that
// tests alone make.
func newMetrics(r prometheus.Registerer, kind string) *metrics {
	labels := prometheus.Labels{"kind": kind}
	m := &metrics{
		unended: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "recto_jobs_unfinished", Help: "Jobs of all instances that wait or are worked on.", ConstLabels: labels,
		}),
		waiting: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "recto_jobs_waiting_requests", Help: "Requests that wait for the end of a job.", ConstLabels: labels,
		}),
		running: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "recto_jobs_running", Help: "Jobs that are being worked on.", ConstLabels: labels,
		}),
		ended: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "recto_jobs_total", Help: "Tries of jobs by outcome: succeeded, failed, canceled, retried, postponed, dead.", ConstLabels: labels,
		}, []string{"outcome"}),
		seconds: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "recto_job_duration_seconds", Help: "Time of the try that ended a job.", ConstLabels: labels,
			Buckets: []float64{.05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 120},
		}),
	}
	for _, c := range []prometheus.Collector{m.unended, m.waiting, m.running, m.ended, m.seconds} {
		_ = r.Register(c)
	}
	return m
}
