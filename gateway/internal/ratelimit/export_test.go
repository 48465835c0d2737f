package ratelimit

// Len returns how many keys are remembered.
func (l *Local) Len() int {
	n := 0
	for i := range l.shards {
		n += len(l.shards[i].arrivals)
	}
	return n
}
