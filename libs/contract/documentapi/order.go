package documentapi

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/libs/query"
)

// Order is one field of an order_by.
type Order struct {
	Field      Field `json:"field"`
	Descending bool  `json:"descending,omitzero"`
}

// maxOrder bounds how many fields one order_by names.
const maxOrder = 8

var orderFields = []Field{FieldCreatedAt, FieldUpdatedAt, FieldName, FieldState}

// parseOrder reads "field [ASC|DESC]", several with commas, decoded as a form
// value: "+" is a space.
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

// checkOrderForm looks at the parameter as a whole, before its terms.
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

// parseOrderTerm reads one field with its direction, which is ascending if it is
// left out and may be in any case.
func parseOrderTerm(term string) (Order, *problem.Fault) {
	words := strings.Fields(term)
	if len(words) == 0 || len(words) > 2 {
		return Order{}, orderFault("must be a field and ASC or DESC, several separated by commas")
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

// orderFault is what is wrong with order_by, and how to write it.
func orderFault(message string) *problem.Fault {
	return &problem.Fault{
		Code: problem.CodeOrderByInvalid, Message: message,
		Resolution: `Order by created_at, updated_at, name or state, for example "name ASC, created_at DESC".`,
	}
}
