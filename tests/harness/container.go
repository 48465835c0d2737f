package harness

import (
	"archive/tar"
	"bytes"
	"context"
	"fmt"
	"net"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/moby/moby/api/pkg/stdcopy"
	dockercontainer "github.com/moby/moby/api/types/container"
	dockernetwork "github.com/moby/moby/api/types/network"
	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"
	tclog "github.com/testcontainers/testcontainers-go/log"
	"github.com/testcontainers/testcontainers-go/network"

	"github.com/rectohq/recto/libs/testkit/patience"
)

// Container is one container. Its addresses on this machine survive restarts.
type Container struct {
	// Name is its host name on the network of the containers.
	Name string

	running testcontainers.Container
	engine  *engine
	ports   map[string]string // the address on this machine by port
}

// engine is the container engine, with the state that all containers of this test
// process share.
type engine struct {
	client  *testcontainers.DockerClient
	network *testcontainers.DockerNetwork

	mu         sync.Mutex
	containers []*Container
}

// ownerLabel holds the process id of the test process that owns a container or
// network. Leftovers of processes that no longer run are removed.
const ownerLabel = "com.rectohq.recto.test"

// openEngine connects to the engine, once for this process.
var openEngine = sync.OnceValues(func() (*engine, error) {
	tclog.SetDefault(tclog.NewNoopLogger()) // tests report what they wait for themselves
	// Each test process removes its own containers. Ryuk, which would do it too, is an
	// image that would have to be pulled.
	if err := os.Setenv("TESTCONTAINERS_RYUK_DISABLED", "true"); err != nil {
		return nil, err
	}
	ctx := context.Background()
	docker, err := testcontainers.NewDockerClientWithOpts(ctx)
	if err != nil {
		return nil, fmt.Errorf("connect to the container engine: %w", err)
	}
	if err := removeStale(ctx, docker); err != nil {
		return nil, err
	}
	n, err := network.New(ctx, network.WithLabels(labels()))
	if err != nil {
		return nil, fmt.Errorf("create a network: %w", err)
	}
	return &engine{client: docker, network: n}, nil
})

func labels() map[string]string { return map[string]string{ownerLabel: strconv.Itoa(os.Getpid())} }

// removeStale removes containers and networks of test processes that no longer run.
func removeStale(ctx context.Context, docker *testcontainers.DockerClient) error {
	filter := client.Filters{}.Add("label", ownerLabel)
	found, err := docker.ContainerList(ctx, client.ContainerListOptions{All: true, Filters: filter})
	if err != nil {
		return fmt.Errorf("list containers: %w", err)
	}
	for _, c := range found.Items {
		if isGone(c.Labels[ownerLabel]) {
			_, _ = docker.ContainerRemove(ctx, c.ID, client.ContainerRemoveOptions{Force: true, RemoveVolumes: true}) // another process may have removed it
		}
	}
	networks, err := docker.NetworkList(ctx, client.NetworkListOptions{Filters: filter})
	if err != nil {
		return fmt.Errorf("list networks: %w", err)
	}
	for _, n := range networks.Items {
		if isGone(n.Labels[ownerLabel]) {
			_, _ = docker.NetworkRemove(ctx, n.ID, client.NetworkRemoveOptions{})
		}
	}
	return nil
}

// isGone reports whether the process with the id has ended.
func isGone(pid string) bool {
	_, err := os.Stat("/proc/" + pid)
	return os.IsNotExist(err)
}

// spec says how a container is started.
type spec struct {
	name, image string
	env         []string
	cmd         []string
	ports       []string // published on this machine, such as "8443"
	folder      string   // a volume that holds files
	files       map[string]string
	volumes     []string // further folders that survive a restart
	tmpfs       map[string]string
	readOnly    bool // whether the root file system is read-only
}

