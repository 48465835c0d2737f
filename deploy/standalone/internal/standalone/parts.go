package standalone

import (
	"context"
	"errors"
	"net"

	"github.com/rectohq/recto/gateway"
	"github.com/rectohq/recto/libs/blob"
	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/engines/natsserver"
	"github.com/rectohq/recto/libs/engines/objectserver"
	"github.com/rectohq/recto/libs/runner"
	"github.com/rectohq/recto/libs/telemetry"
	"github.com/rectohq/recto/services/annotation"
	"github.com/rectohq/recto/services/conversion"
	"github.com/rectohq/recto/services/document"
	"github.com/rectohq/recto/services/insight"
)

// startNATS starts the bus in this process. It does not listen on the network: all
// services get in-process connections.
func (i *instance) startNATS() error {
	server, err := natsserver.Start(natsserver.Config{
		Dir: i.dir.NATS(), MaxMemory: i.cfg.Process.Bus.ClaimBytes + i.cfg.Insight.Progress.Bytes + memoryReserve, MaxStore: maxStore, Log: i.tel.Log,
	})
	if err != nil {
		return err
	}
	i.nats = server
	i.cleanup = append(i.cleanup, func() error { server.Stop(); return nil })
	return nil
}

// startObjects starts the object store on its own address, which upload and download URLs
// point to.
func (i *instance) startObjects(ctx context.Context) error {
	server, err := objectserver.Start(ctx, objectserver.Config{
		Dir: i.dir.Objects(), Addr: i.flags.ObjectsAddr, Region: i.cfg.Blobs.Region,
		CertFile: i.cfg.Gateway.HTTP.CertFile, KeyFile: i.cfg.Gateway.HTTP.KeyFile,
		AccessKey: i.cfg.Blobs.AccessKey, SecretKey: i.cfg.Blobs.SecretKey, Log: i.tel.Log,
		Uploads:     objectserver.Uploads{SealedKey: documentapi.SealedKey, MaxSize: i.cfg.Document.Domain.MaxContent},
		CORSOrigins: i.cfg.Gateway.HTTP.CORSOrigins, Limits: i.cfg.Objects, Metrics: i.tel.Metrics,
	})
	if err != nil {
		return err
	}
	i.objects = server
	part := i.tel.Health.Part("object-server") // "objects" is the health of the services' connection to it
	part.Up(server.Check)
	return i.parts.Start(ctx, "objects", server.Run, part.Wait)
}

// startParts starts every part, the gateway last. Each has its own connection to the bus,
// as in a deployment.
func (i *instance) startParts(ctx context.Context, blobs *blob.Store, ln net.Listener) error {
	i.tel.Health.Part("gateway") // registered first, so that Recto is not ready until the gateway, the last part, is
	if err := runner.StartMetrics(ctx, &i.parts, i.tel, i.cfg.Process.Telemetry); err != nil {
		return listenError("--metrics-addr", i.flags.MetricsAddr, err)
	}
	for _, part := range []struct {
		name, what string
		run        func(context.Context, *telemetry.Telemetry, *bus.Conn) error
	}{
		{"document", "", func(ctx context.Context, t *telemetry.Telemetry, c *bus.Conn) error {
			return document.Run(ctx, i.cfg.Document, document.Deps{Telemetry: t, Bus: c, Blobs: blobs})
		}},
		{"conversion", "", func(ctx context.Context, t *telemetry.Telemetry, c *bus.Conn) error {
			return conversion.Run(ctx, i.cfg.Conversion, conversion.Deps{Telemetry: t, Bus: c, Blobs: blobs})
		}},
		{"annotation", "", func(ctx context.Context, t *telemetry.Telemetry, c *bus.Conn) error {
			return annotation.Run(ctx, i.cfg.Annotation, annotation.Deps{Telemetry: t, Bus: c, Blobs: blobs})
		}},
		{"insight", "", func(ctx context.Context, t *telemetry.Telemetry, c *bus.Conn) error {
			return insight.Run(ctx, i.cfg.Insight, insight.Deps{Telemetry: t, Bus: c, Blobs: blobs})
		}},
		{"gateway", i.flags.PublicURL + "/v2", func(ctx context.Context, t *telemetry.Telemetry, c *bus.Conn) error {
			return gateway.Run(ctx, i.cfg.Gateway, gateway.Deps{Telemetry: t, Bus: c, Listener: ln})
		}},
	} {
		if err := i.report.step(part.name, part.what, func() error { return i.startPart(ctx, part.name, part.run) }); err != nil {
			return err
		}
	}
	return nil
}

// startPart gives a service its own connection and name in logs and traces, as in a
// deployment, and waits until the service is ready. It closes the connection when the
// service has ended.
func (i *instance) startPart(ctx context.Context, name string, run func(context.Context, *telemetry.Telemetry, *bus.Conn) error) error {
	t, err := i.tel.Part(name)
	if err != nil {
		return err
	}
	conn, err := bus.Connect(ctx, name, i.cfg.Process.Bus, t, i.nats.Option())
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	return i.parts.Start(ctx, name, func(ctx context.Context) error {
		return errors.Join(run(ctx, t, conn), conn.Close())
	}, i.tel.Health.Part(name).Wait)
}
