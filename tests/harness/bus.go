package harness

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/rectohq/recto/libs/testkit/patience"
)

// natsNames returns the names of the NATS servers.
func (c *Cluster) natsNames(o Options) []string {
	var names []string
	for n := range max(1, o.NATS) {
		names = append(names, fmt.Sprintf("nats-%s-%d", c.id, n+1))
	}
	return names
}

// natsFolder holds the configuration and certificates in the servers' containers.
const natsFolder = "/etc/nats"

// startNATS starts the NATS servers with the configuration of deploy/nats.
func (c *Cluster) startNATS(instances int) error {
	image, err := serverImage("NATS")
	if err != nil {
		return err
	}
	files, err := c.natsFiles()
	if err != nil {
		return err
	}
	names := c.natsNames(Options{NATS: instances})
	var routes []string
	for _, name := range names {
		routes = append(routes, "nats://"+name+":6222")
	}
	file := "server.conf"
	if instances > 1 {
		file = "cluster.conf"
	}
	for _, name := range names {
		env := []string{
			"NATS_SERVER_NAME=" + name, "NATS_STORE_DIR=/data", "NATS_TLS_CERT_FILE=" + natsFolder + "/server.pem", "NATS_TLS_KEY_FILE=" + natsFolder + "/server-key.pem",
			"NATS_TLS_CA_FILE=" + natsFolder + "/ca.pem", "NATS_ROUTES=[" + strings.Join(routes, ", ") + "]",
		}
		for _, user := range NATSUsers {
			env = append(env, "NATS_"+strings.ToUpper(user)+"_PASSWORD="+NATSPassword(user))
		}
		started, err := c.engine.start(spec{
			name: name, image: image, cmd: []string{"--config", natsFolder + "/" + file}, env: env,
			folder: natsFolder, files: files, volumes: []string{"/data"}, ports: []string{"4222", "8222"},
		})
		if err != nil {
			return err
		}
		c.NATS = append(c.NATS, started)
	}
	return nil
}

// natsFiles returns the files that the servers read, by name.
func (c *Cluster) natsFiles() (map[string]string, error) {
	files, err := c.certificateFiles()
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"recto.conf", "server.conf", "cluster.conf"} {
		content, err := os.ReadFile(filepath.Join(Root(), "deploy", "nats", name))
		if err != nil {
			return nil, err
		}
		files[name] = string(content)
	}
	return files, nil
}

// ReloadNATS replaces files of the servers' configuration, by name, and has the servers
// load their configuration and certificates again. It does not wait until they have.
func (c *Cluster) ReloadNATS(files map[string]string) error {
	for _, server := range c.NATS {
		if err := errors.Join(server.Write(natsFolder, files), server.Signal("HUP")); err != nil {
			return err
		}
	}
	return nil
}

// busEnv returns the variables with which a service connects to the servers as its
// own user.
func (c *Cluster) busEnv(service string) []string {
	var urls []string
	for _, n := range c.NATS {
		urls = append(urls, "tls://"+n.Name+":4222")
	}
	return []string{
		"NATS_URL=" + strings.Join(urls, ","), "NATS_USER=" + service, "NATS_PASSWORD=" + NATSPassword(service),
		"NATS_CA_FILE=" + certificates + "/ca.pem",
	}
}

// WaitNATS waits until every NATS server reports that it and its streams are healthy.
func (c *Cluster) WaitNATS() error {
	client := http.Client{Timeout: patience.Scale(3 * time.Second), Transport: &http.Transport{DisableKeepAlives: true}}
	deadline := time.Now().Add(startTimeout())
	for _, server := range c.NATS {
		for {
			response, err := client.Get("http://" + server.Addr("8222") + "/healthz")
			status := 0
			if err == nil {
				status = response.StatusCode
				_ = response.Body.Close()
			}
			if status == http.StatusOK {
				break
			}
			if time.Now().After(deadline) {
				return fmt.Errorf("%s is not healthy: %d, %w\n%s", server.Name, status, err, server.Output())
			}
			time.Sleep(100 * time.Millisecond)
		}
	}
	return nil
}

// Events returns the data of every message in the EVENTS stream.
func (c *Cluster) Events(ctx context.Context) ([][]byte, error) {
	return Events(ctx, "tls://"+c.NATS[0].Addr("4222"), NATSPassword("admin"), filepath.Join(c.dir, "ca.pem"))
}

// Events returns the data of every message in the EVENTS stream of the server at a URL.
// Password is that of the user admin, and caFile verifies the server's certificate.
func Events(ctx context.Context, url, password, caFile string) ([][]byte, error) {
	nc, err := nats.Connect(url, nats.UserInfo("admin", password), nats.RootCAs(caFile))
	if err != nil {
		return nil, err
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		return nil, err
	}
	stream, err := js.Stream(ctx, "EVENTS")
	if err != nil {
		return nil, err
	}
	info, err := stream.Info(ctx)
	if err != nil {
		return nil, err
	}
	var events [][]byte
	for n := info.State.FirstSeq; n <= info.State.LastSeq; n++ {
		m, err := stream.GetMsg(ctx, n)
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			continue // already removed from the stream
		}
		if err != nil {
			return nil, err
		}
		events = append(events, m.Data)
	}
	return events, nil
}
