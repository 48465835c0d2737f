package harness

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
	"go.mongodb.org/mongo-driver/v2/bson"
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
	own      map[string][]string // further variables of one service
	launched int                 // instances of services that were started so far
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
		{&s.mongodb, "MONGODB", spec{name: "mongodb-" + id, ports: []string{"27017", mongoDBPasswordPort}}},
		{&s.redis, "REDIS", spec{name: "redis-" + id, ports: []string{"6379"}}},
		{&s.objects, "S3", spec{name: "objects-" + id, ports: []string{objectsPort}, cmd: []string{
			"--quiet", "--port", ":" + objectsPort, "posix", "--sidecar", "/data/metadata", "/data/objects",
		}, env: []string{
			"ROOT_ACCESS_KEY=" + objectsAccessKey, "ROOT_SECRET_KEY=" + objectsSecretKey,
			// Further accounts, which take effect and end at once; see ObjectsAdmin.
			"VGW_IAM_DIR=/data/metadata", "VGW_IAM_CACHE_DISABLE=true",
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

// Servers returns the servers that all clusters share, for tests that prepare them before
// they start a cluster.
func Servers() (mongodb, redis, objects *Container, err error) {
	shared, err := startShared()
	return shared.mongodb, shared.redis, shared.objects, err
}

// mongoDBPasswordPort is where FerretDB checks passwords.
const mongoDBPasswordPort = "27018"

// MongoDBPasswords returns a port of the MongoDB on which it checks the passwords of its
// users. MongoDB itself does that on every port; FerretDB is started a second time for it.
func MongoDBPasswords(ctx context.Context, mongodb *Container) (port string, err error) {
	ferretdb, err := mongodb.Run(ctx, "sh", "-c", "command -v ferretdb || true")
	if err != nil || ferretdb == "" {
		return "27017", err
	}
	const serve = "mkdir -p /tmp/second && ferretdb --auth --telemetry=disable --log-level=warn --state-dir=/tmp/second --debug-addr=- " +
		"--postgresql-url=postgres://postgres@127.0.0.1/postgres --listen-addr=:" + mongoDBPasswordPort + " >/dev/null 2>&1 &"
	_, err = mongodb.Run(ctx, "sh", "-c", serve)
	return mongoDBPasswordPort, err
}

// MongoDBAdmin runs a command of the MongoDB's administrator, such as createUser.
func MongoDBAdmin(ctx context.Context, mongodb *Container, command bson.D) error {
	client, err := mongo.Connect(options.Client().ApplyURI("mongodb://" + mongodb.Addr("27017") + "/?directConnection=true"))
	if err != nil {
		return err
	}
	return errors.Join(client.Database("admin").RunCommand(ctx, command).Err(), client.Disconnect(ctx))
}

// ObjectsAdmin runs a command of the object store's administrator, such as create-user. It
// waits until the object store answers.
func ObjectsAdmin(ctx context.Context, objects *Container, command ...string) error {
	all := append([]string{"versitygw", "admin", "--access", objectsAccessKey, "--secret", objectsSecretKey, "--endpoint-url", "http://127.0.0.1:" + objectsPort}, command...)
	for deadline := time.Now().Add(startTimeout()); ; time.Sleep(100 * time.Millisecond) {
		_, err := objects.Run(ctx, all...)
		if err == nil || !strings.Contains(err.Error(), "connection refused") || time.Now().After(deadline) {
			return err
		}
	}
}

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
		id: randomName(), dir: dir, engine: e, env: o.Env, own: map[string][]string{},
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
			return "mongodb://" + c.MongoDB.Name + ":27017/" + c.database(part) + "?directConnection=true"
		},
		objects: "http://" + c.Objects.Name + ":" + objectsPort, publicObjects: "http://" + c.Objects.Addr(objectsPort),
	}
	if err := c.startServices(o); err != nil {
		return err
	}
	c.balancer.serve()
	s.BaseURL, s.CAFile = c.around.publicURL+"/v2", certificate.ca
	if err := s.firstKey(o.Rate); err != nil {
		return err
	}
	return s.Reach()
}

// startServices fills the cluster if o says so, starts the instances of all services, and
// waits until they are ready.
func (c *Cluster) startServices(o Options) error {
	if o.Fill != nil {
		if err := o.Fill(c); err != nil {
			return err
		}
	}
	for _, name := range services {
		if err := c.Scale(name, max(1, o.Replicas)); err != nil {
			return err
		}
	}
	return c.WaitReady()
}

// Configure sets environment variables, as NAME=value, of the instances that Scale starts
// from now on.
func (c *Cluster) Configure(env ...string) { c.env = append(slices.Clone(c.env), env...) }

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

// WriteCertificates replaces files of the certificate, by name, in the containers of all
// services and NATS servers, and for instances that are started later.
func (c *Cluster) WriteCertificates(files map[string]string) error {
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(c.dir, name), []byte(content), 0o600); err != nil {
			return err
		}
	}
	for _, name := range services {
		for _, instance := range c.Services[name] {
			if err := instance.Write(certificates, files); err != nil {
				return err
			}
		}
	}
	for _, server := range c.NATS {
		if err := server.Write(natsFolder, files); err != nil {
			return err
		}
	}
	return nil
}

