package harness

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/config"
	"github.com/rectohq/recto/libs/engines/objectserver"
	"github.com/rectohq/recto/libs/testkit/faultproxy"
	"github.com/rectohq/recto/libs/testkit/patience"
)

// Process is a service that runs as its own program.
type Process struct {
	*program
	// Name is the service.
	Name string
	// Probe is the address of its metrics and health endpoints.
	Probe string

	binary string
	env    []string
	log    string // output of earlier runs
}

// Start starts the program and waits until it reports ready.
func (p *Process) Start() error {
	if err := p.launch(); err != nil {
		return err
	}
	return p.WaitReady()
}

// launch starts the program.
func (p *Process) launch() (err error) {
	if p.program != nil {
		p.log += p.program.log.String()
	}
	p.program, err = run(p.env, p.binary)
	return err
}

// WaitReady waits until the program reports ready.
func (p *Process) WaitReady() error {
	return waitReady(p.Probe, func() error {
		select {
		case <-p.done:
			return fmt.Errorf("%s ended: %w\n%s", p.Name, errors.Join(p.waitErr), p.Output())
		default:
			return nil
		}
	})
}

// Output returns what the program has written in this and all earlier runs.
func (p *Process) Output() string { return p.log + p.program.log.String() }

// Stop shuts the program down gracefully. It returns an error unless the program exits
// with status 0.
func (p *Process) Stop() error { return p.stop() }

// Kill kills the program without warning, as a power cut would.
func (p *Process) Kill() error { return p.kill() }

// Freeze suspends the program with SIGSTOP. Its connections stay open.
func (p *Process) Freeze() error { return p.cmd.Process.Signal(syscall.SIGSTOP) }

// Thaw resumes a frozen program.
func (p *Process) Thaw() error { return p.cmd.Process.Signal(syscall.SIGCONT) }

// waitReady waits until the readiness endpoint of a service reports ready or running
// returns an error.
func waitReady(probe string, running func() error) error {
	return waitFor("http://"+probe+"/readyz", running)
}

// waitFor polls a URL until it returns status 200 or running returns an error.
func waitFor(url string, running func() error) error {
	client := http.Client{Timeout: patience.Scale(3 * time.Second), Transport: &http.Transport{DisableKeepAlives: true}}
	for deadline := time.Now().Add(startTimeout()); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if err := running(); err != nil {
			return err
		}
		response, err := client.Get(url)
		if err != nil {
			continue
		}
		_ = response.Body.Close()
		if response.StatusCode == http.StatusOK {
			return nil
		}
	}
	return fmt.Errorf("%s does not become ready", url)
}

// Deployment is Recto as programs on this machine, with the servers that they need.
type Deployment struct {
	// Services are the programs by name.
	Services map[string]*Process
	// Objects is the object store, and Redis the server in which gateways count
	// requests.
	Objects *objectserver.Server
	Redis   *Process

	// ObjectsProxy and RedisProxy forward to them if the system is Proxied.
	// ObjectsProxy refuses connections until the test sets another mode.
	ObjectsProxy, RedisProxy *faultproxy.Proxy

	around      surroundings
	dir         string
	nats        *server.Server
	natsOptions *server.Options
	cleanup     []func() error
}

// StartProcesses starts every service as its own program and stops all when the test
// ends.
func StartProcesses(t testing.TB, o Options) (*System, *Deployment) {
	t.Helper()
	s, err := launchProcesses(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(s.Stop(), s.Remove()); err != nil {
			t.Errorf("stop Recto: %v\n%s", err, s.Output())
		}
	})
	return s, s.running.(*Deployment)
}

// launchProcesses starts the servers, then the services.
func launchProcesses(o Options) (*System, error) {
	dir, err := os.MkdirTemp("", "recto-test-")
	if err != nil {
		return nil, err
	}
	d := &Deployment{Services: map[string]*Process{}, dir: dir}
	s := &System{running: d}
	if err := d.launch(s, o); err != nil {
		return nil, errors.Join(err, d.stop(), d.remove())
	}
	return s, nil
}

