package detect

// BeginsWithBox reports whether text begins with a box to tick: a box character, or
// brackets that are empty or contain an x.
func BeginsWithBox(text string) bool { return isBoxLine(text) }
