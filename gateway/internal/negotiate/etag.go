package negotiate

import "strings"

// EntityTags returns the entity tags that If-None-Match headers list (RFC 9110, section
// 13.1.2), with their quotes. The comparison for this header is weak, so a tag marked as
// weak is returned without the mark. Every reports whether the headers contain "*", which
// stands for every tag. Malformed tags are ignored.
func EntityTags(headers []string) (tags []string, every bool) {
	for _, header := range headers {
		for rest := strings.TrimLeft(header, " \t,"); rest != ""; rest = strings.TrimLeft(rest, " \t,") {
			var tag string
			tag, rest = cutTag(rest)
			switch {
			case tag == "*":
				every = true
			case tag != "":
				tags = append(tags, tag)
			}
		}
	}
	return tags, every
}

// cutTag cuts the first member from a list of entity tags. A tag may contain commas. The
// result is "" for a malformed member.
func cutTag(list string) (tag, rest string) {
	quoted := strings.TrimPrefix(list, "W/")
	if strings.HasPrefix(quoted, `"`) {
		if end := strings.IndexByte(quoted[1:], '"'); end >= 0 {
			return quoted[:end+2], quoted[end+2:]
		}
		return "", ""
	}
	tag, rest, _ = strings.Cut(list, ",")
	if strings.TrimSpace(tag) != "*" {
		return "", rest
	}
	return "*", rest
}
