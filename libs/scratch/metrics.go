package scratch

import (
	"math"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sys/unix"

	"github.com/rectohq/recto/libs/telemetry"
)

// Measure exports the free space and the size of the file system of dir, under the name
// folder. While the file system cannot be read, they are NaN.
func Measure(r prometheus.Registerer, folder, dir string) {
	labels := prometheus.Labels{"folder": folder}
	telemetry.Register(r, prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "recto_storage_free_bytes", Help: "Free space of the file system of a folder.", ConstLabels: labels,
	}, func() float64 {
		free, err := Free(dir)
		return orNaN(free, err)
	}))
	telemetry.Register(r, prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "recto_storage_size_bytes", Help: "Size of the file system of a folder.", ConstLabels: labels,
	}, func() float64 {
		var fs unix.Statfs_t
		err := unix.Statfs(dir, &fs)
		return orNaN(fs.Blocks*uint64(fs.Bsize), err)
	}))
}

// orNaN returns n, or NaN after an error.
func orNaN(n uint64, err error) float64 {
	if err != nil {
		return math.NaN()
	}
	return float64(n)
}
