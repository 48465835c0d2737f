package harness

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// Cluster is Recto in containers.
type Cluster struct {
	// Services are the instances of each service.
	Services map[string][]*Container
	// NATS are the servers of its bus.
	NATS []*Container
	// MongoDB, Redis and Objects are shared by all clusters of the process. Each
	// cluster has its own databases and bucket.
	MongoDB, Redis, Objects *Container

	id       string
	dir      string
	engine   *engine
	balancer *balancer
	around   surroundings
	env      []string
	removed  bool
}

// servers are the servers that all clusters share.
type servers struct{ mongodb, redis, objects *Container }

// startShared starts the shared servers, once for this process.
var startShared = sync.OnceValues(func() (servers, error) {
	var s servers
	e, err := openEngine()
	if err != nil {
		return s, err
	}
	id := randomName()
	for _, one := range []struct {
		c      **Container
		server string
		spec   spec
	}{
		{&s.mongodb, "MONGODB", spec{name: "mongodb-" + id, ports: []string{"27017"}}},
		{&s.redis, "REDIS", spec{name: "redis-" + id, ports: []string{"6379"}}},
		{&s.objects, "S3", spec{name: "objects-" + id, ports: []string{objectsPort}, cmd: []string{"server", "/data"}, env: []string{
			"MINIO_ROOT_USER=" + objectsAccessKey, "MINIO_ROOT_PASSWORD=" + objectsSecretKey,
		}}},
	} {
		if one.spec.image, err = serverImage(one.server); err != nil {
			return s, err
		}
		if *one.c, err = e.start(one.spec); err != nil {
			return s, err
		}
	}
	return s, waitMongoDB(s.mongodb)
})

// waitMongoDB waits until the database answers. Services wait for it on their own, but
// tests that query it do not.
func waitMongoDB(c *Container) error {
	db, err := mongo.Connect(options.Client().ApplyURI("mongodb://" + c.Addr("27017") + "/?directConnection=true"))
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout())
	defer cancel()
	defer func() { _ = db.Disconnect(ctx) }()
	for {
		err := db.Ping(ctx, nil)
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return fmt.Errorf("MongoDB does not answer: %w\n%s", err, c.Output())
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// StartCluster starts Recto in containers, whatever the mode of the run, and stops it
// when the test ends.
func StartCluster(t testing.TB, o Options) (*System, *Cluster) {
	t.Helper()
	s, err := launchContainers(o)
	if err != nil {
		t.Fatal(err)
	}
	c := s.running.(*Cluster)
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Errorf("stop Recto: %v\n%s", err, s.Output())
		}
		_ = s.Remove()
	})
	return s, c
}

// launchContainers starts the servers, then the services.
func launchContainers(o Options) (*System, error) {
	e, err := openEngine()
	if err != nil {
		return nil, err
	}
	shared, err := startShared()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "recto-test-")
	if err != nil {
		return nil, err
	}
	c := &Cluster{
		Services: map[string][]*Container{}, MongoDB: shared.mongodb, Redis: shared.redis, Objects: shared.objects,
		id: randomName(), dir: dir, engine: e, env: o.Env,
	}
	s := &System{running: c}
	if err := c.launch(s, o); err != nil {
		return nil, errors.Join(fmt.Errorf("%w\n%s", err, c.output()), c.kill(), c.remove())
	}
	return s, nil
}

func (c *Cluster) launch(s *System, o Options) (err error) {
	if c.balancer, err = newBalancer(); err != nil {
		return err
	}
	certificate, err := makeCertificate(c.dir, c.natsNames(o)...)
	if err != nil {
		return err
	}
	if err := c.startNATS(max(1, o.NATS)); err != nil {
		return err
	}
	c.around = surroundings{
		addr: ":8443", publicURL: "https://" + c.balancer.addr(), pepper: newPepper(),
		certificate: inContainer(certificate), bus: c.busEnv, redis: "redis://" + c.Redis.Name + ":6379",
		database: func(part string) string {
			return "mongodb://" + c.MongoDB.Name + ":27017/recto_" + part + "_" + c.id + "?directConnection=true"
		},
		objects: "http://" + c.Objects.Name + ":" + objectsPort, publicObjects: "http://" + c.Objects.Addr(objectsPort),
	}
	for _, name := range services {
		if err := c.Scale(name, max(1, o.Replicas)); err != nil {
			return err
		}
	}
	if err := c.WaitReady(); err != nil {
		return err
	}
	var backends []*backend
	for _, g := range c.Services["gateway"] {
		backends = append(backends, &backend{addr: g.Addr("8443"), probe: g.Addr(metricsPort)})
	}
	c.balancer.serve(backends...)
	s.BaseURL, s.CAFile = c.around.publicURL+"/v2", certificate.ca
	if err := s.firstKey(o.Rate); err != nil {
		return err
	}
	return s.Reach()
}

