package job

import (
	"time"

	"github.com/rectohq/recto/libs/config"
)

// Config is what the operator decides. The names of its variables begin with that
// of the service: it is a field of the service's configuration, with the tag
// envPrefix.
type Config struct {
	// Workers is how many jobs are done at a time. The service says.
	Workers int
	// AckWait is how long a worker may be silent before its job is handed to
	// another one.
	AckWait time.Duration `env:"ACK_WAIT" envDefault:"30s" desc:"time after which the job of a worker that is silent is handed to another one"`
	// Budget is how long one try may take.
	Budget time.Duration `env:"JOB_BUDGET" envDefault:"120s" desc:"time for one try of a job"`
	// MaxTries is how often a job is handed to a worker before it is given up.
	MaxTries int `env:"MAX_TRIES" envDefault:"5" desc:"tries after which a job is given up"`
	// Limit is how many jobs may wait; more are refused.
	Limit int64 `env:"QUEUE" envDefault:"10000" desc:"jobs that may wait; more are answered 5003"`
	// Share is how many jobs of one organization are in the queue at a time.
	// The others wait for their turn, so that nobody's work has to wait for all
	// of somebody else's.
	Share int `env:"SHARE" envDefault:"16" desc:"jobs of one organization that are in the queue at a time, in each lane; more wait for their turn"`
	// KeepEnded is how long jobs are kept that have ended. The service says: for
	// as long as their results.
	KeepEnded time.Duration
	// KeepDead is how long jobs are kept that were given up.
	KeepDead time.Duration `env:"KEEP_DEAD" envDefault:"720h" desc:"how long jobs that were given up are kept"`
}

// Check adds the problems of the variables, whose names begin with prefix.
func (c Config) Check(p *config.Problems, prefix string) {
	config.AtLeast(p, prefix+"ACK_WAIT", c.AckWait, time.Second)
	p.Positive(prefix+"JOB_BUDGET", c.Budget)
	config.AtLeast(p, prefix+"MAX_TRIES", c.MaxTries, 1)
	config.AtLeast(p, prefix+"QUEUE", c.Limit, 1)
	config.AtLeast(p, prefix+"SHARE", c.Share, 1)
	p.Positive(prefix+"KEEP_DEAD", c.KeepDead)
}
