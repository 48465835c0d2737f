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

// commandWait bounds how long a command waits for an unavailable database, as a person is
// waiting for the command.
const commandWait = 10 * time.Second

// CommandTelemetry returns the telemetry for a service's terminal command. It logs only
// errors.
func CommandTelemetry(ctx context.Context, service string) (*telemetry.Telemetry, error) {
	return telemetry.New(ctx, service, telemetry.Config{LogLevel: slog.LevelError}, os.Stderr)
}

// OpenStore opens a store for a terminal command and waits at most commandWait for the
// database. open opens the store; variable is the environment variable that names its
// database.
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
		err = fmt.Errorf("the database did not answer within %s; check that it is running and that %s is correct: %w", commandWait, variable, err)
	}
	return store, err
}
