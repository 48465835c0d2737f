package job

import (
	"errors"
	"time"

	"github.com/rectohq/recto/libs/problem"
)

// Final makes err end the job, whatever its code, because another try would not help.
func Final(err *problem.Error) error { return &final{err} }

// final marks an error of Work.
type final struct{ err *problem.Error }

func (f *final) Error() string { return f.err.Error() }
func (f *final) Unwrap() error { return f.err }

// After makes the next try of the job begin no earlier than after the delay, because what
// failed has asked for that.
func After(err error, delay time.Duration) error { return &delayed{err, delay} }

// delayed marks an error of Work.
type delayed struct {
	err   error
	delay time.Duration
}

func (d *delayed) Error() string { return d.err.Error() }
func (d *delayed) Unwrap() error { return d.err }

// wanted returns the delay that After has set, or 0.
func wanted(err error) time.Duration {
	var d *delayed
	if errors.As(err, &d) {
		return d.delay
	}
	return 0
}

// ownFault returns the error that ends a job, if err is one: the fault lies in the job
// itself, so another try would fail too.
func ownFault(err error) (*problem.Error, bool) {
	var f *final
	if errors.As(err, &f) {
		return f.err, true
	}
	var p *problem.Error
	if !errors.As(err, &p) {
		return nil, false
	}
	return p, p.Code != problem.Internal && p.Code != problem.Unavailable && p.Code != problem.TimedOut
}
