//go:build !race

package pdf

// reservedSpace is the address space that the runtimes of Go and of WebAssembly
// reserve without taking memory for it, twice as much as was measured.
const reservedSpace = 4 << 30

// bounds returns how much memory a process may take, and how much address space.
func bounds(memory uint64) (data, space uint64) { return memory, memory + reservedSpace }
