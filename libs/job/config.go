package job

import (
	"time"

	"github.com/rectohq/recto/libs/config"
)

// Config holds the settings of the operator. The names of its variables begin with the
// name of the service: it is a field of the service's configuration, with the tag
// envPrefix.
type Config struct {
	// Workers is the number of concurrent jobs. It is set by the service. With 0, the pool
	// accepts jobs and fills the queue for the pools of other processes.
	Workers int
	// AckWait is how long a worker may be silent before its job is redelivered to another
	// worker.
	AckWait time.Duration `env:"ACK_WAIT" envDefault:"30s" desc:"time after which the job of a silent worker is redelivered to another worker"`
	// Budget is the time limit of one try.
	Budget time.Duration `env:"JOB_BUDGET" envDefault:"120s" desc:"time limit for one try of a job"`
	// MaxTries is the number of tries after which a job is dead-lettered.
	MaxTries int `env:"MAX_TRIES" envDefault:"5" desc:"tries after which a job is dead-lettered"`
	// Limit is how many jobs may be unfinished; more are rejected.
	Limit int64 `env:"QUEUE" envDefault:"10000" desc:"maximum number of unfinished jobs; more fail with 5003"`
	// Share is how many jobs of one organization may be in the queue, in each lane. The
	// others wait for their turn, so that no organization has to wait for all the work of
	// another.
	Share int `env:"SHARE" envDefault:"16" desc:"jobs of one organization that may be in the queue, in each lane; the others wait for their turn"`
	// KeepEnded is how long finished jobs are kept. It is set by the service, to the
	// lifetime of their results.
	KeepEnded time.Duration
	// KeepDead is how long dead-lettered jobs are kept.
	KeepDead time.Duration `env:"KEEP_DEAD" envDefault:"720h" desc:"how long dead-lettered jobs are kept"`
}

// Check adds the problems of the variables; their names begin with prefix.
func (c Config) Check(p *config.Problems, prefix string) {
	config.AtLeast(p, prefix+"ACK_WAIT", c.AckWait, time.Second)
	p.Positive(prefix+"JOB_BUDGET", c.Budget)
	config.AtLeast(p, prefix+"MAX_TRIES", c.MaxTries, 1)
	config.AtLeast(p, prefix+"QUEUE", c.Limit, 1)
	config.AtLeast(p, prefix+"SHARE", c.Share, 1)
	p.Positive(prefix+"KEEP_DEAD", c.KeepDead)
}
