package problem

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

const (
	// EchoLimit is how many bytes of a string an entry repeats.
	EchoLimit = 8 << 10
	// echoItems is how many items of an array, or members of an object, it repeats.
	echoItems = 100
	// echoTotal is how many bytes of JSON it repeats: room for echoItems strings
	// of EchoLimit.
	echoTotal = 1 << 20
)

// mark stands where something was cut off.
const mark = "…"

// Echo returns v as it may stand in an answer, which must not grow with what was
// sent. A string over 8 KiB is cut and ends in "…", wherever it stands in v. An
// array or object with more than 100 items, and whatever comes after the first MiB,
// ends in an item, or a member, "…"; nothing follows that. What is cut remains JSON
// of the same shape; only a number of over 8 KiB becomes a string. The result never
// aliases v.
func Echo(v jsontext.Value) jsontext.Value { return echo{EchoLimit, echoTotal}.of(v) }

// Shorten is Echo for strings of at most limit bytes and about as many bytes in all.
func Shorten(v jsontext.Value, limit int) jsontext.Value { return echo{limit, limit}.of(v) }

// EchoString returns s as a JSON string, cut to EchoLimit bytes.
func EchoString(s string) jsontext.Value { return echo{text: EchoLimit}.string(s) }

// echo repeats values.
type echo struct {
	text  int // bytes of a string
	total int // bytes of JSON after which no further item is begun
}

// of returns v or the beginning of it.
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

// scalar repeats what has nothing in it.
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

// string returns s as a JSON string, cut where a character begins.
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

// nested repeats an array or object. It reads no more of v than it repeats: v may
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

// full reports whether no further item belongs where out is.
func (e echo) full(out *jsontext.Encoder) bool {
	kind, n := out.StackIndex(out.StackDepth())
	if kind == '{' {
		if n%2 != 0 { // a name, which needs its value
			return false
		}
		n /= 2
	}
	return out.StackDepth() > 0 && (n >= echoItems || out.OutputOffset() > int64(e.total))
}

// next repeats what in reads next: the beginning or end of an array or object, or a
// whole value or name.
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

// closeAll marks that something was cut off where out is, and ends all that is open.
// It cannot fail: out writes to memory.
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

// beginning returns a JSON string with as much of v as an echo of limit bytes can
// need: v may be an image of megabytes. It aliases v if that is short.
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

// written returns how many bytes the character takes that s, from the inside of a
// JSON string, begins with.
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
