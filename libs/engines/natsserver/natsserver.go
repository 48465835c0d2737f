// Package natsserver runs a NATS server with JetStream inside the process: the
// bus of the standalone program, and of tests.
package natsserver

import (
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// Config says where and how the server stores.
type Config struct {
	// Dir is where JetStream keeps its files.
	Dir string
	// MaxMemory and MaxStore bound what JetStream holds, in bytes.
	MaxMemory, MaxStore int64
	// Log receives the server's warnings and errors.
	Log *slog.Logger
}

// Server is a running NATS server that listens on no port: it is reached by
// connections from within the process.
type Server struct{ s *server.Server }

// startTimeout is how long the recovery of what JetStream stored may take.
const startTimeout = time.Minute

// Start starts a server and returns when it accepts connections. What it
// stores in files is on the disk when it says so (sync_interval: always).
func Start(cfg Config) (*Server, error) {
	s, err := server.NewServer(&server.Options{
		ServerName: "recto", DontListen: true, NoSigs: true,
		JetStream: true, StoreDir: cfg.Dir, SyncAlways: true,
		JetStreamMaxMemory: cfg.MaxMemory, JetStreamMaxStore: cfg.MaxStore,
	})
	if err != nil {
		return nil, fmt.Errorf("configure NATS: %w", err)
	}
	s.SetLoggerV2(logger{cfg.Log}, false, false, false)
	s.Start()
	if !s.ReadyForConnections(startTimeout) {
		s.Shutdown()
		return nil, errors.New("NATS did not start; see the log")
	}
	if !s.JetStreamEnabled() {
		s.Shutdown()
		return nil, fmt.Errorf("JetStream did not start on %s; see the log", cfg.Dir)
	}
	return &Server{s}, nil
}

// Option makes a connection one from within the process.
func (s *Server) Option() nats.Option { return nats.InProcessServer(s.s) }

// Stop ends the server and returns when its files are closed.
func (s *Server) Stop() {
	s.s.Shutdown()
	s.s.WaitForShutdown()
}

// logger writes what matters of the server's log.
type logger struct{ log *slog.Logger }

func (l logger) Noticef(format string, v ...any) { l.log.Debug("nats: " + fmt.Sprintf(format, v...)) }
func (l logger) Warnf(format string, v ...any)   { l.log.Warn("nats: " + fmt.Sprintf(format, v...)) }
func (l logger) Fatalf(format string, v ...any)  { l.log.Error("nats: " + fmt.Sprintf(format, v...)) }
func (l logger) Errorf(format string, v ...any)  { l.log.Error("nats: " + fmt.Sprintf(format, v...)) }
func (logger) Debugf(string, ...any)             {}
func (logger) Tracef(string, ...any)             {}