// Scale starts instances of a service until there are that many. It does not wait
// until they are ready; WaitReady does.
func (c *Cluster) Scale(service string, instances int) error {
	for len(c.Services[service]) < instances {
		started, err := c.startInstance(service)
		if err != nil {
			return err
		}
		c.Services[service] = append(c.Services[service], started)
	}
	return nil
}

// startInstance starts an instance of a service.
func (c *Cluster) startInstance(service string) (*Container, error) {
	files, err := c.certificateFiles()
	if err != nil {
		return nil, err
	}
	image, err := serviceImage(service)
	if err != nil {
		return nil, err
	}
	env := append(c.around.env(service), "METRICS_ADDR=:"+metricsPort, "S3_BUCKET="+c.bucket(), fmt.Sprintf("NATS_REPLICAS=%d", len(c.NATS)))
	env = slices.Concat(ownVariables(service, append(env, c.env...)), c.own[service])
	c.launched++
	s := spec{
		name: fmt.Sprintf("%s-%s-%d", service, c.id, c.launched), image: image, readOnly: true, folder: certificates, files: files,
		env: env, ports: []string{metricsPort},
	}
	switch service {
	case "gateway":
		s.ports = append(s.ports, "8443")
	case "annotation", "conversion", "insight":
		s.tmpfs = map[string]string{"/dev/shm": "rw,size=512m,mode=1777", "/tmp": "rw,size=64m,mode=1777"}
	}
	return c.engine.start(s)
}

// Replace replaces all instances of a service by new ones with further variables, as
// NAME=value, which instances that are started later get as well. As in a rolling update,
// it stops the old instances with SIGTERM when the new ones are ready.
func (c *Cluster) Replace(service string, env ...string) error {
	c.own[service] = append(c.own[service], env...)
	old := c.Services[service]
	if err := c.Scale(service, 2*len(old)); err != nil {
		return err
	}
	if err := c.WaitReady(); err != nil {
		return err
	}
	errs := make([]error, len(old))
	var stopping sync.WaitGroup
	for n, instance := range old {
		stopping.Go(func() { errs[n] = instance.Stop() })
	}
	stopping.Wait()
	for _, instance := range old {
		c.balancer.remove(instance.Addr("8443"))
	}
	c.Services[service] = c.Services[service][len(old):]
	return errors.Join(append(errs, c.engine.remove(old...))...)
}

// WaitReady waits until every instance of every service is ready. From then on, the
// gateways get connections.
func (c *Cluster) WaitReady() error {
	for _, name := range services {
		for _, instance := range c.Services[name] {
			if err := waitReady(instance.Addr(metricsPort), instance.isRunning); err != nil {
				return fmt.Errorf("%s: %w\n%s", instance.Name, err, instance.Output())
			}
		}
	}
	for _, g := range c.Services["gateway"] {
		c.balancer.add(g.Addr("8443"), g.Addr(metricsPort))
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

// all returns the containers that belong to this cluster alone, in the order in which
// they are stopped.
func (c *Cluster) all() []*Container {
	var all []*Container
	for n := len(services) - 1; n >= 0; n-- {
		all = append(all, c.Services[services[n]]...)
	}
	return append(all, c.NATS...)
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
	for _, one := range c.all() {
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
	return errors.Join(c.engine.remove(c.all()...), os.RemoveAll(c.dir))
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

// Stored is what a cluster stores in the servers that it shares with others: its databases
// and its bucket. The caller must call Close.
type Stored struct {
	// Objects is a client of the object store, and Bucket the name of the bucket.
	Objects *minio.Client
	Bucket  string

	cluster *Cluster
	client  *mongo.Client
}

// OpenStored connects to the databases and the bucket of the cluster.
func (c *Cluster) OpenStored() (*Stored, error) {
	objects, err := minio.New(c.Objects.Addr(objectsPort), &minio.Options{
		Creds: credentials.NewStaticV4(objectsAccessKey, objectsSecretKey, ""), Region: region,
	})
	if err != nil {
		return nil, fmt.Errorf("connect to the object store: %w", err)
	}
	client, err := mongo.Connect(options.Client().ApplyURI("mongodb://" + c.MongoDB.Addr("27017") + "/?directConnection=true"))
	if err != nil {
		return nil, fmt.Errorf("connect to MongoDB: %w", err)
	}
	return &Stored{Objects: objects, Bucket: c.bucket(), cluster: c, client: client}, nil
}

// Database returns the database of a part, such as "document" or "idempotency".
func (s *Stored) Database(part string) *mongo.Database {
	return s.client.Database(s.cluster.database(part))
}

// Close ends the connections.
func (s *Stored) Close() error { return s.client.Disconnect(context.Background()) }

// Pepper returns the variable with the secret under which the cluster has hashed its API
// keys. A cluster with a copy of its databases needs the same.
func (c *Cluster) Pepper() string { return "GATEWAY_KEY_PEPPERS=" + c.around.pepper }

// database returns the name of the database of a part.
func (c *Cluster) database(part string) string { return "recto_" + part + "_" + c.id }

// bucket returns the name of the bucket.
func (c *Cluster) bucket() string { return "recto-" + c.id }
