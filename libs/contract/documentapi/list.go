package documentapi

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/rectohq/recto/libs/nearest"
	"github.com/rectohq/recto/libs/problem"
)

// Bounds and defaults of a list.
const (
	MaxPageSize     = 500
	DefaultPageSize = 100
)

// ListRequest asks for one page of an organization's documents.
type ListRequest struct {
	// Page counts from 1.
	Page int64 `json:"page"`
	Size int   `json:"size"`
	// Order is never empty. The id breaks ties, in the direction of its first.
	Order []Order `json:"order"`
	// Where holds the conditions that a document has to meet, all of them.
	Where []Condition `json:"where"`
}

// ListResponse is one page of documents as the API shows it.
type ListResponse struct {
	Items []Document `json:"items"`
	Total int64      `json:"total"`
	Page  int64      `json:"page"`
	Size  int        `json:"size"`
	Pages int64      `json:"pages"`
}

// Field is a field that lists can be filtered or ordered by.
type Field string

// The fields that lists can be filtered or ordered by.
const (
	FieldOrganization Field = "organization_id"
	FieldName         Field = "name"
	FieldState        Field = "state"
	FieldCreatedBy    Field = "created_by"
	FieldUpdatedBy    Field = "updated_by"
	FieldCreatedAt    Field = "created_at"
	FieldUpdatedAt    Field = "updated_at"
)

// parameter is a query parameter with all its values, still encoded, in the
// order in which they stand in the query.
type parameter struct {
	name   string
	values []string
}

// ParseList reads the query of List Documents as it stands in the URL: only
// there can the operators "," and "+" be told. The error is a *problem.Error
// with all that is wrong, in the order of the parameters.
func ParseList(rawQuery string) (ListRequest, error) {
	r := ListRequest{Page: 1, Size: DefaultPageSize, Order: []Order{{Field: FieldCreatedAt, Descending: true}}, Where: []Condition{}}
	var problems problem.List
	for _, p := range splitQuery(rawQuery) {
		switch {
		case p.name == "size":
			if n, ok := parseBounded(p, MaxPageSize, &problems); ok {
				r.Size = int(n)
			}
		case p.name == "page":
			if n, ok := parseBounded(p, maxPage, &problems); ok {
				r.Page = n
			}
		case p.name == "order_by":
			if order, ok := parseOrder(p, &problems); ok {
				r.Order = order
			}
		case slices.Contains(filterNames, p.name):
			r.Where = append(r.Where, parseFilter(p, &problems)...)
		default:
			problems.Add(unknownParameter(p))
		}
	}
	checkBreadth(r.Where, &problems)
	return r, problems.Err()
}

// Validate checks the bounds once more, where the request arrives.
func (r ListRequest) Validate() error {
	var problems problem.List
	problems.Check("size", strconv.Itoa(r.Size), checkBounds(int64(r.Size), MaxPageSize))
	problems.Check("page", strconv.FormatInt(r.Page, 10), checkBounds(r.Page, maxPage))
	for _, o := range r.Order {
		if !slices.Contains(orderFields, o.Field) {
			problems.Check("order_by", string(o.Field), orderFault("names an unknown field"))
		}
	}
	if len(r.Order) == 0 {
		problems.Check("order_by", "", orderFault("must not be empty"))
	}
	checkBreadth(r.Where, &problems)
	return problems.Err()
}

// maxPage keeps the offset of a page within 64 bits.
const maxPage = (1<<63 - 1) / MaxPageSize

// splitQuery groups the parameters of a raw query by their decoded names, in
// the order of their first appearance.
func splitQuery(raw string) []parameter {
	var out []parameter
	index := map[string]int{}
	for part := range strings.SplitSeq(raw, "&") {
		if part == "" {
			continue
		}
		name, value, _ := strings.Cut(part, "=")
		if decoded, err := url.QueryUnescape(name); err == nil {
			name = strings.ToValidUTF8(decoded, "\uFFFD")
		}
		i, known := index[name]
		if !known {
			i = len(out)
			index[name] = i
			out = append(out, parameter{name: name})
		}
		out[i].values = append(out[i].values, value)
	}
	return out
}

// parseBounded reads an integer from 1 to limit that is given once.
func parseBounded(p parameter, limit int64, problems *problem.List) (int64, bool) {
	text, err := url.QueryUnescape(p.values[0])
	if len(p.values) > 1 || err != nil || !isInteger(text) {
		problems.Add(problem.Unparsable(p.name, problem.CodeInvalidType, "one integer", decodedValues(p)))
		return 0, false
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		n = 0 // an integer, but beyond 64 bits
	}
	fault := checkBounds(n, limit)
	problems.Check(p.name, text, fault)
	return n, fault == nil
}

// checkBounds allows 1 to limit.
func checkBounds(n, limit int64) *problem.Fault {
	if n >= 1 && n <= limit {
		return nil
	}
	return &problem.Fault{
		Code: problem.CodeOutOfRange, Message: fmt.Sprintf("must be from 1 to %d", limit),
		Resolution: fmt.Sprintf("Send an integer from 1 to %d.", limit),
	}
}

// unknownParameter tells of a parameter without a meaning. It is refused, since
// a mistyped filter that is ignored shows documents that were to be left out.
func unknownParameter(p parameter) problem.Entry {
	resolution := "Leave it out."
	if meant, _ := nearest.Name(p.name, parameterNames); meant != "" {
		resolution = fmt.Sprintf("Did you mean %s? Otherwise leave it out.", meant)
	}
	return problem.Broken(p.name, problem.EchoString(decodedValues(p)), problem.Fault{
		Code: problem.CodeUnknownParameter, Message: "is not a parameter of this list", Resolution: resolution,
	})
}

// decodedValues returns the values of p as a person would write them.
func decodedValues(p parameter) string {
	values := slices.Clone(p.values)
	for i, v := range values {
		if decoded, err := url.QueryUnescape(v); err == nil {
			values[i] = decoded
		}
	}
	return strings.Join(values, ", ")
}
