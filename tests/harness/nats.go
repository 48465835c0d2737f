package harness

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// natsNames are the names of the servers of the bus.
func (c *Cluster) natsNames(o Options) []string {
	var names []string
	for n := range max(1, o.NATS) {
		names = append(names, fmt.Sprintf("nats-%s-%d", c.id, n+1))
	}
	return names
}

// startNATS starts a cluster of servers.
func (c *Cluster) startNATS(instances int, _ certificate) error {
	names := c.natsNames(Options{NATS: instances})
	var routes []string
	for _, name := range names {
		routes = append(routes, "nats://"+name+":6222")
	}
	image, err := serverImage("NATS")
	if err != nil {
		return err
	}
	for _, name := range names {
		config := "server_name: " + name + "\nlisten: 0.0.0.0:4222\njetstream { store_dir: /data, max_mem: 2G, max_file: 4G }\nhttp: 8222\n"
		if instances > 1 {
			config += "cluster { name: recto, listen: 0.0.0.0:6222, routes: [" + strings.Join(routes, ", ") + "] }\n"
		}
		started, err := c.engine.start(spec{name: name, image: image, cmd: []string{"--config", "/etc/nats/nats.conf"}, folder: "/etc/nats", files: map[string]string{"nats.conf": config}, volumes: []string{"/data"}, ports: []string{"4222", "8222"}})
		if err != nil {
			return err
		}
		c.NATS = append(c.NATS, started)
	}
	return nil
}

// busEnv leads a service to the servers.
func (c *Cluster) busEnv(string) []string {
	var urls []string
	for _, n := range c.NATS {
		urls = append(urls, "nats://"+n.Name+":4222")
	}
	return []string{"NATS_URL=" + strings.Join(urls, ",")}
}

// WaitNATS waits until every server of the bus says that it, and all that it
// keeps, is healthy.
func (c *Cluster) WaitNATS() error {
	client := http.Client{Timeout: 3 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	deadline := time.Now().Add(startTimeout)
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

// Events returns the data of all messages of the stream EVENTS.
func (c *Cluster) Events(ctx context.Context) ([][]byte, error) {
	nc, err := nats.Connect("nats://" + c.NATS[0].Addr("4222"))
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
			continue // it was removed
		}
		if err != nil {
			return nil, err
		}
		events = append(events, m.Data)
	}
	return events, nil
}
