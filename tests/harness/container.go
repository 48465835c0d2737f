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

// Container is one container. It keeps its addresses on this machine however
// often it is started.
type Container struct {
	// Name is what the others find it by.
	Name string

	running testcontainers.Container
	engine  *engine
	ports   map[string]string // the address on this machine by port
}

// engine is the container engine with what all containers of this test process
// share.
type engine struct {
	client  *testcontainers.DockerClient
	network *testcontainers.DockerNetwork

	mu         sync.Mutex
	containers []*Container
}

// ownerLabel says which test process a container or network is of, by its
// process id: what is left of one that is gone is removed.
const ownerLabel = "com.rectohq.recto.test"

// openEngine connects to the engine, once for this process.
var openEngine = sync.OnceValues(func() (*engine, error) {
	tclog.SetDefault(tclog.NewNoopLogger()) // tests tell what they wait for themselves
	// Containers are removed by whoever made them; an image that does it would
	// have to be pulled.
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
		return nil, fmt.Errorf("make a network: %w", err)
	}
	return &engine{client: docker, network: n}, nil
})

func labels() map[string]string { return map[string]string{ownerLabel: strconv.Itoa(os.Getpid())} }

// removeStale removes what test processes have left that are gone.
func removeStale(ctx context.Context, docker *testcontainers.DockerClient) error {
	filter := client.Filters{}.Add("label", ownerLabel)
	found, err := docker.ContainerList(ctx, client.ContainerListOptions{All: true, Filters: filter})
	if err != nil {
		return fmt.Errorf("list containers: %w", err)
	}
	for _, c := range found.Items {
		if isGone(c.Labels[ownerLabel]) {
			_, _ = docker.ContainerRemove(ctx, c.ID, client.ContainerRemoveOptions{Force: true, RemoveVolumes: true}) // another may be quicker
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

// isGone reports whether the process of that id is gone.
func isGone(pid string) bool {
	_, err := os.Stat("/proc/" + pid)
	return os.IsNotExist(err)
}

// spec says how a container is started.
type spec struct {
	name, image string
	env         []string
	cmd         []string
	ports       []string // that are reached from this machine, such as "8443"
	folder      string   // a volume with the files
	files       map[string]string
	volumes     []string // other folders that outlive a restart
	tmpfs       map[string]string
	readOnly    bool // the root file system
}

// start starts a container and keeps it, so that close removes it.
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

// copyFiles puts files into a folder of a container that has not started. The
// folder is a volume: what else there is of a container may be read-only.
func (e *engine) copyFiles(ctx context.Context, id, folder string, files map[string]string) error {
	var archive bytes.Buffer
	w := tar.NewWriter(&archive)
	for name, content := range files {
		if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(content))}); err != nil {
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

// variables returns NAME=value lines as a map.
func variables(env []string) map[string]string {
	m := map[string]string{}
	for _, v := range env {
		name, value, _ := strings.Cut(v, "=")
		m[name] = value
	}
	return m
}

// Addr returns the address on this machine that leads to a port of the
// container.
func (c *Container) Addr(port string) string { return c.ports[port] }

// Output returns what the container has written so far, in all of its lives.
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

// stopSeconds is how long a container has to end in order: longer than any part
// gives itself.
const stopSeconds = 90

// Stop sends SIGTERM and returns an error unless the program ends with 0. One
// that has ended is stopped already.
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
		err = fmt.Errorf("%s ended with %d", c.Name, state.ExitCode)
	}
	return err
}

// Kill ends the container as a power cut would.
func (c *Container) Kill() error {
	_, err := c.engine.client.ContainerKill(context.Background(), c.running.GetContainerID(), client.ContainerKillOptions{Signal: "KILL"})
	return err
}

// Start starts a container that has ended.
func (c *Container) Start() error {
	_, err := c.engine.client.ContainerStart(context.Background(), c.running.GetContainerID(), client.ContainerStartOptions{})
	return err
}

// Pause freezes the container's processes. The kernel cannot freeze a process that
// waits for a disk, and the engine gives up soon on a busy machine: it is asked again.
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

// Disconnect cuts the container off the network.
func (c *Container) Disconnect() error {
	_, err := c.engine.client.NetworkDisconnect(context.Background(), c.engine.network.ID, client.NetworkDisconnectOptions{Container: c.running.GetContainerID(), Force: true})
	return err
}

// Connect puts the container back on the network.
func (c *Container) Connect() error {
	_, err := c.engine.client.NetworkConnect(context.Background(), c.engine.network.ID, client.NetworkConnectOptions{
		Container: c.running.GetContainerID(), EndpointConfig: &dockernetwork.EndpointSettings{Aliases: []string{c.Name}},
	})
	return err
}

// Exec runs a command of the container's program within it, and returns what it
// prints.
func (c *Container) Exec(ctx context.Context, args ...string) (string, error) {
	info, err := c.running.Inspect(ctx)
	if err != nil {
		return "", err
	}
	code, raw, err := c.running.Exec(ctx, append([]string{info.Config.Entrypoint[0]}, args...))
	if err != nil {
		return "", err
	}
	var out, problems bytes.Buffer
	if _, err := stdcopy.StdCopy(&out, &problems, raw); err != nil {
		return "", err
	}
	if code != 0 {
		return out.String(), fmt.Errorf("it ended with %d: %s", code, problems.String())
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

// Memory returns the bytes of memory that the container uses, without what the
// kernel caches for it.
func (c *Container) Memory() (uint64, error) {
	result, err := c.engine.client.ContainerStats(context.Background(), c.running.GetContainerID(), client.ContainerStatsOptions{})
	if err != nil {
		return 0, err
	}
	defer result.Body.Close()
	return readMemory(result.Body)
}

// isRunning returns an error that says how the container has ended, if it has.
func (c *Container) isRunning() error {
	state, err := c.running.State(context.Background())
	if err == nil && !state.Running {
		err = fmt.Errorf("the container %s ended with %d:\n%s", c.Name, state.ExitCode, c.Output())
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

// without returns all but some.
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

// Close removes what tests in containers have shared. TestMain calls it.
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
