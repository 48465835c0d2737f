package scratch_test

import (
	"math"
	"path/filepath"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/rectohq/recto/libs/scratch"
)

// TestMeasure checks that a folder has free space, at most the size of its file system, and
// that a missing folder has neither.
func TestMeasure(t *testing.T) {
	r := prometheus.NewRegistry()
	dir := t.TempDir()
	scratch.Measure(r, "there", dir)
	scratch.Measure(r, "there", dir) // a second part of the process uses the same folder
	scratch.Measure(r, "missing", filepath.Join(dir, "missing"))
	families, err := r.Gather()
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]float64{}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			values[f.GetName()+" "+m.GetLabel()[0].GetValue()] = m.GetGauge().GetValue()
		}
	}
	free, size := values["recto_storage_free_bytes there"], values["recto_storage_size_bytes there"]
	if len(values) != 4 || free <= 0 || free > size {
		t.Errorf("measured %v", values)
	}
	for _, missing := range []string{"recto_storage_free_bytes missing", "recto_storage_size_bytes missing"} {
		if v := values[missing]; !math.IsNaN(v) {
			t.Errorf("%s is %v, want NaN", missing, v)
		}
	}
}
