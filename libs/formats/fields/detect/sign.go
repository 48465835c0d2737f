package detect

// BeginsWithBox reports whether text begins with a box to tick: a character that
// is one, or brackets around nothing or an x.
func BeginsWithBox(text string) bool { return isBoxLine(text) }