const (
	// metricsPort is the port on which services serve metrics and health.
	metricsPort = "9464"
	// certificates is the folder of the certificates in containers.
	certificates = "/certificates"
)

// inContainer returns the certificate with its paths in containers.
func inContainer(c certificate) certificate {
	at := func(path string) string { return certificates + "/" + filepath.Base(path) }
	return certificate{ca: at(c.ca), cert: at(c.cert), key: at(c.key)}
}

// certificateFiles returns the files of the certificate for a container, by name.
func (c *Cluster) certificateFiles() (map[string]string, error) {
	files := map[string]string{}
	for _, name := range []string{"ca.pem", "server.pem", "server-key.pem"} {
		content, err := os.ReadFile(filepath.Join(c.dir, name))
		if err != nil {
			return nil, err
		}
		files[name] = string(content)
	}
	return files, nil
}

// Scale starts instances of a service until there are that many. It does not wait
// until they are ready; WaitReady does.
func (c *Cluster) Scale(service string, instances int) error {
	files, err := c.certificateFiles()
	if err != nil {
		return err
	}
	env := append(c.around.env(service), "METRICS_ADDR=:"+metricsPort, "S3_BUCKET=recto-"+c.id, fmt.Sprintf("NATS_REPLICAS=%d", len(c.NATS)))
	image, err := serviceImage(service)
	if err != nil {
		return err
	}
	for n := len(c.Services[service]); n < instances; n++ {
		s := spec{
			name: fmt.Sprintf("%s-%s-%d", service, c.id, n+1), image: image, readOnly: true, folder: certificates, files: files,
			env: ownVariables(service, append(env, c.env...)), ports: []string{metricsPort},
		}
		switch service {
		case "gateway":
			s.ports = append(s.ports, "8443")
		case "annotation", "conversion", "insight":
			s.tmpfs = map[string]string{"/dev/shm": "rw,size=512m,mode=1777", "/tmp": "rw,size=64m,mode=1777"}
		}
		started, err := c.engine.start(s)
		if err != nil {
			return err
		}
		c.Services[service] = append(c.Services[service], started)
	}
	return nil
}

// WaitReady waits until every instance of every service is ready.
func (c *Cluster) WaitReady() error {
	for _, name := range services {
		for _, instance := range c.Services[name] {
			if err := waitReady(instance.Addr(metricsPort), instance.isRunning); err != nil {
				return fmt.Errorf("%s: %w\n%s", instance.Name, err, instance.Output())
			}
		}
	}
	return nil
}

func (c *Cluster) output() string {
	var all strings.Builder
	for _, name := range services {
		for _, instance := range c.Services[name] {
			all.WriteString(instance.Output())
		}
	}
	return all.String()
}

// own returns the containers that belong to this cluster alone, in the order in which
// they are stopped.
func (c *Cluster) own() []*Container {
	var own []*Container
	for n := len(services) - 1; n >= 0; n-- {
		own = append(own, c.Services[services[n]]...)
	}
	return append(own, c.NATS...)
}

// stop stops the gateways first, because they still need the other services for the
// requests that they have accepted.
func (c *Cluster) stop() error {
	if c.removed {
		return nil
	}
	var errs []error
	for n := len(services) - 1; n >= 0; n-- {
		for _, instance := range c.Services[services[n]] {
			if err := instance.Stop(); err != nil {
				errs = append(errs, fmt.Errorf("%w\n%s", err, instance.Output()))
			}
		}
	}
	return errors.Join(errs...)
}

func (c *Cluster) kill() error {
	for _, one := range c.own() {
		_ = one.Kill() // it may already have ended
	}
	return nil
}

func (c *Cluster) remove() error {
	if c.removed {
		return nil
	}
	c.removed = true
	c.balancer.close()
	return errors.Join(c.engine.remove(c.own()...), os.RemoveAll(c.dir))
}

func (c *Cluster) probes(service string) []string {
	var probes []string
	for _, instance := range c.Services[service] {
		probes = append(probes, instance.Addr(metricsPort))
	}
	return probes
}

func (c *Cluster) pid() (int, error) { return c.Services["gateway"][0].PID() }

func (c *Cluster) command(ctx context.Context, args ...string) (string, error) {
	name, err := commandOf(args)
	if err != nil {
		return "", err
	}
	return c.Services[name][0].Exec(ctx, args...)
}