// start starts a container and records it so that Close removes it.
func (e *engine) start(s spec) (*Container, error) {
	c := &Container{Name: s.name, engine: e, ports: map[string]string{}}
	bindings := dockernetwork.PortMap{}
	for _, port := range s.ports {
		addr, err := freeAddr()
		if err != nil {
			return nil, err
		}
		_, host, err := net.SplitHostPort(addr)
		if err != nil {
			return nil, err
		}
		c.ports[port] = addr
		bindings[dockernetwork.MustParsePort(port+"/tcp")] = []dockernetwork.PortBinding{{HostIP: netip.AddrFrom4([4]byte{127, 0, 0, 1}), HostPort: host}}
	}
	options := []testcontainers.ContainerCustomizer{
		testcontainers.WithLabels(labels()), testcontainers.WithEnv(variables(s.env)), testcontainers.WithCmd(s.cmd...),
		testcontainers.WithTmpfs(s.tmpfs), network.WithNetwork([]string{s.name}, e.network),
		// The engine would start the program again every few seconds to ask whether it is
		// healthy, which costs more processor time than most tests. tests/compose has it.
		testcontainers.WithConfigModifier(func(c *dockercontainer.Config) { c.Healthcheck = &dockercontainer.HealthConfig{Test: []string{"NONE"}} }),
		testcontainers.WithHostConfigModifier(func(h *dockercontainer.HostConfig) {
			h.PortBindings, h.ReadonlyRootfs = bindings, s.readOnly
			if s.readOnly {
				h.CapDrop, h.SecurityOpt = []string{"ALL"}, []string{"no-new-privileges"}
			}
		}),
	}
	for _, port := range s.ports {
		options = append(options, testcontainers.WithExposedPorts(port+"/tcp"))
	}
	for _, v := range slices.DeleteFunc(append(s.volumes, s.folder), func(v string) bool { return v == "" }) {
		options = append(options, testcontainers.WithMounts(testcontainers.ContainerMount{Source: testcontainers.GenericVolumeMountSource{}, Target: testcontainers.ContainerMountTarget(v)}))
	}
	if s.folder != "" {
		options = append(options, testcontainers.WithAdditionalLifecycleHooks(testcontainers.ContainerLifecycleHooks{
			PostCreates: []testcontainers.ContainerHook{func(ctx context.Context, created testcontainers.Container) error {
				return e.copyFiles(ctx, created.GetContainerID(), s.folder, s.files)
			}},
		}))
	}
	running, err := testcontainers.Run(context.Background(), s.image, options...)
	if running != nil {
		c.running = running
		e.mu.Lock()
		e.containers = append(e.containers, c)
		e.mu.Unlock()
	}
	if err != nil {
		return nil, fmt.Errorf("start the container %s: %w", s.name, err)
	}
	return c, nil
}

// copyFiles copies files into a folder of a container. The folder must be a volume,
// because the rest of the container may be read-only.
func (e *engine) copyFiles(ctx context.Context, id, folder string, files map[string]string) error {
	var archive bytes.Buffer
	w := tar.NewWriter(&archive)
	for name, content := range files {
		if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(content)), ModTime: time.Now()}); err != nil {
			return err
		}
		if _, err := w.Write([]byte(content)); err != nil {
			return err
		}
	}
	if err := w.Close(); err != nil {
		return err
	}
	_, err := e.client.CopyToContainer(ctx, id, client.CopyToContainerOptions{DestinationPath: folder, Content: &archive})
	return err
}

// variables parses NAME=value strings into a map.
func variables(env []string) map[string]string {
	m := map[string]string{}
	for _, v := range env {
		name, value, _ := strings.Cut(v, "=")
		m[name] = value
	}
	return m
}

// Addr returns the address on this machine at which a port of the container is
// published.
func (c *Container) Addr(port string) string { return c.ports[port] }

// Output returns everything that the container has written so far, across restarts.
func (c *Container) Output() string {
	logs, err := c.engine.client.ContainerLogs(context.Background(), c.running.GetContainerID(), client.ContainerLogsOptions{ShowStdout: true, ShowStderr: true})
	if err != nil {
		return err.Error()
	}
	defer logs.Close()
	var out bytes.Buffer
	if _, err := stdcopy.StdCopy(&out, &out, logs); err != nil {
		return out.String() + err.Error()
	}
	return out.String()
}

// stopSeconds is the time a container has for a graceful shutdown: longer than the
// shutdown grace period of any service.
const stopSeconds = 90

// Stop sends SIGTERM and returns an error unless the program exits with status 0. If
// the container has already ended, Stop does nothing.
func (c *Container) Stop() error {
	ctx, timeout := context.Background(), stopSeconds
	if state, err := c.running.State(ctx); err != nil || !state.Running {
		return err
	}
	if _, err := c.engine.client.ContainerStop(ctx, c.running.GetContainerID(), client.ContainerStopOptions{Timeout: &timeout}); err != nil {
		return err
	}
	state, err := c.running.State(ctx)
	if err == nil && state.ExitCode != 0 {
		err = fmt.Errorf("%s exited with status %d", c.Name, state.ExitCode)
	}
	return err
}

// Kill kills the container without warning, as a power cut would.
func (c *Container) Kill() error { return c.Signal("KILL") }

