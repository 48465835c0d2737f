package insightapi

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rectohq/recto/libs/jsonbody"
	"github.com/rectohq/recto/libs/problem"
)

// Limits on a request, in characters and items. The text of a contract with 1,000 pages
// has about three million characters.
const (
	MaxTextLength    = 5_000_000
	MaxInsights      = 100
	MaxIDLength      = 128
	MaxURLLength     = 2048
	MaxContextLength = 100_000
	MaxMessageLength = 10_000
)

// SourceKinds lists the kinds of sources, in the order of the members of a request.
func SourceKinds() []SourceKind {
	return []SourceKind{DraftID, CompletedID, DocumentID, DocText, URL}
}

// Stored reports whether a source of this kind is a document of the organization.
func (k SourceKind) Stored() bool { return k == DraftID || k == CompletedID || k == DocumentID }

// ReadsDocuments reports whether the answer says anything of stored documents: the source is
// one, or stored documents are compared with it.
func (r CreateRequest) ReadsDocuments() bool {
	return r.Source.Stored() || slices.Contains(Asked(r.Insights), MatchingDocuments)
}

// ParseCreate parses the body of Create Insights. The error is a *problem.Error that
// lists every problem of the body.
func ParseCreate(body []byte) (CreateRequest, error) {
	var r CreateRequest
	err := jsonbody.Read(body, func(o *jsonbody.Object) {
		r.Source, r.Value = readSource(o)
		if v, text, ok := o.OptionalString("context"); ok {
			v.Check(checkLongest(text, MaxContextLength))
			r.Context = text
		}
		r.Insights = readInsights(o)
		r.Stream = readBool(o, "stream")
	})
	return r, err
}

// readSource reads the member that names the source. A source of null or "" counts as
// absent. If there are several sources, all but the first are reported.
func readSource(o *jsonbody.Object) (kind SourceKind, value string) {
	for _, k := range SourceKinds() {
		v, there := o.Optional(string(k))
		if !there {
			continue
		}
		text, ok := v.String()
		switch {
		case ok && text == "":
		case kind != "":
			v.Check(sourceMultiple(kind, k))
		default:
			kind, value = k, text
		}
		if ok && text != "" {
			v.Check(k.check(text))
		}
	}
	if kind == "" {
		o.Report(sourceRequired())
	}
	return kind, value
}

// sourceRequired returns the entry for a request without a source. Its path is the first
// member that could name one.
func sourceRequired() problem.Entry {
	e := problem.Required(string(DraftID))
	e.Code = problem.CodeSourceRequired
	e.Message = fmt.Sprintf("%s or another source of the document is required", DraftID)
	e.InternalMessage = fmt.Sprintf("none of %s is present", nameList(SourceKinds()))
	e.Resolution = fmt.Sprintf("Send exactly one of %s.", nameList(SourceKinds()))
	return e
}

// sourceMultiple returns the fault of a second source.
func sourceMultiple(first, other SourceKind) *problem.Fault {
	return &problem.Fault{
		Code: problem.CodeSourceMultiple, Message: fmt.Sprintf("must not be sent together with %s", first),
		Resolution: fmt.Sprintf("Send exactly one of %s: remove %s or %s.", nameList(SourceKinds()), first, other),
	}
}

// nameList formats names as "a, b or c".
func nameList[T ~string](names []T) string {
	var text strings.Builder
	for i, name := range names {
		switch {
		case i > 0 && i == len(names)-1:
			text.WriteString(" or ")
		case i > 0:
			text.WriteString(", ")
		}
		text.WriteString(string(name))
	}
	return text.String()
}

// readInsights reads the requested insights, without duplicates.
func readInsights(o *jsonbody.Object) []Request {
	v, ok := o.Required("insights")
	if !ok {
		return nil
	}
	var requests []Request
	count, ok := v.Items(MaxInsights, func(item jsonbody.Value) {
		item.Object(func(o *jsonbody.Object) {
			if r := readRequest(o); !slices.Contains(requests, r) {
				requests = append(requests, r)
			}
		})
	})
	if ok {
		v.Check(checkCount(count))
	}
	return requests
}

// readRequest reads one insight. Clients send message, name and format with every type.
// They are ignored if they do not apply.
func readRequest(o *jsonbody.Object) Request {
	var r Request
	if v, text, ok := o.RequiredString("type"); ok {
		v.Check(checkKind(text))
		r.Type = Type(text)
	}
	if r.Type == CustomPrompt {
		r.Message = readMessage(o)
	} else {
		o.Optional("message")
	}
	o.Optional("name")
	o.Optional("format")
	return r
}

// readMessage reads the question of a custom_prompt.
func readMessage(o *jsonbody.Object) string {
	v, there := o.Optional("message")
	if !there {
		o.Report(promptRequired(o.Path()))
		return ""
	}
	text, ok := v.String()
	if !ok {
		return ""
	}
	v.Check(checkMessage(text))
	return text
}

// promptRequired returns the entry for a custom_prompt at path without a question.
func promptRequired(path string) problem.Entry {
	e := problem.Required(path + ".message")
	f := blankMessage()
	e.Code, e.Resolution = f.Code, f.Resolution
	return e
}

// readBool reads an optional boolean. The default is false.
func readBool(o *jsonbody.Object, name string) bool {
	v, ok := o.Optional(name)
	if ok && v.Raw().Kind() != 't' && v.Raw().Kind() != 'f' {
		v.Report(problem.WrongType(v.Path(), "true or false", v.Raw()))
	}
	return ok && v.Raw().Kind() == 't'
}
