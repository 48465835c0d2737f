// Package runner turns parts into processes. A part is a function Run(ctx, config, deps)
// that serves until ctx ends. This package provides its environment: signals, telemetry,
// the bus, and an orderly shutdown. The programs of single services and the standalone
// program use the same building blocks.
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
	"github.com/rectohq/recto/libs/listener"
	"github.com/rectohq/recto/libs/sandbox"
	"github.com/rectohq/recto/libs/telemetry"
)

// Version is the semantic version of the program, set by the linker.
var Version = "0.0.0-dev"

// Config is the configuration that every service has in addition to its own.
type Config struct {
	Telemetry telemetry.Config
	Bus       bus.Config
}

// Main executes the command line and exits with the exit code of Execute. SIGTERM and
// SIGINT end the command without an error. A second signal kills the process at once.
func Main(cmd *cobra.Command) {
	sandbox.Main()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	context.AfterFunc(ctx, stop) // from now on a signal kills the process
	os.Exit(Execute(ctx, cmd))
}

// Command returns the command of the service called name. Before it calls run, it fills
// cfg from the environment; cfg holds the service's variables, which begin with prefix.
// The help of the command lists the variables. It has the subcommands health and version.
func Command(name, prefix, summary string, cfg any, run func(context.Context) error) *cobra.Command {
	cmd := &cobra.Command{
		Use: name, Short: summary, Version: Version, Args: cobra.NoArgs,
		Long: summary + " Without a command, it runs until SIGTERM or SIGINT.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := config.Load(os.Environ(), prefix, cfg); err != nil {
				return err
			}
			return run(cmd.Context())
		},
	}
	cmd.AddCommand(HealthCommand(locateHealth), VersionCommand())
	cmd.SetUsageFunc(func(c *cobra.Command) error {
		PrintUsage(c)
		if c == cmd {
			own := config.Section{Title: "Environment (" + name + ")", Prefixes: prefix}
			config.WriteHelp(c.OutOrStderr(), config.Fields(cfg), append([]config.Section{own}, SharedSections()...)...)
		}
		return nil
	})
	return cmd
}

// VersionCommand returns the command that prints the program's version.
func VersionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Args: cobra.NoArgs,
		Run: func(cmd *cobra.Command, _ []string) {
			fmt.Fprintln(cmd.OutOrStdout(), cmd.Root().Name(), Version)
		},
	}
}

// Serve runs one service as a process of its own: it sets up telemetry, serves metrics
// and health, connects to the bus, calls run, and shuts everything down again.
// Cancellation during startup is not an error.
func Serve(ctx context.Context, name string, cfg Config, run func(context.Context, *telemetry.Telemetry, *bus.Conn) error) (err error) {
	t, err := telemetry.New(ctx, name, cfg.Telemetry, os.Stderr)
	if err != nil {
		return err
	}
	t.TakeStandardLog()
	defer func() { err = errors.Join(err, stopTelemetry(t)) }()
	t.Health.Part(name) // otherwise readiness would depend on metrics alone
	var metrics Group
	defer func() { err = errors.Join(err, metrics.Stop(metricsGrace)) }()
	if err := StartMetrics(ctx, &metrics, t, cfg.Telemetry); err != nil {
		return unlessEnded(ctx, err)
	}
	return unlessFailed(ctx, &metrics, func(ctx context.Context) error { return serve(ctx, name, cfg, t, run) })
}

// unlessFailed calls run, and cancels it when a part of the group fails, whose error it
// then returns.
func unlessFailed(ctx context.Context, g *Group, run func(context.Context) error) error {
	ctx, cancel := context.WithCancel(ctx)
	failed := make(chan error, 1)
	go func() {
		defer cancel()
		failed <- g.Wait(ctx)
	}()
	err := run(ctx)
	cancel()
	return errors.Join(<-failed, err)
}

// serve does the part of Serve that comes after metrics and health are served.
func serve(ctx context.Context, name string, cfg Config, t *telemetry.Telemetry, run func(context.Context, *telemetry.Telemetry, *bus.Conn) error) (err error) {
	conn, err := bus.Connect(ctx, name, cfg.Bus, t)
	if err != nil {
		return unlessEnded(ctx, err)
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	t.Log.Info("starting", "version", Version)
	defer t.Log.Info("stopped")
	return unlessEnded(ctx, run(ctx, t, conn))
}

// unlessEnded returns err, or nil if err only reports that ctx has ended.
func unlessEnded(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return nil
	}
	return err
}

// metricsGrace bounds the shutdown of metrics and health, which does not wait for open
// requests.
const metricsGrace = 10 * time.Second

// StartMetrics starts the part of the group that serves metrics and health, if cfg has an
// address for them. If that part fails, so does the group.
func StartMetrics(ctx context.Context, g *Group, t *telemetry.Telemetry, cfg telemetry.Config) error {
	if cfg.MetricsAddr == "" {
		return nil
	}
	part := t.Health.Part("metrics")
	return g.Start(ctx, "metrics", func(ctx context.Context) error {
		ln, err := listenForMetrics(t, cfg)
		if err != nil {
			return err
		}
		part.Up(ln.Check)
		return t.Serve(ctx, ln)
	}, part.Wait)
}

// listenForMetrics opens the listener that cfg describes.
func listenForMetrics(t *telemetry.Telemetry, cfg telemetry.Config) (*listener.Listener, error) {
	trusted, err := config.ParseNetworks(cfg.MetricsTrusted)
	if err != nil {
		return nil, err
	}
	ln, err := net.Listen("tcp", cfg.MetricsAddr)
	if err != nil {
		return nil, fmt.Errorf("listen for metrics: %w", err)
	}
	limited, err := listener.New(ln, listener.Options{
		Name: "metrics", Max: cfg.MetricsConnections, PerAddress: cfg.MetricsPerAddress, Trusted: trusted, Stall: telemetry.MetricsStall,
		Log: t.Log, Metrics: t.Metrics,
	})
	if err != nil {
		return nil, errors.Join(err, ln.Close())
	}
	return limited, nil
}

// flushTimeout bounds the sending of the last traces.
const flushTimeout = 5 * time.Second

// stopTelemetry sends the buffered traces. It uses a context of its own, because that of
// the process has ended.
func stopTelemetry(t *telemetry.Telemetry) error {
	ctx, cancel := context.WithTimeout(context.Background(), flushTimeout)
	defer cancel()
	return t.Stop(ctx)
}
