package merge

const (
	// most is the maximum confidence of what both found, since they read the same text and
	// their mistakes are not independent, and of what they dispute.
	most = 0.99
	// silence is how much less likely a model is to be silent about a right item of the
	// rules than about a wrong one. With the detection F1 of .900 that is published for a
	// small model, it would be about 0.1. But that is for clauses, asked for one by one;
	// lists of all dates or amounts are often incomplete. So a model that is silent only
	// halves the odds.
	silence = 0.5
)

// Agreed returns the confidence of an item that was found with the confidences r and m:
// both would have to be wrong.
func Agreed(r, m float64) float64 {
	r, m = probable(r), probable(m)
	return min(1-(1-r)*(1-m), most)
}

// Unconfirmed returns the confidence of an item of the rules that the model does not
// name, although it read the text. r/(1-r) are the odds that the item is right.
func Unconfirmed(r float64) float64 {
	r = probable(r)
	return silence * r / (silence*r + 1 - r)
}

// Disputed returns the confidence of an item with the confidence c if another one with
// the confidence o is right only if it is not. At most one of the two is right, or
// neither.
func Disputed(c, o float64) float64 {
	c, o = min(probable(c), most), min(probable(o), most)
	return c * (1 - o) / (1 - c*o)
}

// probable returns a confidence within 0 and 1. What is not a number is 0.
func probable(c float64) float64 {
	if c != c {
		return 0
	}
	return min(max(c, 0), 1)
}
