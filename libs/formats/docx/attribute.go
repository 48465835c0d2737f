package docx

import "bytes"

// plainAttributes replaces every line break and tab in attribute values with a space, as
// XML 1.0 (3.3.3) requires. The parser does not do so, and after parsing, a literal break
// would be indistinguishable from one written as a character reference, which must be
// kept. The text is changed in place and keeps its length.
//
// The text is assumed to be well-formed. In other text, bytes after the fault may change,
// but the parser refuses it anyway.
func plainAttributes(text []byte) {
	last := bytes.LastIndexAny(text, "\t\n\r")
	for at := 0; at <= last; {
		open := bytes.IndexByte(text[at:], '<')
		if open < 0 {
			return
		}
		at += open
		if end, ok := endOfOther(text, at); ok {
			at = end
			continue
		}
		at = plainTag(text, at+1)
	}
}

// endOfOther returns the end of the comment, CDATA section, processing instruction or
// declaration that begins at start, and false if none begins there.
func endOfOther(text []byte, start int) (int, bool) {
	for _, other := range [...]struct{ open, end string }{{"<!--", "-->"}, {"<![CDATA[", "]]>"}, {"<?", "?>"}, {"<!", ">"}} {
		if !bytes.HasPrefix(text[start:], []byte(other.open)) {
			continue
		}
		from := start + len(other.open)
		end := bytes.Index(text[from:], []byte(other.end))
		if end < 0 {
			return len(text), true
		}
		return from + end + len(other.end), true
	}
	return 0, false
}

// plainTag normalizes the attribute values of the tag whose name is at start, and returns
// the end of the tag. A carriage return followed by a line feed becomes one space; the
// byte that this frees becomes white space at the end of the tag.
func plainTag(text []byte, start int) int {
	quote, to := byte(0), start
	for at := start; at < len(text); at++ {
		c := text[at]
		switch {
		case quote == 0 && c == '>':
			if to < at && text[to-1] == '/' {
				text[to-1], text[at-1] = ' ', '/'
				at--
			}
			for ; to < at; to++ {
				text[to] = ' '
			}
			return bytes.IndexByte(text[at:], '>') + at + 1
		case quote == 0 && (c == '"' || c == '\''):
			quote = c
		case quote == c:
			quote = 0
		case quote != 0 && c == '\r' && at+1 < len(text) && text[at+1] == '\n':
			continue
		case quote != 0 && (c == '\t' || c == '\n' || c == '\r'):
			c = ' '
		}
		text[to] = c
		to++
	}
	return len(text)
}
