package job

import (
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// metrics are the metrics for one kind of job.
type metrics struct {
	unended prometheus.Gauge       // unfinished jobs, in the whole system
	queue   prometheus.Gauge       // messages in the work queue
	oldest  atomic.Int64           // creation of the oldest unfinished job in milliseconds, 0 if there is none
	waiting prometheus.Gauge       // requests waiting for a job
	running prometheus.Gauge       // jobs in progress
	ended   *prometheus.CounterVec // tries by outcome
	queued  prometheus.Histogram   // time from the queue to the first try
	seconds prometheus.Histogram   // duration of the try that finished the job
}

// newMetrics creates and registers the metrics. If an earlier pool of the same kind in
// this process has registered them, registration is skipped: only tests open two such
// pools. limit is the size of the queue.
func newMetrics(r prometheus.Registerer, kind string, limit int64, now func() time.Time) *metrics {
	labels := prometheus.Labels{"kind": kind}
	m := &metrics{
		unended: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "recto_jobs_unfinished", Help: "Unfinished jobs of all instances: waiting or running.", ConstLabels: labels,
		}),
		queue: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "recto_jobs_queued", Help: "Messages in the work queue on NATS: jobs whose turn it is, waiting or running.", ConstLabels: labels,
		}),
		waiting: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "recto_jobs_waiting_requests", Help: "Requests waiting for a job to finish.", ConstLabels: labels,
		}),
		running: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "recto_jobs_running", Help: "Jobs that this process is running.", ConstLabels: labels,
		}),
		ended: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "recto_jobs_total", Help: "Tries of jobs by outcome: succeeded, failed, canceled, retried, postponed, dead.", ConstLabels: labels,
		}, []string{"outcome"}),
		queued: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "recto_job_queue_wait_seconds", Help: "How long a job waited in the queue for its first try.", ConstLabels: labels,
			Buckets: []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 300, 1800},
		}),
		seconds: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "recto_job_duration_seconds", Help: "Duration of the try that finished a job.", ConstLabels: labels,
			Buckets: []float64{.05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 120},
		}),
	}
	size := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "recto_jobs_limit", Help: "Limit of recto_jobs_unfinished; more jobs are refused.", ConstLabels: labels,
	})
	size.Set(float64(limit))
	// The age grows between sweeps, and also while the store is unavailable.
	age := prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "recto_jobs_oldest_age_seconds", Help: "Age of the oldest unfinished job of all instances, 0 if there is none.", ConstLabels: labels,
	}, func() float64 {
		at := m.oldest.Load()
		if at == 0 {
			return 0
		}
		return max(0, now().Sub(time.UnixMilli(at)).Seconds())
	})
	for _, c := range []prometheus.Collector{size, age, m.unended, m.queue, m.waiting, m.running, m.ended, m.queued, m.seconds} {
		_ = r.Register(c)
	}
	return m
}
