package documentapi

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/libs/query"
)

// Order is one term of order_by.
type Order struct {
	Field      Field `json:"field"`
	Descending bool  `json:"descending,omitzero"`
}

// maxOrder is the largest number of fields in order_by.
const maxOrder = 8

var orderFields = []Field{FieldCreatedAt, FieldUpdatedAt, FieldName, FieldState}

// parseOrder parses a comma-separated list of "field [ASC|DESC]". The value is decoded
// like a form value: "+" is a space.
func parseOrder(p query.Parameter, problems *problem.List) ([]Order, bool) {
	text, err := url.QueryUnescape(p.Values[0])
	fault := checkOrderForm(p, text, err)
	var order []Order
	for term := range strings.SplitSeq(text, ",") {
		if fault != nil {
			break
		}
		var o Order
		o, fault = parseOrderTerm(term)
		order = append(order, o)
	}
	problems.Check(p.Name, p.String(), fault)
	return order, fault == nil
}

// checkOrderForm checks the parameter as a whole, before its terms.
func checkOrderForm(p query.Parameter, text string, err error) *problem.Fault {
	switch {
	case err != nil:
		return orderFault("is not valid percent-encoding")
	case len(p.Values) > 1:
		return orderFault("is given more than once")
	case strings.Count(text, ",") >= maxOrder:
		return orderFault(fmt.Sprintf("names more than %d fields", maxOrder))
	}
	return nil
}

// parseOrderTerm parses one field with an optional direction. The direction is case
// insensitive, and ascending by default.
func parseOrderTerm(term string) (Order, *problem.Fault) {
	words := strings.Fields(term)
	if len(words) == 0 || len(words) > 2 {
		return Order{}, orderFault("must be fields separated by commas, each optionally followed by ASC or DESC")
	}
	o := Order{Field: Field(words[0])}
	if !slices.Contains(orderFields, o.Field) {
		return Order{}, orderFault(fmt.Sprintf("names the unknown field %.64q", words[0]))
	}
	if len(words) == 2 {
		o.Descending = strings.EqualFold(words[1], "DESC")
		if !o.Descending && !strings.EqualFold(words[1], "ASC") {
			return Order{}, orderFault(fmt.Sprintf("has the unknown direction %.64q", words[1]))
		}
	}
	return o, nil
}

// orderFault returns a fault of order_by.
func orderFault(message string) *problem.Fault {
	return &problem.Fault{
		Code: problem.CodeOrderByInvalid, Message: message,
		Resolution: `Order by created_at, updated_at, name or state, for example "name ASC, created_at DESC".`,
	}
}