func (d *Deployment) launch(s *System, o Options) error {
	around, err := d.startServers()
	if err != nil {
		return err
	}
	if o.Proxied {
		d.ObjectsProxy, around.objects = d.proxied(around.objects)
		d.RedisProxy, around.redis = d.proxied(around.redis)
		d.ObjectsProxy.Set(faultproxy.Refuse)
	}
	d.around = around
	for _, name := range services {
		if err := d.startService(name, ownVariables(name, append(around.env(name), o.Env...))); err != nil {
			return err
		}
	}
	if o.Begun != nil {
		o.Begun(d)
	}
	for _, name := range services {
		if err := d.Services[name].WaitReady(); err != nil {
			return err
		}
	}
	s.BaseURL, s.CAFile = around.publicURL+"/v2", around.certificate.ca
	if err := s.firstKey(o.Rate); err != nil {
		return err
	}
	return s.Reach()
}

// startService builds and starts a service. It does not wait until it is ready.
func (d *Deployment) startService(name string, env []string) error {
	pkg := fmt.Sprintf("services/%[1]s/cmd/%[1]s", name)
	if name == "gateway" {
		pkg = "gateway/cmd/gateway"
	}
	binary, err := Build(name, pkg)
	if err != nil {
		return err
	}
	probe, err := freeAddr()
	if err != nil {
		return err
	}
	p := &Process{Name: name, Probe: probe, binary: binary, env: append(env, "METRICS_ADDR="+probe)}
	d.Services[name] = p
	return p.launch()
}

// startServers starts NATS and the object store in this process, and Redis.
func (d *Deployment) startServers() (surroundings, error) {
	addr, err := freeAddr()
	if err != nil {
		return surroundings{}, err
	}
	around := surroundings{
		addr: addr, publicURL: "https://" + addr, pepper: newPepper(),
		database: func(part string) string { return filepath.Join(d.dir, part+".db") },
	}
	if around.certificate, err = makeCertificate(d.dir); err != nil {
		return around, err
	}
	options, err := natsOptions("server.conf", "NATS_SERVER_NAME=nats", "NATS_STORE_DIR="+filepath.Join(d.dir, "nats"),
		"NATS_TLS_CERT_FILE="+around.certificate.cert, "NATS_TLS_KEY_FILE="+around.certificate.key)
	if err != nil {
		return around, err
	}
	d.natsOptions = options
	if err := d.StartNATS(); err != nil {
		return around, err
	}
	d.cleanup = append(d.cleanup, func() error { d.StopNATS(); return nil })
	options.Port = d.nats.Addr().(*net.TCPAddr).Port // restarts keep the port
	url := d.nats.ClientURL()
	around.bus = func(service string) []string {
		return []string{
			"NATS_URL=" + url, "NATS_CA_FILE=" + around.certificate.ca, "NATS_USER=" + service, "NATS_PASSWORD=" + NATSPassword(service),
		}
	}
	if around.objects, err = d.startObjects(); err != nil {
		return around, err
	}
	around.publicObjects = around.objects
	around.redis, err = d.startRedis()
	return around, err
}

// StartNATS starts NATS. A restart keeps its address but loses its in-memory streams.
func (d *Deployment) StartNATS() (err error) {
	if d.nats, err = server.NewServer(d.natsOptions.Clone()); err != nil {
		return err
	}
	d.nats.Start()
	if !d.nats.ReadyForConnections(startTimeout()) {
		return errors.New("NATS does not start")
	}
	return nil
}

// StopNATS stops NATS. Calling it again has no effect.
func (d *Deployment) StopNATS() {
	d.nats.Shutdown()
	d.nats.WaitForShutdown()
}

// proxied starts a proxy in front of the server at the URL, and returns the proxy and
// its URL.
func (d *Deployment) proxied(address string) (*faultproxy.Proxy, string) {
	scheme, host, _ := strings.Cut(address, "://")
	proxy := faultproxy.New(host)
	d.cleanup = append(d.cleanup, func() error { proxy.Close(); return nil })
	return proxy, scheme + "://" + proxy.Addr()
}

