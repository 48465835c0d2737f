package runner

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/rectohq/recto/libs/telemetry"
)

// commandWait bounds how long a command waits for a database that is away: a
// person waits for the command.
const commandWait = 10 * time.Second

// CommandTelemetry is the telemetry of a command of the terminal of a service,
// which tells of errors alone.
func CommandTelemetry(ctx context.Context, service string) (*telemetry.Telemetry, error) {
	return telemetry.New(ctx, service, telemetry.Config{LogLevel: slog.LevelError}, os.Stderr)
}

// OpenStore opens a store for a command of the terminal, and waits for it no
// longer than a person does. Open opens the store of the service; the variable
// names its database.
func OpenStore[S any](ctx context.Context, service, variable string, open func(context.Context, *telemetry.Telemetry) (S, error)) (S, error) {
	t, err := CommandTelemetry(ctx, service)
	if err != nil {
		var none S
		return none, err
	}
	ctx, cancel := context.WithTimeout(ctx, commandWait)
	defer cancel()
	store, err := open(ctx, t)
	if errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("the database has not answered for %s; see whether it runs and %s names it: %w", commandWait, variable, err)
	}
	return store, err
}
