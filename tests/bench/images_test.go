package bench

import (
	"net/http"
	"testing"
	"time"

	"github.com/rectohq/recto/tests/harness"
)

// TestBenchMemory prints the memory use of each service's container, idle and under load.
// The baseline of each service is its idle use.
func TestBenchMemory(t *testing.T) {
	if harness.ModeOfRun() != harness.Containers {
		t.Skip("needs containers: run make bench-containers")
	}
	s, cluster := harness.StartCluster(t, harness.Options{Rate: "unlimited"})
	client := &http.Client{Transport: s.Transport()}
	defer client.CloseIdleConnections()
	c := s.Client(t)
	document := sealedDocument(t, c)
	time.Sleep(10 * time.Second) // memory used by the start is released
	idle := memories(t, cluster)
	stop := make(chan struct{})
	done := make(chan struct{})
	go func() { // conversions, one after the other
		defer close(done)
		for {
			select {
			case <-stop:
				return
			default:
				c.Post("/documents/convert", map[string]any{"filename": "a.txt", "file_base64": "VGV4dA=="}).OK(nil)
			}
		}
	}()
	create(t, s, client, 2000)
	get := run(t, client, 4000, 16, func(int) *http.Request { return get(t, s.BaseURL+"/documents/"+document, s.APIKey) })
	loaded := memories(t, cluster)
	close(stop)
	<-done
	t.Logf("GET document in containers, 16 clients: %s", get)
	for _, name := range []string{"gateway", "document", "annotation", "conversion", "insight"} {
		t.Logf("%-11s idle %4d MiB  loaded %4d MiB  ×%.1f", name, idle[name]>>20, loaded[name]>>20, float64(loaded[name])/float64(idle[name]))
	}
}

func memories(t *testing.T, c *harness.Cluster) map[string]uint64 {
	t.Helper()
	used := map[string]uint64{}
	for name, instances := range c.Services {
		n, err := instances[0].Memory()
		if err != nil {
			t.Fatal(err)
		}
		used[name] = n
	}
	return used
}
