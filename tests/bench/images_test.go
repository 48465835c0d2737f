package bench

import (
	"net/http"
	"testing"
	"time"

	"github.com/rectohq/recto/tests/harness"
)

// TestBenchMemory prints what a container of each service takes of memory, idle
// and under load. The baseline is the smallest of them.
func TestBenchMemory(t *testing.T) {
	if harness.ModeOfRun() != harness.Containers {
		t.Skip("about containers: make bench-containers runs it")
	}
	s, cluster := harness.StartCluster(t, harness.Options{Rate: "unlimited"})
	client := &http.Client{Transport: s.Transport()}
	defer client.CloseIdleConnections()
	c := s.Client(t)
	document := sealedDocument(t, c)
	time.Sleep(10 * time.Second) // what the start took is given back
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
	t.Logf("16 clients get a document in containers: %s", get)
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
