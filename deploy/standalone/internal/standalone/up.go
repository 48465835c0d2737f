package standalone

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"time"

	"github.com/rectohq/recto/deploy/standalone/internal/authority"
	"github.com/rectohq/recto/deploy/standalone/internal/backup"
	"github.com/rectohq/recto/deploy/standalone/internal/datadir"
	"github.com/rectohq/recto/gateway"
	"github.com/rectohq/recto/libs/blob"
	"github.com/rectohq/recto/libs/engines/natsserver"
	"github.com/rectohq/recto/libs/engines/objectserver"
	"github.com/rectohq/recto/libs/listener"
	"github.com/rectohq/recto/libs/runner"
	"github.com/rectohq/recto/libs/scratch"
	"github.com/rectohq/recto/libs/telemetry"
	"github.com/rectohq/recto/services/conversion"
)

const (
	// maxStore is the limit on what JetStream stores in files, in bytes.
	maxStore = 8 << 30
	// memoryReserve is what JetStream may keep in memory in addition to claim checks and
	// the progress of jobs, in bytes.
	memoryReserve = 256 << 20
	// readyTimeout is how long one part may take to become ready.
	readyTimeout = 30 * time.Second
)

// instance is a running standalone Recto.
type instance struct {
	flags   Flags
	dir     datadir.Dir
	cfg     Config
	made    bool // the first API key was created in this run
	tel     *telemetry.Telemetry
	nats    *natsserver.Server
	objects *objectserver.Server
	parts   runner.Group
	cleanup []func() error // run in reverse order
	report  *progress
}

