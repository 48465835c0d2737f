// Package jsonbody reads the JSON body of a request strictly and reports all problems at
// once: wrong types, and missing, forbidden, repeated and unknown members, each with its
// dotted path.
//
// A reader states what it expects, member by member, in the order in which problems
// should be reported:
//
//	err := jsonbody.Read(body, func(o *jsonbody.Object) {
//		in.Name, _ = o.RequiredString("name")
//	})
package jsonbody

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rectohq/recto/libs/problem"
)

const (
	// MaxDepth is how deep arrays and objects may be nested.
	MaxDepth = 64
	// MaxMembers is the maximum number of members in one object.
	MaxMembers = 10_000
	// maxUnknown bounds the number of unknown members reported for one object.
	maxUnknown = 100
	// maxPathName is how many bytes of a member's name appear in a path.
	maxPathName = 256
)

// Read checks that body is one JSON object in UTF-8, within MaxDepth and MaxMembers, and
// passes it to read. The error is a *problem.Error with an entry for each problem that
// read reports, and an unrecognized_key entry for each member that read did not ask for.
// Read keeps no reference to body.
func Read(body []byte, read func(*Object)) error {
	if err := check(body); err != nil {
		return err
	}
	var problems problem.List
	root := Value{raw: jsontext.Value(bytes.TrimSpace(body)), problems: &problems}
	root.Object(read)
	return problems.Err()
}

// check scans the body once, so that all later code can rely on its syntax and bounds.
func check(body []byte) error {
	switch trimmed := bytes.TrimSpace(body); {
	case len(trimmed) == 0:
		return problem.New(problem.InvalidRequest, "The body is empty. Send a JSON object.")
	case bytes.HasPrefix(trimmed, []byte("--")): // the first boundary; no JSON value begins this way
		return problem.New(problem.InvalidRequest, "The body is a multipart form. Send JSON.")
	}
	d := jsontext.NewDecoder(bytes.NewBuffer(body), jsontext.AllowDuplicateNames(true))
	for {
		_, err := d.ReadToken()
		if err != nil {
			return syntaxError(err)
		}
		depth := d.StackDepth()
		if depth == 0 {
			break
		}
		if depth > MaxDepth {
			return problem.New(problem.InvalidRequest, "The body is nested deeper than %d levels. Send fewer levels.", MaxDepth)
		}
		if kind, tokens := d.StackIndex(depth); kind == '{' && tokens > 2*MaxMembers {
			return problem.New(problem.InvalidRequest, "An object in the body has more than %d members. Send fewer members.", MaxMembers)
		}
	}
	if _, err := d.ReadToken(); !errors.Is(err, io.EOF) {
		return problem.New(problem.InvalidRequest, "The body continues after its JSON value, at byte %d. Send exactly one JSON object.", d.InputOffset())
	}
	return nil
}

// syntaxError reports where a body stops being valid JSON.
func syntaxError(err error) error {
	detail := "it ends too early"
	var syntax *jsontext.SyntacticError
	if errors.As(err, &syntax) && !errors.Is(err, io.ErrUnexpectedEOF) {
		reason := strings.TrimPrefix(syntax.Err.Error(), "jsontext: ")
		detail = fmt.Sprintf("%s at byte %d", reason, syntax.ByteOffset)
	}
	return problem.New(problem.InvalidRequest, "The body is not valid JSON: %s. Send a JSON object in UTF-8.", detail).Because(err)
}

// Value is one JSON value of the body and its path.
type Value struct {
	raw      jsontext.Value
	path     string
	problems *problem.List
}

// Path returns the dotted path of v, or "" for the body itself.
func (v Value) Path() string { return v.path }

// Raw returns the JSON text of v. It aliases the body.
func (v Value) Raw() jsontext.Value { return v.raw }

// Check reports the fault f of v, if f is not nil.
func (v Value) Check(f *problem.Fault) {
	if f != nil {
		v.problems.Add(problem.Broken(v.path, v.raw, *f))
	}
}

// Report adds an entry of the reader's own, for rules that Value does not know.
func (v Value) Report(e problem.Entry) { v.problems.Add(e) }

