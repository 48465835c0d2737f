package documentapi

import (
	"slices"
	"strconv"

	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/libs/query"
)

// Limits and defaults of a list.
const (
	MaxPageSize     = 500
	DefaultPageSize = 100
)

// ListRequest asks for one page of an organization's documents.
type ListRequest struct {
	// Page counts from 1.
	Page int64 `json:"page"`
	Size int   `json:"size"`
	// Order is never empty. The id breaks ties, in the direction of the first field.
	Order []Order `json:"order"`
	// Where lists the conditions. A document must meet all of them.
	Where []Condition `json:"where"`
}

// ListResponse is one page of documents as the API represents it.
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

// ParseList parses the query of List Documents. It takes the raw query, because the
// operators "," and "+" cannot be recognized after decoding. The error is a
// *problem.Error that lists every problem, in the order of the parameters.
func ParseList(rawQuery string) (ListRequest, error) {
	r := ListRequest{Page: 1, Size: DefaultPageSize, Order: []Order{{Field: FieldCreatedAt, Descending: true}}, Where: []Condition{}}
	var problems problem.List
	query.Read(rawQuery, listParameters, &problems, func(p query.Parameter) {
		switch p.Name {
		case "size", "page":
			ReadPaging(p, &r.Page, &r.Size, &problems)
		case "order_by":
			if order, ok := parseOrder(p, &problems); ok {
				r.Order = order
			}
		default:
			r.Where = append(r.Where, parseFilter(p, &problems)...)
		}
	})
	checkBreadth(r.Where, &problems)
	return r, problems.Err()
}

// Validate checks the limits again in the service.
func (r ListRequest) Validate() error {
	var problems problem.List
	CheckPaging(r.Page, r.Size, &problems)
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

// ReadPaging reads the parameter "page" or "size" of a list.
func ReadPaging(p query.Parameter, page *int64, size *int, problems *problem.List) {
	if p.Name == "page" {
		if n, ok := query.Bounded(p, maxPage, problems); ok {
			*page = n
		}
		return
	}
	if n, ok := query.Bounded(p, MaxPageSize, problems); ok {
		*size = int(n)
	}
}

// CheckPaging checks the page and size of a list again in the service.
func CheckPaging(page int64, size int, problems *problem.List) {
	problems.Check("size", strconv.Itoa(size), query.CheckBounds(int64(size), MaxPageSize))
	problems.Check("page", strconv.FormatInt(page, 10), query.CheckBounds(page, maxPage))
}
