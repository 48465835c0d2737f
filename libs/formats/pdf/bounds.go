//go:build !race

package pdf

// reservedSpace is the address space that the Go and WebAssembly runtimes reserve without
// using it as memory: twice the measured amount.
const reservedSpace = 4 << 30

// bounds returns the memory and the address space that a process may use, in bytes.
func bounds(memory uint64) (data, space uint64) { return memory, memory + reservedSpace }
