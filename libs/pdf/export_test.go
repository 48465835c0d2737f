package pdf

// Bounded reports whether the memory of processes is bounded, which it is not while
// the race detector is in them.
func Bounded() bool {
	data, _ := bounds(1)
	return data == 1
}
