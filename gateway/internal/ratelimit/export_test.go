package ratelimit

// Len returns the number of stored keys.
func (l *Local) Len() int {
	n := 0
	for i := range l.shards {
		n += len(l.shards[i].arrivals)
	}
	return n
}
