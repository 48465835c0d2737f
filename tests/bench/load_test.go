// Package bench prints performance figures. Each is measured next to a baseline in the
// same run. Only the ratio to the baseline describes the code: absolute figures describe
// the machine. TestBenchOffice compares what conversions look like, not what they cost.
package bench

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"sync"
	"testing"
	"time"
)

// TestMain runs the benchmarks only if RECTO_BENCH is set: they take minutes and test
// nothing.
func TestMain(m *testing.M) {
	if os.Getenv("RECTO_BENCH") == "" {
		fmt.Println("skipping benchmarks: run them with make bench")
		return
	}
	os.Exit(m.Run())
}

// load holds the measurements of a series of requests.
type load struct {
	latencies []time.Duration // sorted
	took      time.Duration
}

// run makes n requests from concurrent workers. Each worker sends its next request after
// the response to its last one.
func run(t *testing.T, client *http.Client, n, workers int, request func(i int) *http.Request) load {
	t.Helper()
	var mu sync.Mutex
	var next int
	latencies := make([]time.Duration, n)
	begin := time.Now()
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for {
				mu.Lock()
				i := next
				next++
				mu.Unlock()
				if i >= n {
					return
				}
				start := time.Now()
				response, err := client.Do(request(i))
				if err != nil {
					t.Error(err)
					return
				}
				_, err = io.Copy(io.Discard, response.Body)
				_ = response.Body.Close()
				if err != nil || response.StatusCode != http.StatusOK {
					t.Errorf("status %d, %v", response.StatusCode, err)
					return
				}
				latencies[i] = time.Since(start)
			}
		})
	}
	wg.Wait()
	took := time.Since(begin)
	slices.Sort(latencies)
	return load{latencies: latencies, took: took}
}

func (l load) quantile(q float64) time.Duration {
	return l.latencies[int(q*float64(len(l.latencies)-1)+.5)]
}

func (l load) perSecond() float64 { return float64(len(l.latencies)) / l.took.Seconds() }

func (l load) String() string {
	return fmt.Sprintf("p50 %8s  p99 %8s  %7.0f/s", round(l.quantile(.5)), round(l.quantile(.99)), l.perSecond())
}

// against formats l with its ratios to a baseline.
func (l load) against(base load) string {
	return fmt.Sprintf("%s  p50 ×%.2f  p99 ×%.2f  throughput ×%.2f", l,
		float64(l.quantile(.5))/float64(base.quantile(.5)), float64(l.quantile(.99))/float64(base.quantile(.99)), l.perSecond()/base.perSecond())
}

func round(d time.Duration) time.Duration { return d.Round(10 * time.Microsecond) }

// get returns a GET request for the URL with the API key.
func get(t *testing.T, url, key string) *http.Request {
	request, err := http.NewRequestWithContext(context.Background(), http.MethodGet, url, nil)
	if err != nil {
		t.Error(err)
		return nil
	}
	request.Header.Set("x-api-key", key)
	return request
}
