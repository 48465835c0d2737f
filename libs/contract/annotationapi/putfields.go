package annotationapi

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/jsonbody"
	"github.com/rectohq/recto/libs/problem"
)

// Limits on the registry of a document, in fields, options and characters.
const (
	MaxFields       = 1000
	MaxOptions      = 500
	MaxOptionLength = 500
	MaxLabelLength  = fields.MaxLabel
)

// ParsePutFields parses the body of Put Fields. An empty list clears the
// registry. The error is a *problem.Error that lists every problem of the body.
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

// Validate checks the rules of the members again in the service.
func (r PutFieldsRequest) Validate() error {
	var problems problem.List
	problems.Check("fields", fmt.Sprint(len(r.Fields)), checkCount(len(r.Fields), MaxFields, "field"))
	seen := map[string]bool{}
	for i, d := range r.Fields[:min(len(r.Fields), MaxFields)] {
		d.validate(fmt.Sprintf("fields.%d.", i), seen, &problems)
	}
	return problems.Err()
}

// validate checks the rules of d. Path is the prefix of the paths of its members.
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
		problems.Check(path+"max", fmt.Sprint(*d.Max), d.checkMax())
	}
	d.validatePlace(path, problems)
}

// readDefinition reads one field. Seen contains the ids of the preceding fields.
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
	if v, ok := o.Optional("max"); ok {
		v.Check(d.checkMax())
	}
	d.Multiple = readBool(o, "multiple")
	d.readPlace(o)
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

// checkOptionCount checks that the list has 1 to MaxOptions options.
func checkOptionCount(n int) *problem.Fault {
	if n == 0 {
		return &problem.Fault{
			Code: problem.CodeTooShort, Message: "must not be empty",
			Resolution: "Send the options, or omit the list to keep the options of the file.",
		}
	}
	return checkCount(n, MaxOptions, "option")
}

// checkID checks that id is a valid field id that is not in seen, and adds it to seen.
func checkID(id string, seen map[string]bool) *problem.Fault {
	switch {
	case !fields.ValidID(id):
		return &problem.Fault{
			Code: problem.CodeFieldKeyInvalid, Message: "must be a field id",
			Resolution: "Send agreementinput- followed by 1 to 200 letters, digits, hyphens and underscores.",
		}
	case seen[id]:
		return &problem.Fault{
			Code: problem.CodeFieldDuplicate, Message: "repeats the id of an earlier field",
			Resolution: "Send each field once.",
		}
	}
	seen[id] = true
	return nil
}

// checkTypeName checks that name is the API name of a type.
func checkTypeName(name string) *problem.Fault {
	names := make([]string, 0, len(fields.Types()))
	for _, t := range fields.Types() {
		if string(t) == name {
			return nil
		}
		names = append(names, string(t))
	}
	return &problem.Fault{
		Code: problem.CodeInvalidEnum, Message: "is not a field type",
		Resolution: "Send one of " + strings.Join(names, ", ") + ".",
	}
}

// checkOption checks that text is a valid option that is not in seen, and adds it to seen.
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
			Code: repeated, Message: "repeats an earlier option",
			Resolution: "Send each option once.",
		}
	}
	seen[text] = true
	return checkAtMost(text, MaxOptionLength)
}

// checkAtMost checks that text has at most limit characters.
func checkAtMost(text string, limit int) *problem.Fault {
	n := utf8.RuneCountInString(text)
	if n <= limit {
		return nil
	}
	return &problem.Fault{
		Code: problem.CodeTooLong, Message: fmt.Sprintf("has %d characters; the limit is %d", n, limit),
		Resolution: fmt.Sprintf("Send at most %d characters.", limit),
	}
}

// checkCount checks that a list has at most limit items.
func checkCount(n, limit int, thing string) *problem.Fault {
	if n <= limit {
		return nil
	}
	return &problem.Fault{
		Code: problem.CodeTooLong, Message: fmt.Sprintf("has %d %ss; the limit is %d", n, thing, limit),
		Resolution: fmt.Sprintf("Send at most %d %ss.", limit, thing),
	}
}
