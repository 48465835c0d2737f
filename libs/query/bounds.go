package query

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/rectohq/recto/libs/problem"
)

// Bounded parses an integer from 1 to limit from a parameter that must appear exactly
// once.
func Bounded(p Parameter, limit int64, problems *problem.List) (int64, bool) {
	text, ok := p.One()
	if !ok || !IsInteger(text) {
		problems.Add(problem.Unparsable(p.Name, problem.CodeInvalidType, p.Integer(), p.String()))
		return 0, false
	}
	n, _ := strconv.ParseInt(text, 10, 64) // saturates at the range of int64, which CheckBounds refuses
	fault := CheckBounds(n, limit)
	problems.Check(p.Name, text, fault)
	return n, fault == nil
}

// Integer describes a valid value in an error: "an integer", or "one integer" if the parameter
// is repeated.
func (p Parameter) Integer() string {
	if len(p.Values) > 1 {
		return "one integer"
	}
	return "an integer"
}

// CheckBounds returns a fault unless n is from 1 to limit. A limit above 32 bits only prevents
// overflows, so the fault of an integer below 1 does not name it.
func CheckBounds(n, limit int64) *problem.Fault {
	switch {
	case n >= 1 && n <= limit:
		return nil
	case n < 1 && limit > math.MaxInt32:
		return &problem.Fault{Code: problem.CodeOutOfRange, Message: "must be at least 1", Resolution: "Send an integer of at least 1."}
	}
	return &problem.Fault{
		Code: problem.CodeOutOfRange, Message: fmt.Sprintf("must be from 1 to %d", limit),
		Resolution: fmt.Sprintf("Send an integer from 1 to %d.", limit),
	}
}

// IsInteger reports whether s consists of an optional minus sign and ASCII digits, in any
// number.
func IsInteger(s string) bool {
	digits := strings.TrimPrefix(s, "-")
	return digits != "" && strings.Trim(digits, "0123456789") == ""
}
