package jobrun

import (
	"context"
	"sync"
	"time"

	"github.com/rectohq/recto/libs/config"
	"github.com/rectohq/recto/libs/mongodb"
	"github.com/rectohq/recto/libs/telemetry"
)

// Role says which part of a service's work an instance does. With instances of the roles
// API and Worker, the number of workers can follow the length of the queue, down to none.
type Role string

const (
	// All does everything. It is also the meaning of "".
	All Role = "all"
	// API accepts requests, puts jobs into the queue, returns results, and removes
	// expired and purged data. It runs no jobs.
	API Role = "api"
	// Worker runs jobs and the requests in queues. It has no endpoints.
	Worker Role = "worker"
)

// Check adds a problem if the role is unknown, or if the other instances cannot share the
// database at the given path or URL. The names of the variables begin with prefix.
func (r Role) Check(p *config.Problems, prefix, database string) {
	known := r == All || r == API || r == Worker
	p.Require(known, "%sROLE must be all, api or worker", prefix)
	p.Require(!known || r == All || database == "" || mongodb.IsURL(database),
		"%[1]sROLE=%[2]s needs a database that all instances share: set %[1]sDATABASE to a mongodb:// URL, or %[1]sROLE to all", prefix, r)
}

// Works reports whether an instance runs jobs.
func (r Role) Works() bool { return r != API }

// accepts reports whether an instance accepts requests.
func (r Role) accepts() bool { return r != Worker }

// Workers returns the number of workers of an instance that is configured to have n.
func (r Role) Workers(n int) int {
	if r.Works() {
		return n
	}
	return 0
}

// warmUpEvery is the interval between attempts to warm up.
const warmUpEvery = 30 * time.Second

// WarmUp calls prepare in the background. Prepare readies what jobs need, which is called
// name, so that the first job does not wait for it. A Worker is not ready until prepare
// has succeeded, and calls it again until then or until ctx ends. An instance that accepts
// requests calls it once: it can accept jobs without it, and some requests need no job.
func (r Role) WarmUp(ctx context.Context, background *sync.WaitGroup, name string, t *telemetry.Telemetry, prepare func(context.Context) error) {
	if r == Worker {
		t.Health.Part(name) // from now on the instance is not ready
	}
	background.Go(func() {
		err := prepare(ctx)
		for ; err != nil && ctx.Err() == nil; err = prepare(ctx) {
			t.Log.Error(name+" does not work; run recto doctor", "error", err)
			if r != Worker {
				return
			}
			t.Health.Part(name).Down(err.Error())
			select {
			case <-ctx.Done():
			case <-time.After(warmUpEvery):
			}
		}
		if err == nil && r == Worker {
			t.Health.Part(name).Up()
		}
	})
}
