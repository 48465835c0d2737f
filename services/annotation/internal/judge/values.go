package judge

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/jsonbody"
	"github.com/rectohq/recto/libs/nearest"
	"github.com/rectohq/recto/libs/problem"
)

// maxItems is the maximum number of strings in one value.
const maxItems = 1000

// FieldValues are the values of a request in order, and the problems that are known
// before the fields are.
type FieldValues struct {
	Values []FieldValue
	// before are the problems of the query; beside are the problems of other members of
	// the body.
	before, beside []problem.Entry
}

// FieldValue is the value sent for one key.
type FieldValue struct {
	Key string
	// Value aliases the body.
	Value Value
	// Faults are the problems of the value that do not depend on its field.
	Faults []problem.Entry

	path string
	// raw is the value as it was sent, which entries echo.
	raw jsontext.Value
	// usable is set if the value can be validated against a field.
	usable bool
}

// ParseFieldValues parses {"field_values": {key: {"value": string or array of strings}}}.
// The error is a *problem.Error if there are no values to validate: the body is not a
// JSON object, or field_values is missing or not an object. All other problems, including
// those in before, are reported later by Err or Judge. The values alias body.
func ParseFieldValues(body []byte, before []problem.Entry) (FieldValues, error) {
	parsed := FieldValues{before: before}
	found := false
	err := jsonbody.Read(body, func(o *jsonbody.Object) {
		v, ok := o.Required("field_values")
		switch {
		case !ok:
		case v.Raw().Kind() != '{':
			v.Report(wrongType(v.Path(), "an object", v.Raw()))
		default:
			found = true
			parsed.Values = readFieldValues(v)
		}
	})
	var e *problem.Error
	if !errors.As(err, &e) || len(e.Entries) == 0 {
		return parsed, err
	}
	if parsed.beside = e.Entries; !found {
		return parsed, parsed.Err()
	}
	return parsed, nil
}

// wrongType is problem.WrongType, but counts as a rule, because every problem with
// field_values is a 3001.
func wrongType(path, want string, got jsontext.Value) problem.Entry {
	e := problem.WrongType(path, want, got)
	e.Class = problem.Rule
	return e
}

// required is problem.Required, but counts as a rule.
func required(path string) problem.Entry {
	e := problem.Required(path)
	e.Class = problem.Rule
	return e
}

// readFieldValues parses the values of all keys.
func readFieldValues(v jsonbody.Value) []FieldValue {
	var values []FieldValue
	seen := map[string]bool{}
	v.Members(jsonbody.MaxMembers, func(key string, member jsonbody.Value) {
		f := FieldValue{Key: key, path: member.Path() + ".value"}
		f.usable = f.readMembers(member)
		f.checkKey(seen[key])
		seen[key] = true
		values = append(values, f)
	})
	return values
}

// checkKey checks the format of the key, and that it occurs only once.
func (f *FieldValue) checkKey(repeated bool) {
	var faults []problem.Entry
	if !fields.ValidID(f.Key) {
		faults = append(faults, problem.Broken(f.path, f.raw, keyFault()))
	}
	if repeated {
		faults = append(faults, problem.Broken(f.path, f.raw, problem.Fault{
			Code: problem.CodeFieldDuplicate, Message: "repeats a field that already has a value",
			Resolution: "Send each field once.",
		}))
	}
	if len(faults) > 0 {
		f.usable, f.Faults = false, append(faults, f.Faults...)
	}
}

// keyFault returns the fault for a key that is not a valid field id.
func keyFault() problem.Fault {
	return problem.Fault{
		Code: problem.CodeFieldKeyInvalid, Message: "belongs to a key that is not a valid field id",
		Resolution: "Send agreementinput- followed by 1 to 200 letters, digits, hyphens and underscores. GET /documents/{document_id}/fields lists the ids.",
	}
}

// readMembers parses the object that holds the value, and reports whether the value is a
// string or an array of strings.
func (f *FieldValue) readMembers(object jsonbody.Value) bool {
	if object.Raw().Kind() != '{' {
		f.raw = object.Raw()
		f.Faults = append(f.Faults, f.notObject())
		return false
	}
	found, usable := false, false
	var unknown []problem.Entry
	object.Members(jsonbody.MaxMembers, func(name string, v jsonbody.Value) {
		switch {
		case name == "value" && !found:
			found, usable = true, f.readValue(v)
		case len(unknown) < maxUnknown:
			unknown = append(unknown, problem.Broken(f.path, v.Raw(), memberFault(name)))
		}
	})
	if !found {
		f.Faults = append(f.Faults, required(f.path))
	}
	f.Faults = append(f.Faults, unknown...)
	return usable
}

// notObject returns the entry for anything other than an object {"value": …}.
func (f *FieldValue) notObject() problem.Entry {
	if f.raw.Kind() == 'n' {
		return required(f.path)
	}
	e := wrongType(f.path, `sent inside an object {"value": …}`, f.raw)
	e.Resolution = `Send {"value": …} with a string or an array of strings.`
	return e
}

// maxUnknown bounds how many unknown members of one value are reported.
const maxUnknown = 10

