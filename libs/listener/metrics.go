package listener

import (
	"github.com/prometheus/client_golang/prometheus"
)

// metrics holds the metrics of one listener. Their names are part of the public interface.
type metrics struct {
	open      prometheus.GaugeFunc
	refused   prometheus.Counter // no connection was idle that could make room
	displaced prometheus.Counter
	errors    prometheus.Counter
}

func newMetrics(name string, open func() int) *metrics {
	labels := prometheus.Labels{"listener": name}
	counter := func(metric, help string) prometheus.Counter {
		return prometheus.NewCounter(prometheus.CounterOpts{Name: metric, Help: help, ConstLabels: labels})
	}
	return &metrics{
		open: prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "recto_connections", Help: "Open connections.", ConstLabels: labels,
		}, func() float64 { return float64(open()) }),
		refused:   counter("recto_connections_refused_total", "Connections closed immediately because a limit was reached and no connection was idle."),
		displaced: counter("recto_connections_displaced_total", "Idle connections closed to make room for others."),
		errors:    counter("recto_accept_errors_total", "Temporary errors while accepting connections."),
	}
}

func (m *metrics) register(r prometheus.Registerer) error {
	for _, c := range []prometheus.Collector{m.open, m.refused, m.displaced, m.errors} {
		if err := r.Register(c); err != nil {
			return err
		}
	}
	return nil
}
