package documentapi

import (
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/libs/query"
)

// Condition restricts one field.
type Condition struct {
	Field Field `json:"field"`
	Op    Op    `json:"op"`
	// Values are the alternatives of In for a text field. An empty list matches nothing.
	Values []string `json:"values,omitempty"`
	// Times are the alternatives of In for a time field, where an empty list matches
	// nothing, or the single bound of the other operators. Unix milliseconds.
	Times []int64 `json:"times,omitempty"`
}

// Op is the operator of a condition.
type Op string

// The operators of a condition.
const (
	In             Op = "in"
	GreaterOrEqual Op = "gte"
	Greater        Op = "gt"
	LessOrEqual    Op = "lte"
	Less           Op = "lt"
)

const (
	// maxConditions and maxValues bound the conditions and values of one list request.
	maxConditions = 50
	maxValues     = 1000
)

var (
	textFields = []Field{FieldOrganization, FieldState, FieldCreatedBy, FieldUpdatedBy}
	timeFields = []Field{FieldCreatedAt, FieldUpdatedAt}
	bounds     = []Op{GreaterOrEqual, Greater, LessOrEqual, Less}
)

// listParameters are the names of all parameters of a list: paging, order and filters.
var listParameters = append([]string{"size", "page", "order_by"}, filterNames()...)

// filterNames returns the names of all filter parameters, with and without a bound
// operator.
func filterNames() []string {
	var names []string
	for _, f := range slices.Concat(textFields, timeFields) {
		names = append(names, Condition{Field: f, Op: In}.parameter())
	}
	for _, f := range timeFields {
		for _, op := range bounds {
			names = append(names, Condition{Field: f, Op: op}.parameter())
		}
	}
	return names
}

// parameter returns the name of the query parameter for the condition.
func (c Condition) parameter() string {
	if c.Op == In {
		return string(c.Field)
	}
	return fmt.Sprintf("%s[%s]", c.Field, c.Op)
}

// parseFilter returns a condition for each value of p. Repeating a parameter means AND.
func parseFilter(p query.Parameter, problems *problem.List) []Condition {
	name, suffix, isBound := strings.Cut(strings.TrimSuffix(p.Name, "]"), "[")
	var out []Condition
	for _, value := range p.Values {
		var c Condition
		var ok bool
		switch {
		case isBound:
			c, ok = parseBound(p.Name, value, problems)
			c.Op = Op(suffix)
		case slices.Contains(timeFields, Field(name)):
			c, ok = parseTimes(p.Name, value, problems)
		default:
			c, ok = parseTexts(p.Name, value, problems)
		}
		c.Field = Field(name)
		if ok {
			out = append(out, c)
		}
	}
	return out
}

// parseExpression parses "a,b+c" as [[a] [b c]]: the outer list is OR, the inner
// AND, and AND binds tighter. Operators may be percent-encoded. A space also means
// AND, because forms decode "+" to a space.
func parseExpression(name, raw string, problems *problem.List) ([][]string, bool) {
	text, err := url.PathUnescape(raw)
	if err != nil {
		problems.Add(problem.Unparsable(name, problem.CodeFilterInvalid, "valid percent-encoding", raw))
		return nil, false
	}
	var groups [][]string
	for group := range strings.SplitSeq(text, ",") {
		values := strings.Split(strings.ReplaceAll(group, " ", "+"), "+")
		if slices.Contains(values, "") {
			problems.Check(name, text, &problem.Fault{
				Code: problem.CodeFilterInvalid, Message: "has an empty value",
				Resolution: `Send one value, or several values separated by "," (any of them) or "+" (all of them). No value may be empty.`,
			})
			return nil, false
		}
		groups = append(groups, values)
	}
	return groups, true
}

// parseTexts parses an expression over texts. A document has one value for the field,
// so a group (joined by +) with different values matches nothing and is left out. A
// value that is not valid UTF-8 is also left out: no document has one, and JSON could
// not carry it.
func parseTexts(name, raw string, problems *problem.List) (Condition, bool) {
	groups, ok := parseExpression(name, raw, problems)
	c := Condition{Op: In}
	for _, group := range groups {
		if group = slices.Compact(group); len(group) == 1 && utf8.ValidString(group[0]) {
			c.Values = append(c.Values, group[0])
		}
	}
	return c, ok
}

// parseTimes parses an expression over times. A document has one time for the field, so
// a group (joined by +) with different times matches nothing and is left out.
func parseTimes(name, raw string, problems *problem.List) (Condition, bool) {
	groups, ok := parseExpression(name, raw, problems)
	c := Condition{Op: In}
	for _, group := range groups {
		times := make([]int64, 0, len(group))
		possible := true
		for _, text := range group {
			if !query.IsInteger(text) {
				problems.Add(problem.Unparsable(name, problem.CodeInvalidType, "an integer in Unix milliseconds", text))
				return c, false
			}
			t, err := strconv.ParseInt(text, 10, 64)
			possible = possible && err == nil // no document has a time beyond 64 bits
			times = append(times, t)
		}
		if times = slices.Compact(times); possible && len(times) == 1 {
			c.Times = append(c.Times, times[0])
		}
	}
	return c, ok
}

// parseBound parses the integer of a bound such as created_at[gte]. Integers beyond 64
// bits become the largest or smallest int64.
func parseBound(name, raw string, problems *problem.List) (Condition, bool) {
	groups, ok := parseExpression(name, raw, problems)
	if !ok {
		return Condition{}, false
	}
	text := groups[0][0]
	if len(groups) > 1 || len(groups[0]) > 1 {
		problems.Check(name, raw, &problem.Fault{
			Code: problem.CodeFilterInvalid, Message: "does not accept operators",
			Resolution: "Send one integer in Unix milliseconds.",
		})
		return Condition{}, false
	}
	if !query.IsInteger(text) {
		problems.Add(problem.Unparsable(name, problem.CodeInvalidType, "an integer in Unix milliseconds", text))
		return Condition{}, false
	}
	t, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		t = math.MaxInt64
		if strings.HasPrefix(text, "-") {
			t = math.MinInt64
		}
	}
	return Condition{Times: []int64{t}}, true
}

// checkBreadth bounds the conditions and values of one list. It reports the first
// parameter that exceeds the limit.
func checkBreadth(where []Condition, problems *problem.List) {
	values := 0
	for i, c := range where {
		values += len(c.Values) + len(c.Times)
		if i < maxConditions && values <= maxValues {
			continue
		}
		problems.Check(c.parameter(), fmt.Sprintf("%d filters, %d values", i+1, values), &problem.Fault{
			Code:       problem.CodeFilterInvalid,
			Message:    fmt.Sprintf("exceeds the limit of %d filters and %d values for one list", maxConditions, maxValues),
			Resolution: "Send fewer filters and values. Split the request into several.",
		})
		return
	}
}
