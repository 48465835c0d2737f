//go:build race

package pdf

import (
	"math"
	"time"
)

// startTimeout and startCPU are larger, because the race detector makes compiling PDFium take
// more than ten times as long.
const (
	startTimeout = 20 * time.Minute
	startCPU     = 1200 // seconds of processor time
)

// bounds sets no bounds: the race detector reserves terabytes of address space and uses
// an unpredictable amount of memory.
func bounds(uint64) (data, space uint64) { return 0, math.MaxUint64 }
