package annotationapi

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/jsonbody"
	"github.com/rectohq/recto/libs/problem"
)

// readBound reads an optional bound, an integer of at least least. It returns nil if the
// bound is absent or invalid.
func readBound(o *jsonbody.Object, name string, least int) *int {
	v, ok := o.Optional(name)
	if !ok {
		return nil
	}
	n, ok := integer(v.Raw())
	if !ok {
		v.Report(problem.WrongType(v.Path(), "an integer", v.Raw()))
		return nil
	}
	if f := checkBound(n, least); f != nil {
		v.Check(f)
		return nil
	}
	return &n
}

// integer returns the value of raw if it is a whole number in any notation, such as 1e2.
func integer(raw jsontext.Value) (int, bool) {
	if raw.Kind() != '0' {
		return 0, false
	}
	n, err := strconv.ParseFloat(string(raw), 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) { // cannot happen: the body was already parsed
		return 0, false
	}
	return int(max(min(n, math.MaxInt32), math.MinInt32)), n == math.Trunc(n)
}

// checkBound checks a bound on options or characters, which must be at least least.
func checkBound(n, least int) *problem.Fault {
	if least <= n && n < math.MaxInt32 {
		return nil
	}
	return &problem.Fault{
		Code: problem.CodeOutOfRange, Message: fmt.Sprintf("must be from %d to %d", least, math.MaxInt32-1),
		Resolution: fmt.Sprintf("Send %d or more.", least),
	}
}

// checkMin checks that the type has a minimum, and that it exceeds neither the maximum
// nor the number of options.
func (d Definition) checkMin() *problem.Fault {
	t, known := fields.ParseType(d.Type)
	switch options := len(d.Options); {
	case d.Min == nil:
		return nil
	case known && t != fields.Checkbox:
		return notForType("min", d.Type, "a checkbox")
	case d.Max != nil && *d.Min > *d.Max:
		return &problem.Fault{
			Code: problem.CodeOutOfRange, Message: fmt.Sprintf("must not exceed max (%d)", *d.Max),
			Resolution: fmt.Sprintf("Send at most %d, or increase max.", *d.Max),
		}
	case options > 0 && *d.Min > options:
		return &problem.Fault{
			Code: problem.CodeOutOfRange, Message: fmt.Sprintf("must not exceed the %d options", options),
			Resolution: fmt.Sprintf("Send at most %d, or add options.", options),
		}
	}
	return nil
}

// checkMax checks that a maximum is set only for a type that has one.
func (d Definition) checkMax() *problem.Fault {
	t, known := fields.ParseType(d.Type)
	if d.Max == nil || !known || t == fields.Checkbox || t.HasLength() {
		return nil
	}
	return notForType("max", d.Type, "a checkbox or a text")
}

// notForType returns the fault of a member that does not apply to fields of the type.
func notForType(member, name, types string) *problem.Fault {
	return &problem.Fault{
		Code: problem.CodeForbiddenField, Message: fmt.Sprintf("does not apply to fields of type %s", name),
		Resolution: fmt.Sprintf("Remove %s. Only %s field accepts it.", member, types),
	}
}