// memberFault returns the fault for an unexpected member next to the value. Its path is
// that of the value, like all entries of a field.
func memberFault(name string) problem.Fault {
	if name == "value" {
		return problem.Fault{Code: problem.CodeDuplicateKey, Message: "appears more than once", Resolution: "Send one value for the field."}
	}
	return problem.Fault{
		Code: problem.CodeUnrecognizedKey, Message: fmt.Sprintf("must be the only member: %.64q is unknown", name),
		Resolution: `Send only "value" for the field.`,
	}
}

// readValue parses the value itself, and reports whether it is a string or an array of
// strings.
func (f *FieldValue) readValue(v jsonbody.Value) bool {
	f.raw = v.Raw()
	switch f.raw.Kind() {
	case 'n':
		f.Faults = append(f.Faults, required(f.path))
	case '"':
		f.Value = Value{Items: []Encoded{inside(f.raw)}}
	case '[':
		f.readItems(v)
	default:
		f.Faults = append(f.Faults, wrongType(f.path, "a string or an array of strings", f.raw))
	}
	return len(f.Faults) == 0
}

// readItems parses an array of strings.
func (f *FieldValue) readItems(v jsonbody.Value) {
	f.Value.List = true
	foreign := false
	n, _ := v.Items(maxItems, func(item jsonbody.Value) {
		if item.Raw().Kind() != '"' {
			foreign = true
			return
		}
		f.Value.Items = append(f.Value.Items, inside(item.Raw()))
	})
	if foreign {
		e := wrongType(f.path, "a string or an array of strings", f.raw)
		e.InternalMessage = f.path + ": expected an array of strings, received an array with other items"
		f.Faults = append(f.Faults, e)
	}
	if n > maxItems {
		f.Faults = append(f.Faults, problem.Broken(f.path, f.raw, problem.Fault{
			Code: problem.CodeTooLong, Message: fmt.Sprintf("has %d items; the limit is %d", n, maxItems),
			Resolution: fmt.Sprintf("Send at most %d items.", maxItems),
		}))
	}
}

// inside strips the quotes of a JSON string.
func inside(raw jsontext.Value) Encoded { return Encoded{JSON: raw[1 : len(raw)-1]} }

// Err returns the problems that are known before the fields are, or nil if there are
// none.
func (v FieldValues) Err() error {
	var problems problem.List
	addAll(&problems, v.before)
	for _, f := range v.Values {
		addAll(&problems, f.Faults)
	}
	addAll(&problems, v.beside)
	return problems.Err()
}

func addAll(problems *problem.List, entries []problem.Entry) {
	for _, e := range entries {
		problems.Add(e)
	}
}

// Judge validates every value against its field, and returns what the fields become.
// known are the fields of the document, without duplicates. fonts are those that show the
// values; nil means that the reader of the file supplies the fonts. The error is the
// cause of ctx, or a *problem.Error with all problems in the order of the values.
func (v FieldValues) Judge(ctx context.Context, checker *Checker, known []fields.Field, fonts Fonts) (map[string]fields.Filling, error) {
	d := newDirectory(known)
	var problems problem.List
	addAll(&problems, v.before)
	fillings := make(map[string]fields.Filling, len(v.Values))
	for _, value := range v.Values {
		addAll(&problems, value.Faults)
		if !value.usable {
			continue
		}
		f, found := d.fields[value.Key]
		if !found {
			problems.Add(problem.Broken(value.path, value.raw, d.notFound(value.Key)))
			continue
		}
		filling, faults, err := checker.Check(ctx, f, value.Value)
		if err != nil {
			return nil, err
		}
		if fonts != nil && len(faults) == 0 {
			if fault := unsupported(fonts.Missing(shown(f, filling))); fault != nil {
				faults = append(faults, *fault)
			}
		}
		for _, fault := range faults {
			problems.Add(problem.Broken(value.path, value.raw, fault))
		}
		fillings[value.Key] = filling
	}
	addAll(&problems, v.beside)
	if err := problems.Err(); err != nil {
		return nil, err
	}
	return fillings, nil
}

const (
	// maxAdvice is how many keys of one request are compared with ids to suggest one.
	// Each comparison costs time proportional to the number of ids.
	maxAdvice = 20
	// maxCompared is how many ids a key is compared with.
	maxCompared = 1000
	// maxDistance is the largest edit distance at which an id is suggested.
	maxDistance = 4
)

// directory indexes the fields of a document by id.
type directory struct {
	fields  map[string]fields.Field
	ids     []string
	advised int
}

func newDirectory(known []fields.Field) *directory {
	d := &directory{fields: make(map[string]fields.Field, len(known))}
	for i, f := range known {
		d.fields[f.ID] = f
		if i < maxCompared {
			d.ids = append(d.ids, f.ID)
		}
	}
	return d
}

// notFound returns the fault for a key that is not a field of the document.
func (d *directory) notFound(key string) problem.Fault {
	f := problem.Fault{
		Code: problem.CodeFieldNotFound, Message: "belongs to a field that the document does not have",
		Resolution: "Send an id that GET /documents/{document_id}/fields lists.",
	}
	if len(d.fields) == 0 {
		f.Resolution = "The document has no fields. Remove the value, or upload a file that has fields."
		return f
	}
	if d.advised++; d.advised > maxAdvice {
		return f
	}
	if meant, distance := nearest.Name(key, d.ids); meant != "" && distance <= maxDistance {
		f.Resolution = fmt.Sprintf("Did you mean %s? Otherwise send an id that GET /documents/{document_id}/fields lists.", meant)
	}
	return f
}
