package fonts

import "slices"

// maxCandidates is the maximum number of families that are considered for one font.
const maxCandidates = 1000

// candidate is a family that may stand in for a font. Strong candidates precede all weak
// ones, wherever they are in the list.
type candidate struct {
	key    string
	strong bool
}

// substitute returns the families that may stand in for the font, in the order of
// fontconfig's rules, the font itself first. It does what FcConfigSubstitute does to a
// pattern that names only the family.
func substitute(rules []rule, font string) []candidate {
	list := []candidate{{key(font), true}}
	for _, r := range rules {
		at, ok := r.match(list)
		if !ok {
			continue
		}
		for _, e := range r.edits {
			list, at = e.apply(list, at)
		}
		if len(list) > maxCandidates {
			return list[:maxCandidates]
		}
	}
	return list
}

// match returns the index of the family that the first test found.
func (r rule) match(list []candidate) (int, bool) {
	at := -1
	for _, t := range r.tests {
		i, ok := t.match(list)
		if !ok {
			return 0, false
		}
		if at < 0 {
			at = i
		}
	}
	return at, at >= 0
}

func (t test) match(list []candidate) (int, bool) {
	first := -1
	for i, c := range list {
		passes := slices.Contains(t.keys, c.key) != t.not
		if passes && first < 0 {
			first = i
		}
		if !passes && t.all {
			return 0, false
		}
	}
	return first, first >= 0
}

// apply returns the changed list, and the new index of the family that was at the index.
func (e edit) apply(list []candidate, at int) ([]candidate, int) {
	var added []candidate
	for _, name := range e.names {
		added = append(added, candidate{key(name), e.binding == "strong" || e.binding == "same" && list[at].strong})
	}
	// Fontconfig does not know whose binding is the same at the ends of the list.
	if e.binding == "same" && (e.mode == "append_last" || e.mode == "prepend_first") {
		for i := range added {
			added[i].strong = false
		}
	}
	switch e.mode {
	case "prepend":
		return slices.Insert(list, at, added...), at + len(added)
	case "prepend_first":
		return slices.Insert(list, 0, added...), at + len(added)
	case "append":
		return slices.Insert(list, at+1, added...), at
	case "append_last":
		return append(list, added...), at
	case "", "assign", "assign_replace":
		return slices.Replace(list, at, at+1, added...), at
	}
	return list, at
}