// String returns the text of a JSON string. It reports any other value as a problem.
func (v Value) String() (string, bool) {
	if v.raw.Kind() != '"' {
		v.wrongType("a string")
		return "", false
	}
	text, err := jsontext.AppendUnquote(nil, v.raw)
	if err != nil { // cannot happen: check has accepted it
		v.wrongType("a string in UTF-8")
		return "", false
	}
	return string(text), true
}

// Bytes returns the text of a JSON string, copying it only if it contains escapes;
// otherwise the result aliases the body. For any other value it returns false and reports
// nothing.
func (v Value) Bytes() ([]byte, bool) {
	if v.raw.Kind() != '"' {
		return nil, false
	}
	if inner := v.raw[1 : len(v.raw)-1]; bytes.IndexByte(inner, '\\') < 0 {
		return inner, true
	}
	text, err := jsontext.AppendUnquote(nil, v.raw)
	return text, err == nil
}

// Items calls each for the items of a JSON array, at most limit of them, and returns the
// number of items. It reports any other value as a problem.
func (v Value) Items(limit int, each func(Value)) (int, bool) {
	if v.raw.Kind() != '[' {
		v.wrongType("an array")
		return 0, false
	}
	d := v.decoder()
	count := 0
	for ; d.PeekKind() != ']'; count++ {
		item, ok := v.next(d, fmt.Sprint(count))
		if !ok {
			break
		}
		if count < limit {
			each(item)
		}
	}
	return count, true
}

// Members calls each for the members of a JSON object in order, at most limit of them,
// and returns the number of members. A repeated name is passed each time. It reports any
// other value as a problem.
func (v Value) Members(limit int, each func(name string, member Value)) (int, bool) {
	if v.raw.Kind() != '{' {
		v.wrongType("an object")
		return 0, false
	}
	d := v.decoder()
	count := 0
	for ; d.PeekKind() == '"'; count++ {
		token, err := d.ReadToken()
		if err != nil { // cannot happen: check has accepted the syntax
			break
		}
		name := token.String()
		member, ok := v.next(d, name)
		if !ok {
			break
		}
		if count < limit {
			each(name, member)
		}
	}
	return count, true
}

// Object calls read with the object v, and reports the members that read did not ask for.
// It reports any other value as a problem.
func (v Value) Object(read func(*Object)) bool {
	if v.raw.Kind() != '{' {
		v.wrongType("an object")
		return false
	}
	o := &Object{value: v}
	o.readMembers()
	read(o)
	o.reportUnread()
	return true
}

// decoder returns a decoder that has read the opening bracket of v.
func (v Value) decoder() *jsontext.Decoder {
	d := jsontext.NewDecoder(bytes.NewBuffer(v.raw), jsontext.AllowDuplicateNames(true))
	_, _ = d.ReadToken() // the caller has checked the kind of v
	return d
}

// next reads the child of v at which d is positioned. The child aliases v, not the buffer
// of d: values may be tens of megabytes, and copies would add up.
func (v Value) next(d *jsontext.Decoder, name string) (Value, bool) {
	raw, err := d.ReadValue()
	if err != nil { // cannot happen: check has accepted the syntax
		return Value{}, false
	}
	end := int(d.InputOffset())
	return Value{raw: v.raw[end-len(raw) : end], path: v.child(name), problems: v.problems}, true
}

// child returns the path of a member or item. It shortens a very long name, because the
// response repeats the path several times.
func (v Value) child(name string) string {
	if len(name) > maxPathName {
		name = strings.ToValidUTF8(name[:maxPathName], "") + "…"
	}
	if v.path == "" {
		return name
	}
	return v.path + "." + name
}

// wrongType reports that the value does not have the wanted type.
func (v Value) wrongType(want string) {
	e := problem.WrongType(v.path, want, v.raw)
	if v.path == "" {
		e.Message = "The body must be " + want
		e.InternalMessage = "body" + e.InternalMessage
		e.Resolution = "Send the body as " + want + "."
	}
	v.problems.Add(e)
}
