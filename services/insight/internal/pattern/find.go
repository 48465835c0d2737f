package pattern

import "regexp"

// find returns the first match of s that begins at a place or after it, and the groups in it if
// they are asked for; nil for none. It reports false if only package regexp knows.
func (p *Regexp) find(s string, at int, groups bool) (found []int, ok bool) {
	from, to, v := p.search(s, at)
	if v == no {
		return nil, true
	}
	begin, end, v := p.ordered().match(s, from, to)
	switch {
	case v == no:
		return nil, true
	case v == maybe:
		return p.findFrom(s, from, groups)
	case !groups || p.ordered().groups == 0:
		return []int{begin, end}, true
	}
	// The character after the match decides whether it ends there. If the match of this part of s
	// ends at the same place, the end of the part made no difference.
	part := s[:min(end+width(s, end), len(s))]
	if found, ok = p.findFrom(part, begin, true); ok && found != nil && found[0] == begin && found[1] == end {
		return found, true
	}
	return p.findFrom(s, begin, true)
}

// findFrom is find with package regexp, for the part of s from a place on. It reports false if the
// match depends on more than one character before the part.
func (p *Regexp) findFrom(s string, from int, groups bool) (found []int, ok bool) {
	if p.auto() == nil {
		return nil, false
	}
	method := (*regexp.Regexp).FindStringIndex
	if groups {
		method = (*regexp.Regexp).FindStringSubmatchIndex
	}
	before := p.auto().lookBehind(s, from)
	found = method(p.re(), s[from-before:])
	if found != nil && found[0] < before {
		return nil, false
	}
	move(found, from-before)
	return found, true
}

// findAll returns the first n matches of s, or all if n is negative, as find does. As in package
// regexp, no empty match follows another match immediately.
func (p *Regexp) findAll(s string, n int, groups bool) (found [][]int, ok bool) {
	last := -1
	for at := 0; at <= len(s) && (n < 0 || len(found) < n); {
		match, ok := p.find(s, at, groups)
		if !ok {
			return nil, false
		}
		if match == nil {
			break
		}
		if match[0] < match[1] || match[0] != last {
			found = append(found, match)
		}
		last = match[1]
		if at < last {
			at = last
		} else {
			at += width(s, at)
		}
	}
	return found, true
}

// move adds a distance to the places of a match and its groups. A group that is not in the
// match has the place -1.
func move(at []int, by int) {
	for i := range at {
		if at[i] >= 0 {
			at[i] += by
		}
	}
}
