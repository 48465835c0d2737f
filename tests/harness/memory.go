package harness

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"
)

// Memory returns the memory that the container uses, in bytes, without the page cache.
func (c *Container) Memory() (uint64, error) {
	result, err := c.engine.client.ContainerStats(context.Background(), c.running.GetContainerID(), client.ContainerStatsOptions{})
	if err != nil {
		return 0, err
	}
	defer result.Body.Close()
	return readMemory(result.Body)
}

// readMemory reads the statistics of a container and returns the memory that it uses,
// in bytes, as docker stats shows it: without the reclaimable page cache.
func readMemory(stats io.Reader) (uint64, error) {
	var s container.StatsResponse
	if err := json.NewDecoder(stats).Decode(&s); err != nil {
		return 0, fmt.Errorf("read the statistics: %w", err)
	}
	inactive := s.MemoryStats.Stats["total_inactive_file"] // control groups of version 1
	if inactive == 0 {
		inactive = s.MemoryStats.Stats["inactive_file"]
	}
	return s.MemoryStats.Usage - inactive, nil
}
