//go:build race

package pdf

import "math"

// bounds returns that there is no bound: the race detector takes terabytes of
// address space, and memory without end.
func bounds(uint64) (data, space uint64) { return 0, math.MaxUint64 }
