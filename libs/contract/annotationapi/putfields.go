package annotationapi

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rectohq/recto/libs/fields"
	"github.com/rectohq/recto/libs/jsonbody"
	"github.com/rectohq/recto/libs/problem"
)

// Bounds of the registry of a document, in fields, options and characters.
const (
	MaxFields       = 1000
	MaxOptions      = 500
	MaxOptionLength = 500
	MaxLabelLength  = fields.MaxLabel
)

// ParsePutFields reads the body of Put Fields. An empty list empties the
// registry. The error is a *problem.Error with all that is wrong with the body.
func ParsePutFields(documentID string, body []byte) (PutFieldsRequest, error) {
	r := PutFieldsRequest{DocumentID: documentID, Fields: []Definition{}}
	err := jsonbody.Read(body, func(o *jsonbody.Object) {
		v, ok := o.Required("fields")
		if !ok {
			return
		}
		seen := map[string]bool{}
		count, ok := v.Items(MaxFields, func(item jsonbody.Value) {
			item.Object(func(o *jsonbody.Object) {
				r.Fields = append(r.Fields, readDefinition(o, seen))
			})
		})
		if ok {
			v.Check(checkCount(count, MaxFields, "field"))
		}
	})
	return r, err
}

// Validate checks the rules of the members once more, where the request arrives.
func (r PutFieldsRequest) Validate() error {
	var problems problem.List
	problems.Check("fields", fmt.Sprint(len(r.Fields)), checkCount(len(r.Fields), MaxFields, "field"))
	seen := map[string]bool{}
	for i, d := range r.Fields[:min(len(r.Fields), MaxFields)] {
		d.validate(fmt.Sprintf("fields.%d.", i), seen, &problems)
	}
	return problems.Err()
}

// validate checks the rules of d, whose members stand at path.
func (d Definition) validate(path string, seen map[string]bool, problems *problem.List) {
	problems.Check(path+"field_id", d.FieldID, checkID(d.FieldID, seen))
	problems.Check(path+"type", d.Type, checkTypeName(d.Type))
	if d.Label != nil {
		problems.Check(path+"label", *d.Label, checkAtMost(*d.Label, MaxLabelLength))
	}
	if d.Options != nil {
		problems.Check(path+"options", fmt.Sprint(len(d.Options)), checkOptionCount(len(d.Options)))
	}
	options := map[string]bool{}
	for i, o := range d.Options[:min(len(d.Options), MaxOptions)] {
		problems.Check(fmt.Sprintf("%soptions.%d", path, i), o, d.checkOption(o, options))
	}
	if d.Min != nil {
		problems.Check(path+"min", fmt.Sprint(*d.Min), checkBound(*d.Min, 0))
		problems.Check(path+"min", fmt.Sprint(*d.Min), d.checkMin())
	}
	if d.Max != nil {
		problems.Check(path+"max", fmt.Sprint(*d.Max), checkBound(*d.Max, 1))
	}
}

// readDefinition reads one field. Seen are the ids of those before it.
func readDefinition(o *jsonbody.Object, seen map[string]bool) Definition {
	var d Definition
	if v, id, ok := o.RequiredString("field_id"); ok {
		v.Check(checkID(id, seen))
		d.FieldID = id
	}
	if v, name, ok := o.RequiredString("type"); ok {
		v.Check(checkTypeName(name))
		d.Type = name
	}
	if v, label, ok := o.OptionalString("label"); ok {
		v.Check(checkAtMost(label, MaxLabelLength))
		d.Label = &label
	}
	d.Required = readBool(o, "required")
	d.readOptions(o)
	d.Min = readBound(o, "min", 0)
	d.Max = readBound(o, "max", 1)
	if v, ok := o.Optional("min"); ok {
		v.Check(d.checkMin())
	}
	d.Multiple = readBool(o, "multiple")
	return d
}

// readBool reads an optional boolean.
func readBool(o *jsonbody.Object, name string) *bool {
	v, ok := o.Optional(name)
	if !ok {
		return nil
	}
	yes := v.Raw().Kind() == 't'
	if !yes && v.Raw().Kind() != 'f' {
		v.Report(problem.WrongType(v.Path(), "true or false", v.Raw()))
		return nil
	}
	return &yes
}

// readBound reads an optional integer that is a bound, of at least the given
// number; nil for one that is none.
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

// integer returns the whole number that raw is, however it is written.
func integer(raw jsontext.Value) (int, bool) {
	if raw.Kind() != '0' {
		return 0, false
	}
	n, err := strconv.ParseFloat(string(raw), 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) { // the body was read once
		return 0, false
	}
	return int(max(min(n, math.MaxInt32), math.MinInt32)), n == math.Trunc(n)
}