// startObjects starts the object store. The object store changes the working directory;
// cleanup restores it.
func (d *Deployment) startObjects() (string, error) {
	back, err := os.Getwd()
	if err != nil {
		return "", err
	}
	addr, err := freeAddr()
	if err != nil {
		return "", err
	}
	d.Objects, err = objectserver.Start(context.Background(), objectserver.Config{
		Dir: filepath.Join(d.dir, "objects"), Addr: addr, Region: region, AccessKey: objectsAccessKey, SecretKey: objectsSecretKey,
	})
	if err != nil {
		return "", err
	}
	d.cleanup = append(d.cleanup, func() error {
		_ = d.Objects.Stop() // the test may have stopped it already
		return os.Chdir(back)
	})
	return "http://" + addr, nil
}

// startRedis starts redis-server.
func (d *Deployment) startRedis() (string, error) {
	addr, err := freeAddr()
	if err != nil {
		return "", err
	}
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		return "", err
	}
	p, err := run(nil, "redis-server", "--port", port, "--bind", "127.0.0.1", "--save", "", "--dir", d.dir)
	if err != nil {
		return "", fmt.Errorf("%w; make install-test-packages installs it", err)
	}
	d.Redis = &Process{Name: "redis", program: p}
	d.cleanup = append(d.cleanup, p.kill)
	return "redis://" + addr, nil
}

func (d *Deployment) output() string {
	var all strings.Builder
	for _, name := range services {
		if p := d.Services[name]; p != nil && p.program != nil {
			all.WriteString(p.Output())
		}
	}
	return all.String()
}

// stop stops the gateway first, because it still needs the other services for the
// requests that it has accepted.
func (d *Deployment) stop() error {
	var errs []error
	for n := len(services) - 1; n >= 0; n-- {
		if p := d.Services[services[n]]; p != nil && p.program != nil {
			errs = append(errs, p.Stop())
		}
	}
	return errors.Join(append(errs, d.stopServers())...)
}

func (d *Deployment) kill() error {
	var errs []error
	for _, p := range d.Services {
		if p.program != nil {
			errs = append(errs, p.Kill())
		}
	}
	return errors.Join(append(errs, d.stopServers())...)
}

// stopServers stops the servers in reverse order.
func (d *Deployment) stopServers() error {
	var errs []error
	for n := len(d.cleanup) - 1; n >= 0; n-- {
		errs = append(errs, d.cleanup[n]())
	}
	d.cleanup = nil
	return errors.Join(errs...)
}

func (d *Deployment) remove() error { return os.RemoveAll(d.dir) }

// Bus returns the configuration with which a service connects to NATS.
func (d *Deployment) Bus(service string) bus.Config {
	var cfg bus.Config
	if err := config.Load(d.around.bus(service), "", &cfg); err != nil {
		panic(err) // cannot happen: the services have started with it
	}
	return cfg
}

func (d *Deployment) probes(service string) []string { return []string{d.Services[service].Probe} }

func (d *Deployment) pid() (int, error) { return d.Services["gateway"].cmd.Process.Pid, nil }

func (d *Deployment) command(ctx context.Context, args ...string) (string, error) {
	name, err := commandOf(args)
	if err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, d.Services[name].binary, args...)
	cmd.Env = append(os.Environ(), d.Services[name].env...)
	return output(cmd)
}

// freeAddr returns an unused loopback address. Its port is below those that the kernel
// gives to connections and to listeners on port 0, which could take it before its program
// starts, or while the program restarts.
func freeAddr() (string, error) {
	const first, last, attempts = 10_000, 32_000, 100
	var err error
	for range attempts {
		var ln net.Listener
		if ln, err = net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(first+rand.IntN(last-first)))); err == nil {
			return ln.Addr().String(), ln.Close()
		}
	}
	return "", err
}

// FreeAddr returns an unused loopback address.
func FreeAddr(t testing.TB) string {
	t.Helper()
	addr, err := freeAddr()
	if err != nil {
		t.Fatal(err)
	}
	return addr
}
