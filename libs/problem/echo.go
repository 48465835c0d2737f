package problem

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

const (
	// EchoLimit is how many bytes of a string an entry echoes.
	EchoLimit = 8 << 10
	// echoItems is how many items of an array, or members of an object, an entry echoes.
	echoItems = 100
	// echoTotal is how many bytes of JSON an entry echoes: enough for echoItems strings
	// of EchoLimit.
	echoTotal = 1 << 20
)

// mark replaces what was cut off.
const mark = "…"

// Echo returns v in a form for a response, whose size must not grow with the request. A
// string over 8 KiB, at any level of v, is cut and ends in "…". An array or object with
// more than 100 items, or one that extends past the first MiB, ends in an item or member
// "…", and nothing follows. The result is JSON of the same shape, except that a number
// over 8 KiB becomes a string. It never aliases v.
func Echo(v jsontext.Value) jsontext.Value { return echo{EchoLimit, echoTotal}.of(v) }

// Shorten is Echo with strings limited to limit bytes, and the total to about as many
// bytes.
func Shorten(v jsontext.Value, limit int) jsontext.Value { return echo{limit, limit}.of(v) }

// EchoString returns s as a JSON string, cut to EchoLimit bytes.
func EchoString(s string) jsontext.Value { return echo{text: EchoLimit}.string(s) }

// echo holds the limits of an echo.
type echo struct {
	text  int // maximum bytes of a string
	total int // bytes of JSON after which no further item is added
}

// of returns v or its beginning.
func (e echo) of(v jsontext.Value) jsontext.Value {
	switch v.Kind() {
	case '[', '{':
		return e.nested(v)
	case 0:
		return null
	default:
		return e.scalar(v)
	}
}

// scalar echoes a value that is not an array or object.
func (e echo) scalar(v jsontext.Value) jsontext.Value {
	if v.Kind() == '"' {
		text, err := jsontext.AppendUnquote(nil, beginning(v, e.text))
		if err != nil {
			return null
		}
		return e.string(string(text))
	}
	if len(v) > e.text { // a number of thousands of digits
		return e.string(string(v[:e.text+1]))
	}
	return v.Clone()
}

// string returns s as a JSON string, cut at a character boundary.
func (e echo) string(s string) jsontext.Value {
	if len(s) > e.text {
		cut := e.text
		for cut > e.text-utf8.UTFMax && cut > 0 && !utf8.RuneStart(s[cut]) {
			cut--
		}
		s = s[:cut] + mark
	}
	quoted, err := jsontext.AppendQuote(nil, strings.ToValidUTF8(s, "\uFFFD"))
	if err != nil {
		return null
	}
	return quoted
}

// nested echoes an array or object. It reads no more of v than it echoes, because v may
// be as large as a body.
func (e echo) nested(v jsontext.Value) jsontext.Value {
	in := jsontext.NewDecoder(bytes.NewBuffer(v), jsontext.AllowDuplicateNames(true))
	var text bytes.Buffer
	out := jsontext.NewEncoder(&text, jsontext.AllowDuplicateNames(true))
	for done := false; !done; done = out.StackDepth() == 0 {
		if e.full(out) && in.PeekKind() != ']' && in.PeekKind() != '}' {
			closeAll(out)
			break
		}
		if err := e.next(in, out); err != nil {
			return null
		}
	}
	return bytes.TrimSuffix(text.Bytes(), []byte("\n"))
}

// full reports whether no further item may be written at the current position of out.
func (e echo) full(out *jsontext.Encoder) bool {
	kind, n := out.StackIndex(out.StackDepth())
	if kind == '{' {
		if n%2 != 0 { // a name was written and needs its value
			return false
		}
		n /= 2
	}
	return out.StackDepth() > 0 && (n >= echoItems || out.OutputOffset() > int64(e.total))
}

// next copies the next token of in: the beginning or end of an array or object, or a
// whole scalar or name.
func (e echo) next(in *jsontext.Decoder, out *jsontext.Encoder) error {
	switch in.PeekKind() {
	case '[', ']', '{', '}':
		token, err := in.ReadToken()
		if err != nil {
			return err
		}
		return out.WriteToken(token)
	default:
		v, err := in.ReadValue()
		if err != nil {
			return err
		}
		return out.WriteValue(e.scalar(v))
	}
}

// closeAll writes mark at the current position of out and closes all open arrays and
// objects. It cannot fail, because out writes to memory.
func closeAll(out *jsontext.Encoder) {
	if kind, _ := out.StackIndex(out.StackDepth()); kind == '{' {
		_ = out.WriteToken(jsontext.String(mark))
	}
	_ = out.WriteToken(jsontext.String(mark))
	for out.StackDepth() > 0 {
		end := jsontext.EndArray
		if kind, _ := out.StackIndex(out.StackDepth()); kind == '{' {
			end = jsontext.EndObject
		}
		_ = out.WriteToken(end)
	}
}

// beginning returns a JSON string with as much of v as an echo of limit bytes can need: v
// may be an image of megabytes. The result aliases v if v is short.
func beginning(v jsontext.Value, limit int) jsontext.Value {
	if len(v) <= 2*limit {
		return v
	}
	end := 1
	for characters := 0; characters <= limit; characters++ {
		if end += written(v[end:]); end >= len(v)-1 {
			return v
		}
	}
	return append(bytes.Clone(v[:end]), '"')
}

// written returns the length in bytes of the first, possibly escaped, character of s,
// which is part of the inside of a JSON string.
func written(s []byte) int {
	switch {
	case s[0] != '\\':
		_, n := utf8.DecodeRune(s)
		return n
	case s[1] != 'u':
		return len(`\n`)
	case (s[2] == 'd' || s[2] == 'D') && strings.IndexByte("89abAB", s[3]) >= 0:
		return len(`\ud83d\ude00`)
	default:
		return len(`\u00e9`)
	}
}
