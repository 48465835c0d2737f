package manifests

import (
	"testing"

	networkingv1 "k8s.io/api/networking/v1"
)

// TestMonitoring checks that the PodMonitor selects every pod of Recto and no other, that
// each has its port and the label that becomes the job, and that a policy lets Prometheus
// connect.
func TestMonitoring(t *testing.T) {
	objects := rendered["overlays/monitored"]
	all, p := workloads(objects), policies{t, each[networkingv1.NetworkPolicy](objects)}
	monitors := each[podMonitor](objects)
	if len(monitors) != 1 || len(monitors[0].Spec.Endpoints) != 1 || len(each[prometheusRule](objects)) != 1 {
		t.Fatalf("%d PodMonitors", len(monitors))
	}
	spec := monitors[0].Spec
	for _, w := range all {
		if got := selects(t, &spec.Selector, w); got != w.isRecto() {
			t.Errorf("the PodMonitor selects %s: %t", w.name, got)
		} else if !got {
			continue
		}
		if !hasPort(w.container(), spec.Endpoints[0].Port) || w.pod.Labels[spec.JobLabel] != w.service() {
			t.Errorf("%s has no port %s, or its job would be %q", w.name, spec.Endpoints[0].Port, w.pod.Labels[spec.JobLabel])
		}
		allowed := false
		for _, way := range p.peers(w, all) {
			allowed = allowed || way == "recto/metrics=allow -> "+w.name+":9464"
		}
		if !allowed {
			t.Errorf("no policy lets Prometheus connect to %s", w.name)
		}
	}
}
