package docx

import "bytes"

// plainAttributes puts a space for every line break and tab within the value of an
// attribute, as XML 1.0 (3.3.3) has the text of a part read. The parser does not do
// so, and what it reads could not be told from a break that is written as a
// character reference, which is one. The text is changed in place and keeps its
// length.
//
// It takes the text for well-formed: in any other, what follows the fault may
// change, and the parser refuses it.
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

// endOfOther returns where the comment, CDATA section, processing instruction or
// declaration ends that begins at start, and false if none does.
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

// plainTag changes the values in the tag whose name is at start, and returns where
// the tag ends. A carriage return and a line feed are one break: what becomes free
// is white space at the end of the tag.
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
