// Package document is the document service. It owns the metadata of documents, their
// versions and files, decides who may see them, and presigns the URLs for uploading and
// downloading their bytes. No other service reads or writes its records.
package document

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/rectohq/recto/libs/blob"
	"github.com/rectohq/recto/libs/config"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/cors"
	"github.com/rectohq/recto/libs/mongodb"
	"github.com/rectohq/recto/libs/runner"
	"github.com/rectohq/recto/libs/telemetry"
	"github.com/rectohq/recto/services/document/internal/domain"
	"github.com/rectohq/recto/services/document/internal/mongostore"
	"github.com/rectohq/recto/services/document/internal/natsapi"
	"github.com/rectohq/recto/services/document/internal/sqlitestore"
)

// Config is the configuration of the document service.
type Config struct {
	Database string `env:"DOCUMENT_DATABASE,notEmpty" secret:"true" desc:"path of the SQLite database of documents, or the mongodb:// URL of a MongoDB database"`
	Domain   domain.Config
	Pool     int           `env:"DOCUMENT_POOL" envDefault:"64" desc:"maximum number of concurrent requests; more wait for half a second at most, and then fail with 5003"`
	Grace    time.Duration `env:"DOCUMENT_SHUTDOWN_GRACE" envDefault:"20s" desc:"how long shutdown waits for requests in progress"`
	// CORSOrigins applies to the bucket, and is set here because the document service
	// presigns uploads.
	CORSOrigins cors.Origins `env:"DOCUMENT_CORS_ORIGINS" desc:"origins whose web pages may upload and download with presigned URLs, in the format of GATEWAY_CORS_ORIGINS. They become a CORS rule of the bucket; other rules stay. If not set, no origin may, and the rule is removed. recto up uses GATEWAY_CORS_ORIGINS instead"`
}

// Validate implements config.Validator.
func (c Config) Validate() []error {
	p := config.Problems(mongodb.Problems("DOCUMENT_DATABASE", c.Database))
	config.AtLeast(&p, "DOCUMENT_POOL", c.Pool, 1)
	p.Positive("DOCUMENT_SHUTDOWN_GRACE", c.Grace)
	blob.CheckTTL(&p, "DOCUMENT_UPLOAD_URL_TTL", c.Domain.UploadTTL)
	p.Positive("DOCUMENT_UPLOAD_GRACE", c.Domain.UploadGrace)
	blob.CheckTTL(&p, "DOCUMENT_DOWNLOAD_URL_TTL", c.Domain.DownloadTTL)
	c.CORSOrigins.Check(&p, "DOCUMENT_CORS_ORIGINS")
	p.Positive("DOCUMENT_LIST_TIMEOUT", c.Domain.ListTimeout)
	p.Require(c.Domain.MaxContent >= 1 && c.Domain.MaxContent <= blob.MaxPut, "DOCUMENT_MAX_CONTENT must be from 1 to %d", int64(blob.MaxPut))
	p.Positive("DOCUMENT_SEAL_EVERY", c.Domain.SealEvery)
	config.AtLeast(&p, "DOCUMENT_PURGE_AFTER", c.Domain.PurgeAfter, 0)
	p.Positive("DOCUMENT_PURGE_EVERY", c.Domain.PurgeEvery)
	return p
}

// Deps holds the dependencies of the service. The service does not close them.
type Deps = runner.Deps

// store is the store of the documents.
type store interface {
	domain.Store
	Check(ctx context.Context) error
	Close() error
}

// openStore opens the store in the given database. It waits until the server is
// available.
func openStore(ctx context.Context, database string, t *telemetry.Telemetry) (store, error) {
	if mongodb.IsURL(database) {
		return mongostore.Open(ctx, database, t)
	}
	return sqlitestore.Open(ctx, database)
}

// Run serves until ctx ends, then finishes the requests it has accepted, and returns.
func Run(ctx context.Context, cfg Config, deps Deps) (err error) {
	health := deps.Telemetry.Health.Part(documentapi.Service)
	store, err := openStore(ctx, cfg.Database, deps.Telemetry)
	if errors.Is(err, context.Canceled) {
		return nil // shut down while it waited for the database
	}
	if err != nil {
		return fmt.Errorf("open the store of documents: %w", err)
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	server, err := deps.Bus.Serve(documentapi.Service, runner.Version, cfg.Pool)
	if err != nil {
		return err
	}
	service := domain.NewService(cfg.Domain, store, deps.Blobs, deps.Bus, deps.Telemetry.Log)
	err = natsapi.Register(server, service)
	var background sync.WaitGroup
	defer background.Wait()
	if err == nil {
		background.Go(func() {
			repeat(ctx, deps.Telemetry, "publish events", publishEvery, service.Changed(), service.PublishEvents)
		})
		background.Go(func() { allowPages(ctx, cfg.CORSOrigins, deps) })
		background.Go(func() { repeat(ctx, deps.Telemetry, "seal uploads", cfg.Domain.SealEvery, nil, service.SealUploads) })
		background.Go(func() { repeat(ctx, deps.Telemetry, "purge documents", cfg.Domain.PurgeEvery, nil, service.Purge) })
		health.Up(deps.Bus.Check, store.Check)
		<-ctx.Done()
		health.Down("stopping")
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), cfg.Grace)
	defer cancel()
	return errors.Join(err, server.Shutdown(grace))
}

// corsRetry is how long allowPages waits after an error of the object store.
const corsRetry = time.Minute

// allowPages allows web pages of the origins to use presigned URLs, if the object store
// accepts CORS rules from a service. Other object stores have their own configuration for
// it.
func allowPages(ctx context.Context, origins cors.Origins, deps Deps) {
	for {
		err := deps.Blobs.AllowOrigins(ctx, origins)
		switch {
		case err == nil:
			return
		case !errors.Is(err, blob.ErrNoCORS):
			deps.Telemetry.Log.Warn("cannot write the CORS rule of the bucket; retrying", "error", err)
		case len(origins) > 0:
			deps.Telemetry.Log.Warn("the object store does not accept CORS rules; allow the origins of DOCUMENT_CORS_ORIGINS in its own configuration", "error", err)
			return
		default:
			return // nothing to allow
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(corsRetry):
		}
	}
}

// publishEvery is how often to look for events without a notification: those that a
// previous process left behind.
const publishEvery = 5 * time.Second

// repeat calls do periodically, and whenever it is woken, until ctx ends. It logs errors
// and retries.
func repeat(ctx context.Context, t *telemetry.Telemetry, what string, every time.Duration, woken <-chan struct{}, do func(context.Context) error) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		if err := do(ctx); err != nil && ctx.Err() == nil {
			t.Log.Warn("cannot "+what+"; retrying", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		case <-woken:
		}
	}
}
