//go:build race

package pdf

import "math"

// bounds sets no bounds: the race detector reserves terabytes of address space and uses
// an unpredictable amount of memory.
func bounds(uint64) (data, space uint64) { return 0, math.MaxUint64 }
