// Package natsserver runs a NATS server with JetStream inside the process. It is
// the bus of the standalone program and of tests.
package natsserver

import (
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// Config configures a Server.
type Config struct {
	// Dir is the folder for JetStream's files.
	Dir string
	// MaxMemory and MaxStore limit JetStream's memory and file storage, in bytes.
	MaxMemory, MaxStore int64
	// Log receives the server's warnings and errors.
	Log *slog.Logger
}

// Server is a running NATS server. It listens on no port and accepts only
// connections from within the process.
type Server struct{ s *server.Server }

// startTimeout bounds the startup, including the recovery of JetStream's files.
const startTimeout = time.Minute

// Start starts a server and returns when it accepts connections. The server
// syncs file storage to disk before it acknowledges (sync_interval: always).
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

// Option returns the option that connects a client to the server within the process.
func (s *Server) Option() nats.Option { return nats.InProcessServer(s.s) }

// Stop stops the server and returns when its files are closed.
func (s *Server) Stop() {
	s.s.Shutdown()
	s.s.WaitForShutdown()
}

// logger writes the relevant part of the server's log to log.
type logger struct{ log *slog.Logger }

func (l logger) Noticef(format string, v ...any) { l.log.Debug("nats: " + fmt.Sprintf(format, v...)) }
func (l logger) Warnf(format string, v ...any)   { l.log.Warn("nats: " + fmt.Sprintf(format, v...)) }
func (l logger) Fatalf(format string, v ...any)  { l.log.Error("nats: " + fmt.Sprintf(format, v...)) }
func (l logger) Errorf(format string, v ...any)  { l.log.Error("nats: " + fmt.Sprintf(format, v...)) }
func (logger) Debugf(string, ...any)             {}
func (logger) Tracef(string, ...any)             {}
