//go:build !race

package pdf

import "time"

// startTimeout and startCPU bound the start of a process. They allow for compiling PDFium, which
// takes two seconds, on a busy machine.
const (
	startTimeout = 2 * time.Minute
	startCPU     = 120 // seconds of processor time
)

// reservedSpace is the address space that the Go and WebAssembly runtimes reserve without
// using it as memory: twice the measured amount.
const reservedSpace = 4 << 30

// bounds returns the memory and the address space that a process may use, in bytes.
func bounds(memory uint64) (data, space uint64) { return memory, memory + reservedSpace }