// Up runs Recto until ctx ends, which is no error, even while Recto starts. It writes to w
// what it starts and how to use it.
func Up(ctx context.Context, f Flags, w io.Writer) error {
	i := &instance{flags: f, report: newProgress(w)}
	defer datadir.CreatePrivately()()
	err := i.run(ctx)
	if ctx.Err() != nil {
		i.report.line("Shutting down …")
	}
	err = errors.Join(err, i.close())
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// run starts Recto, and returns when ctx ends or a part fails.
func (i *instance) run(ctx context.Context) error {
	if err := i.start(ctx); err != nil {
		return err
	}
	if err := i.startControl(ctx); err != nil {
		return err
	}
	// Only now, because clients that wait for credentials.json use it at once.
	if err := i.announce(); err != nil {
		return err
	}
	credentials, err := i.dir.Publish(i.flags.PublicURL+"/v2", i.cfg.Blobs.CAFile)
	if err != nil {
		return err
	}
	link, err := signInLink(ctx, i.dir, i.flags.PublicURL)
	if err != nil {
		return err
	}
	i.report.ready(i.flags, i.dir, credentials, link, i.made)
	i.report.lacking(conversion.CheckEngine(i.cfg.Conversion))
	return i.parts.Wait(ctx)
}

// announce tells recto status and recto open where this program listens.
func (i *instance) announce() error {
	i.cleanup = append(i.cleanup, i.dir.Withdraw)
	return i.dir.Announce(datadir.Running{
		Version: runner.Version, StartedAt: i.report.begin, Addr: i.flags.Addr, ObjectsAddr: i.flags.ObjectsAddr,
		APIURL: i.flags.PublicURL + "/v2", ConsoleURL: gateway.ConsoleURL(i.flags.PublicURL), DocsURL: i.flags.PublicURL + "/docs", ObjectsURL: i.flags.ObjectsPublicURL,
	})
}

// start starts the engines, then the services, then the gateway.
func (i *instance) start(ctx context.Context) error {
	ln, err := i.prepare(ctx)
	if err != nil {
		return err
	}
	i.cleanup = append(i.cleanup, func() error {
		_ = ln.Close() // the gateway closed it already, if it was started
		return nil
	})
	if err := i.report.step("bus", "NATS with JetStream", i.startNATS); err != nil {
		return err
	}
	err = i.report.step("objects", "S3 at https://"+i.flags.ObjectsAddr, func() error { return i.startObjects(ctx) })
	if err != nil {
		return err
	}
	blobs, err := blob.Dial(ctx, i.cfg.Blobs, i.tel)
	if err != nil {
		return err
	}
	return i.startParts(ctx, blobs, ln)
}

// prepare creates the data folder, its certificates, configuration and first key. It
// binds the API's address first, so that a port in use is reported before anything is
// created.
func (i *instance) prepare(ctx context.Context) (net.Listener, error) {
	if err := gateway.CheckRate(i.flags.Rate); err != nil {
		return nil, err
	}
	ln, err := net.Listen("tcp", i.flags.Addr)
	if err != nil {
		return nil, listenError("--addr", i.flags.Addr, err)
	}
	if err := i.flags.complete(ln.Addr()); err != nil {
		return nil, errors.Join(err, ln.Close())
	}
	err = i.openData()
	if err == nil {
		err = i.report.step("certificates", "signed by "+i.dir.TLS()+"/ca.pem", func() error { return i.configure(ctx) })
	}
	if err != nil {
		return nil, errors.Join(err, ln.Close())
	}
	return ln, nil
}

// openData creates or opens the data folder, restricts it to its owner, and locks it.
func (i *instance) openData() error {
	var note string
	err := i.report.step("data", "", func() (err error) {
		if i.dir, err = datadir.Open(i.flags.Data); err != nil {
			return err
		}
		if err := i.dir.CheckContent(); err != nil {
			return err
		}
		if note, err = i.dir.Restrict(); err != nil {
			return err
		}
		if err := i.dir.Lock(); err != nil {
			return err
		}
		return backup.Discard(i.dir)
	})
	if note != "" {
		i.report.line("%s", note)
	}
	return err
}

// configure creates what a first start lacks: certificates, secrets, configuration, and
// the first key. It runs before all engines, which need some of these.
func (i *instance) configure(ctx context.Context) error {
	hosts, err := i.flags.hosts()
	if err != nil {
		return err
	}
	files, _, err := authority.Ensure(i.dir.TLS(), hosts, time.Now())
	if err != nil {
		return err
	}
	secrets, err := i.dir.Secrets()
	if err != nil {
		return err
	}
	if i.cfg, err = loadConfig(i.dir, i.flags, files, secrets); err != nil {
		return err
	}
	i.made, err = gateway.Provision(ctx, i.cfg.Gateway.Identity, i.flags.Rate, i.dir.Deliver)
	if err != nil {
		return err
	}
	i.tel, err = telemetry.New(ctx, "recto", i.cfg.Process.Telemetry, i.report.beside(os.Stderr))
	if err != nil {
		return err
	}
	i.tel.TakeStandardLog()
	scratch.Measure(i.tel.Metrics, "data", i.flags.Data)
	return i.shareDescriptors()
}

// shareDescriptors lowers the connection limits to fit the limit on open files. The API
// and the object store get equal shares, because most requests to one lead to a request
// to the other.
func (i *instance) shareDescriptors() (err error) {
	const cost = gateway.DescriptorsPerRequest + objectserver.DescriptorsPerRequest
	for variable, connections := range map[string]*int{
		"GATEWAY_MAX_CONNECTIONS": &i.cfg.Gateway.HTTP.MaxConnections, "OBJECTS_MAX_CONNECTIONS": &i.cfg.Objects.MaxConnections,
	} {
		if *connections, err = listener.Fit(variable, *connections, cost, i.tel.Log); err != nil {
			return err
		}
	}
	return nil
}

// partGrace is the shutdown grace period of each part. It is longer than the one that
// parts allow themselves.
const partGrace = 90 * time.Second

// close stops everything that was started, in reverse order: the gateway answers the
// requests it accepted before the services stop, and the services stop before the
// engines.
func (i *instance) close() error {
	errs := []error{i.parts.Stop(partGrace)}
	for n := len(i.cleanup) - 1; n >= 0; n-- {
		errs = append(errs, i.cleanup[n]())
	}
	if i.tel != nil {
		errs = append(errs, i.tel.Stop(context.Background()))
	}
	return errors.Join(errs...)
}