// readOptions reads an optional list of strings.
func (d *Definition) readOptions(o *jsonbody.Object) {
	v, ok := o.Optional("options")
	if !ok {
		return
	}
	d.Options = []string{}
	seen := map[string]bool{}
	count, ok := v.Items(MaxOptions, func(item jsonbody.Value) {
		if text, ok := item.String(); ok {
			item.Check(d.checkOption(text, seen))
			d.Options = append(d.Options, text)
		}
	})
	if ok {
		v.Check(checkOptionCount(count))
	}
}

// checkOptionCount wants a list with something in it, but not too much.
func checkOptionCount(n int) *problem.Fault {
	if n == 0 {
		return &problem.Fault{
			Code: problem.CodeTooShort, Message: "must not be empty",
			Resolution: "Send the options, or leave the list out: the field keeps those that the file gives it.",
		}
	}
	return checkCount(n, MaxOptions, "option")
}

// checkID wants the id of a field that was not seen, and marks it as seen.
func checkID(id string, seen map[string]bool) *problem.Fault {
	switch {
	case !fields.ValidID(id):
		return &problem.Fault{
			Code: problem.CodeFieldKeyInvalid, Message: "must be a field id",
			Resolution: "Send an id of the form agreementinput-<id>, where <id> has 1 to 200 letters, digits, hyphens and underscores.",
		}
	case seen[id]:
		return &problem.Fault{
			Code: problem.CodeFieldDuplicate, Message: "must not be the id of another field of the list",
			Resolution: "Send each field once.",
		}
	}
	seen[id] = true
	return nil
}

// checkTypeName wants a type as the API names it.
func checkTypeName(name string) *problem.Fault {
	names := make([]string, 0, len(fields.Types()))
	for _, t := range fields.Types() {
		if string(t) == name {
			return nil
		}
		names = append(names, string(t))
	}
	return &problem.Fault{
		Code: problem.CodeInvalidEnum, Message: "must be a type of fields",
		Resolution: "Send one of " + strings.Join(names, ", ") + ".",
	}
}

// checkOption wants an option that was not seen, and marks it as seen.
func (d Definition) checkOption(text string, seen map[string]bool) *problem.Fault {
	repeated := problem.CodeDropdownInvalidOption
	if d.Type == string(fields.Checkbox) {
		repeated = problem.CodeCheckboxDuplicateOption
	}
	switch {
	case text == "":
		return &problem.Fault{
			Code: problem.CodeTooShort, Message: "must not be empty",
			Resolution: fmt.Sprintf("Send 1 to %d characters.", MaxOptionLength),
		}
	case seen[text]:
		return &problem.Fault{
			Code: repeated, Message: "must not be there twice",
			Resolution: "Send each option once.",
		}
	}
	seen[text] = true
	return checkAtMost(text, MaxOptionLength)
}

// checkAtMost allows limit characters.
func checkAtMost(text string, limit int) *problem.Fault {
	n := utf8.RuneCountInString(text)
	if n <= limit {
		return nil
	}
	return &problem.Fault{
		Code: problem.CodeTooLong, Message: fmt.Sprintf("has %d characters, %d are allowed", n, limit),
		Resolution: fmt.Sprintf("Send at most %d characters.", limit),
	}
}

// checkCount allows limit things in a list.
func checkCount(n, limit int, thing string) *problem.Fault {
	if n <= limit {
		return nil
	}
	return &problem.Fault{
		Code: problem.CodeTooLong, Message: fmt.Sprintf("has %d %ss, %d are allowed", n, thing, limit),
		Resolution: fmt.Sprintf("Send at most %d %ss.", limit, thing),
	}
}

// checkBound wants a number of options or characters, of at least the given one.
func checkBound(n, least int) *problem.Fault {
	if least <= n && n < math.MaxInt32 {
		return nil
	}
	return &problem.Fault{
		Code: problem.CodeOutOfRange, Message: fmt.Sprintf("must be from %d to %d", least, math.MaxInt32-1),
		Resolution: fmt.Sprintf("Send %d or more.", least),
	}
}

// checkMin wants a minimum that can be met: one that is no more than the maximum,
// and than there are options.
func (d Definition) checkMin() *problem.Fault {
	switch options := len(d.Options); {
	case d.Min == nil:
		return nil
	case d.Max != nil && *d.Min > *d.Max:
		return &problem.Fault{
			Code: problem.CodeOutOfRange, Message: fmt.Sprintf("must not be more than max, which is %d", *d.Max),
			Resolution: fmt.Sprintf("Send at most %d, or a greater max.", *d.Max),
		}
	case d.Type == string(fields.Checkbox) && options > 0 && *d.Min > options:
		return &problem.Fault{
			Code: problem.CodeOutOfRange, Message: fmt.Sprintf("must not be more than there are options, of which there are %d", options),
			Resolution: fmt.Sprintf("Send at most %d, or more options.", options),
		}
	}
	return nil
}