// Start starts a container that has ended.
func (c *Container) Start() error {
	_, err := c.engine.client.ContainerStart(context.Background(), c.running.GetContainerID(), client.ContainerStartOptions{})
	return err
}

// Signal sends a signal, such as HUP, to the container's program.
func (c *Container) Signal(name string) error {
	_, err := c.engine.client.ContainerKill(context.Background(), c.running.GetContainerID(), client.ContainerKillOptions{Signal: name})
	return err
}

// Write writes files, by name, to a folder of the container that is a volume.
func (c *Container) Write(folder string, files map[string]string) error {
	return c.engine.copyFiles(context.Background(), c.running.GetContainerID(), folder, files)
}

// Pause freezes the container's processes. The kernel cannot freeze a process that
// waits for a disk, and on a busy machine the engine soon gives up, so Pause retries.
func (c *Container) Pause() error {
	for end := time.Now().Add(patience.Limit()); ; time.Sleep(100 * time.Millisecond) {
		_, err := c.engine.client.ContainerPause(context.Background(), c.running.GetContainerID(), client.ContainerPauseOptions{})
		if err == nil || !strings.Contains(err.Error(), "unable to freeze") || time.Now().After(end) {
			return err
		}
	}
}

// Unpause ends a pause.
func (c *Container) Unpause() error {
	_, err := c.engine.client.ContainerUnpause(context.Background(), c.running.GetContainerID(), client.ContainerUnpauseOptions{})
	return err
}

// Disconnect disconnects the container from the network.
func (c *Container) Disconnect() error {
	_, err := c.engine.client.NetworkDisconnect(context.Background(), c.engine.network.ID, client.NetworkDisconnectOptions{Container: c.running.GetContainerID(), Force: true})
	return err
}

// Connect reconnects the container to the network.
func (c *Container) Connect() error {
	_, err := c.engine.client.NetworkConnect(context.Background(), c.engine.network.ID, client.NetworkConnectOptions{
		Container: c.running.GetContainerID(), EndpointConfig: &dockernetwork.EndpointSettings{Aliases: []string{c.Name}},
	})
	return err
}

// Exec runs a command of the container's program inside the container and returns its
// standard output.
func (c *Container) Exec(ctx context.Context, args ...string) (string, error) {
	info, err := c.running.Inspect(ctx)
	if err != nil {
		return "", err
	}
	return c.Run(ctx, append([]string{info.Config.Entrypoint[0]}, args...)...)
}

// Run runs a command inside the container and returns its standard output.
func (c *Container) Run(ctx context.Context, command ...string) (string, error) {
	code, raw, err := c.running.Exec(ctx, command)
	if err != nil {
		return "", err
	}
	var out, problems bytes.Buffer
	if _, err := stdcopy.StdCopy(&out, &problems, raw); err != nil {
		return "", err
	}
	if code != 0 {
		return out.String(), fmt.Errorf("exit status %d: %s", code, problems.String())
	}
	return out.String(), nil
}

// PID returns the process id of the container's program on this machine.
func (c *Container) PID() (int, error) {
	info, err := c.running.Inspect(context.Background())
	if err != nil {
		return 0, err
	}
	return info.State.Pid, nil
}

// isRunning returns nil while the container runs, and an error with its exit status
// and output once it has ended.
func (c *Container) isRunning() error {
	state, err := c.running.State(context.Background())
	if err == nil && !state.Running {
		err = fmt.Errorf("container %s exited with status %d:\n%s", c.Name, state.ExitCode, c.Output())
	}
	return err
}

// remove removes the containers, with their volumes.
func (e *engine) remove(containers ...*Container) error {
	var first error
	for _, c := range containers {
		_, err := e.client.ContainerRemove(context.Background(), c.running.GetContainerID(), client.ContainerRemoveOptions{Force: true, RemoveVolumes: true})
		if err != nil && first == nil {
			first = err
		}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.containers = without(e.containers, containers)
	return first
}

// without returns the containers of all that are not in some.
func without(all, some []*Container) []*Container {
	var rest []*Container
	for _, c := range all {
		gone := false
		for _, s := range some {
			gone = gone || s == c
		}
		if !gone {
			rest = append(rest, c)
		}
	}
	return rest
}

// Close removes the containers and the network that tests in containers have shared.
// TestMain calls it.
func Close() {
	if ModeOfRun() != Containers {
		return
	}
	e, err := openEngine()
	if err != nil {
		return
	}
	_ = e.remove(e.containers...)
	_ = e.network.Remove(context.Background())
}
