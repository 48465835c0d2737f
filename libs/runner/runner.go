// Package runner turns parts into processes. A part is a function
// Run(ctx, config, deps) that serves until ctx ends; this package gives it its
// surroundings: signals, telemetry, the bus, and an orderly end. The program of
// a single service and the standalone program use the same pieces.
package runner

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/config"
	"github.com/rectohq/recto/libs/sandbox"
	"github.com/rectohq/recto/libs/telemetry"
)

// Version is the version of the program, semantic, set by the linker.
var Version = "0.0.0-dev"

// Config is the configuration that every service has beside its own.
type Config struct {
	Telemetry telemetry.Config
	Bus       bus.Config
}

// Main executes the command and ends the process: with 0 when it was done or
// told to end by SIGTERM or SIGINT, with 1 when it failed. A second signal ends
// it at once.
func Main(cmd *cobra.Command) {
	sandbox.Main()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	context.AfterFunc(ctx, stop) // from now on a signal ends the process
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.CompletionOptions.DisableDefaultCmd = true
	if err := cmd.ExecuteContext(ctx); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", cmd.Name(), err)
		os.Exit(1)
	}
}

// Command returns the command of the service called name. It fills cfg, which
// holds the service's variables with that prefix, from the environment before
// it calls run; its help lists them. It has the command health below it.
func Command(name, prefix, summary string, cfg any, run func(context.Context) error) *cobra.Command {
	cmd := &cobra.Command{
		Use: name, Short: summary, Version: Version, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := config.Load(os.Environ(), prefix, cfg); err != nil {
				return err
			}
			return run(cmd.Context())
		},
	}
	cmd.AddCommand(HealthCommand(locateHealth))
	usage := cmd.UsageFunc()
	cmd.SetUsageFunc(func(c *cobra.Command) error {
		if err := usage(c); err != nil || c != cmd {
			return err
		}
		fmt.Fprintln(c.OutOrStderr(), "\nEnvironment:")
		config.WriteHelp(c.OutOrStderr(), cfg)
		return nil
	})
	return cmd
}

// Serve runs one service as a process of its own: it makes the telemetry,
// serves metrics and health, connects to the bus, calls run and puts all of it
// away again. To be told to end while something is waited for is no error.
func Serve(ctx context.Context, name string, cfg Config, run func(context.Context, *telemetry.Telemetry, *bus.Conn) error) (err error) {
	t, err := telemetry.New(ctx, name, cfg.Telemetry, os.Stderr)
	if err != nil {
		return err
	}
	t.TakeStandardLog()
	defer func() { err = errors.Join(err, stopTelemetry(t)) }()
	stopMetrics, err := ServeMetrics(t, cfg.Telemetry.MetricsAddr)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stopMetrics()) }()
	conn, err := bus.Connect(ctx, name, cfg.Bus, t)
	if err != nil {
		return unlessEnded(ctx, err)
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	t.Log.Info("starting", "version", Version)
	defer t.Log.Info("stopped")
	return unlessEnded(ctx, run(ctx, t, conn))
}

// unlessEnded returns err, or nil if that only says that ctx has ended.
func unlessEnded(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return nil
	}
	return err
}

// ServeMetrics serves metrics and health on addr until the returned function is
// called. With no addr it does nothing.
func ServeMetrics(t *telemetry.Telemetry, addr string) (stop func() error, err error) {
	if addr == "" {
		return func() error { return nil }, nil
	}
	ln, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("listen for metrics: %w", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- t.Serve(ctx, ln) }()
	return func() error {
		cancel()
		return <-done
	}, nil
}

// flushTimeout bounds the sending of the last traces.
const flushTimeout = 5 * time.Second

// stopTelemetry sends the traces that are still held. It has a time of its own:
// the one of the process has ended.
func stopTelemetry(t *telemetry.Telemetry) error {
	ctx, cancel := context.WithTimeout(context.Background(), flushTimeout)
	defer cancel()
	return t.Stop(ctx)
}
