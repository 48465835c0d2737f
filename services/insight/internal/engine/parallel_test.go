package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rectohq/recto/services/insight/internal/engine"
	"github.com/rectohq/recto/services/insight/internal/learn"
	"github.com/rectohq/recto/services/insight/internal/source"
	"github.com/rectohq/recto/services/insight/internal/source/sourcetest"
)

// TestPanicReachesTheCaller shows that a defect in what is found in parallel ends the analysis,
// not the program: the caller, which knows the job, can recover.
func TestPanicReachesTheCaller(t *testing.T) {
	s := sourcetest.New(t, "parallel-panic")
	e := engine.New(source.NewReader(s.Deps), nil).WithPayments(new(learn.Model)) // has no weights to read
	defer func() {
		if v := fmt.Sprint(recover()); !strings.Contains(v, "runtime error") || !strings.Contains(v, "amounts.(*Reader).Payments") {
			t.Errorf("got panic %s, want that of the weights, with its stack", v)
		}
	}()
	_, err := e.Analyze(t.Context(), s.Text(strings.Repeat(agreement, 20)), everything(), new(answered))
	t.Errorf("got the error %v, want a panic", err)
}
