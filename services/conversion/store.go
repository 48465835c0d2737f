package conversion

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/rectohq/recto/libs/job"
	"github.com/rectohq/recto/libs/job/mongostore"
	"github.com/rectohq/recto/libs/job/sqlitestore"
	"github.com/rectohq/recto/libs/mongodb"
	"github.com/rectohq/recto/libs/telemetry"
)

// StoreConfig says where jobs are.
type StoreConfig struct {
	Database string `env:"CONVERSION_DATABASE,notEmpty" secret:"true" desc:"path of the SQLite database of jobs, or the mongodb:// URL of one on a server"`
}

// Validate implements config.Validator.
func (c StoreConfig) Validate() []error {
	if !mongodb.IsURL(c.Database) {
		return nil
	}
	if err := mongodb.Validate("CONVERSION_DATABASE", c.Database); err != nil {
		return []error{fmt.Errorf("  %w", err)}
	}
	return nil
}

// store is what keeps the jobs.
type store interface {
	job.Store
	Check(ctx context.Context) error
	Close() error
}

// openStore opens the store in the database of that path or URL. It waits for a
// server that is not there yet.
func openStore(ctx context.Context, database string, t *telemetry.Telemetry) (opened store, err error) {
	if mongodb.IsURL(database) {
		opened, err = mongostore.Open(ctx, database, t)
	} else {
		opened, err = sqlitestore.Open(ctx, database)
	}
	if err != nil {
		return nil, fmt.Errorf("open the store of jobs, CONVERSION_DATABASE: %w", err)
	}
	return opened, nil
}

// commandWait bounds how long a command waits for a database that is away: a
// person waits for the command.
const commandWait = 10 * time.Second

// openForCommand is openStore for a command of the terminal, which is told of
// errors alone.
func openForCommand(ctx context.Context, database string) (store, error) {
	t, err := telemetry.New(ctx, "conversion", telemetry.Config{LogLevel: slog.LevelError}, os.Stderr)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, commandWait)
	defer cancel()
	opened, err := openStore(ctx, database, t)
	if errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("the database of jobs has not answered for %s; see whether it runs and CONVERSION_DATABASE names it: %w", commandWait, err)
	}
	return opened, err
}
