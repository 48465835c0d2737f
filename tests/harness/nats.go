package harness

import (
	"fmt"
	"strings"
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
	for _, name := range names {
		config := "server_name: " + name + "\nlisten: 0.0.0.0:4222\njetstream { store_dir: /data, max_mem: 2G, max_file: 4G }\nhttp: 8222\n"
		if instances > 1 {
			config += "cluster { name: recto, listen: 0.0.0.0:6222, routes: [" + strings.Join(routes, ", ") + "] }\n"
		}
		started, err := c.engine.start(spec{name: name, image: image("NATS"), cmd: []string{"--config", "/etc/nats.conf"}, files: map[string]string{"/etc/nats.conf": config}, volumes: []string{"/data"}})
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
