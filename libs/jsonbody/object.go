package jsonbody

import (
	"fmt"

	"github.com/rectohq/recto/libs/nearest"
	"github.com/rectohq/recto/libs/problem"
)

// Object is a JSON object whose members are requested one by one. Members that are never
// requested are reported as unrecognized.
type Object struct {
	value   Value
	members []member
	known   []string // names that were requested
}

// member is one member of an object. If it is still unread at the end, it is unknown.
type member struct {
	name  string
	value Value
	read  bool
}

// readMembers fills o.members and reports each name that appears more than once.
func (o *Object) readMembers() {
	seen := map[string]bool{}
	o.value.Members(MaxMembers, func(name string, v Value) {
		if seen[name] {
			v.Check(&problem.Fault{Code: problem.CodeDuplicateKey, Message: "appears more than once", Resolution: "Send each member once."})
			return
		}
		seen[name] = true
		o.members = append(o.members, member{name: name, value: v})
	})
}

// take returns the member called name, null or not, and marks it as read.
func (o *Object) take(name string) (Value, bool) {
	o.known = append(o.known, name)
	for i := range o.members {
		if m := &o.members[i]; m.name == name {
			m.read = true
			return m.value, true
		}
	}
	return Value{}, false
}

// Optional returns the member called name. It returns false if the member is absent or
// null.
func (o *Object) Optional(name string) (Value, bool) {
	v, ok := o.take(name)
	return v, ok && v.raw.Kind() != 'n'
}

// Required is Optional, but reports a missing member.
func (o *Object) Required(name string) (Value, bool) {
	v, ok := o.Optional(name)
	if !ok {
		o.value.problems.Add(problem.Required(o.value.child(name)))
	}
	return v, ok
}

// OptionalString returns the member called name and its text. If the member is not a
// string, it reports that and returns false.
func (o *Object) OptionalString(name string) (Value, string, bool) {
	v, ok := o.Optional(name)
	if !ok {
		return v, "", false
	}
	text, ok := v.String()
	return v, text, ok
}

// RequiredString is OptionalString, but reports a missing member.
func (o *Object) RequiredString(name string) (Value, string, bool) {
	v, ok := o.Required(name)
	if !ok {
		return v, "", false
	}
	text, ok := v.String()
	return v, text, ok
}

// Forbidden reports the members with these names if they are present, null or not: the
// service sets them.
func (o *Object) Forbidden(names ...string) {
	for _, name := range names {
		if v, ok := o.take(name); ok {
			v.Check(&problem.Fault{
				Code: problem.CodeForbiddenField, Message: "must not be sent",
				Resolution: fmt.Sprintf("Remove %s: the service sets it.", name),
			})
		}
	}
}

// Path returns the dotted path of the object, or "" for the body itself.
func (o *Object) Path() string { return o.value.path }

// Report adds an entry of the reader's own about missing members.
func (o *Object) Report(e problem.Entry) { o.value.problems.Add(e) }

// reportUnread reports the members that were never requested.
func (o *Object) reportUnread() {
	reported := 0
	for _, m := range o.members {
		if m.read || reported == maxUnknown {
			continue
		}
		reported++
		m.value.Check(&problem.Fault{Code: problem.CodeUnrecognizedKey, Message: "is not a known member", Resolution: o.advice(m.name)})
	}
}

// advice says what to do about an unknown member.
func (o *Object) advice(name string) string {
	if meant := nearest.Meant(name, o.known); meant != "" {
		return fmt.Sprintf("Did you mean %s? Otherwise, remove the member.", meant)
	}
	return "Remove the member."
}
