// Package document is the document service. It owns the metadata of documents,
// their versions and files, and decides who may see them; it signs the URLs by
// which their bytes are put and got. Nobody else reads or writes its records.
package document

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/rectohq/recto/libs/blob"
	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/runner"
	"github.com/rectohq/recto/libs/telemetry"
	"github.com/rectohq/recto/services/document/internal/domain"
	"github.com/rectohq/recto/services/document/internal/natsapi"
	"github.com/rectohq/recto/services/document/internal/sqlitestore"
)

// Config is the configuration of the document service.
type Config struct {
	Database string        `env:"DOCUMENT_DATABASE,notEmpty" desc:"path of the SQLite database of documents"`
	Pool     int           `env:"DOCUMENT_POOL" envDefault:"64" desc:"requests worked on at a time; more are answered 5003"`
	Grace    time.Duration `env:"DOCUMENT_SHUTDOWN_GRACE" envDefault:"20s" desc:"time for the requests in work at the end"`
	Domain   domain.Config
}

// Validate implements config.Validator.
func (c Config) Validate() []error {
	if c.Pool < 1 {
		return []error{errors.New("  DOCUMENT_POOL must be at least 1")}
	}
	return nil
}

// Deps is what the service is given. It closes none of it.
type Deps struct {
	Telemetry *telemetry.Telemetry
	Bus       *bus.Conn
	Blobs     *blob.Store
}

// Run serves until ctx ends, then answers what it has taken, and returns.
func Run(ctx context.Context, cfg Config, deps Deps) (err error) {
	health := deps.Telemetry.Health.Part(documentapi.Service)
	store, err := sqlitestore.Open(ctx, cfg.Database)
	if err != nil {
		return fmt.Errorf("open the store of documents: %w", err)
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	server, err := deps.Bus.Serve(documentapi.Service, runner.Version, cfg.Pool)
	if err != nil {
		return err
	}
	err = natsapi.Register(server, domain.NewService(cfg.Domain, store, deps.Blobs))
	if err == nil {
		health.Up(deps.Bus.Check, store.Check)
		<-ctx.Done()
		health.Down("stopping")
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), cfg.Grace)
	defer cancel()
	return errors.Join(err, server.Shutdown(grace))
}
