package provider_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rectohq/recto/libs/testkit/modelserver"
	"github.com/rectohq/recto/libs/testkit/patience"
	"github.com/rectohq/recto/services/insight/internal/llm/provider"
)

// piped connects a client to a server in the bubble of a test, which writes its responses
// with serve. It returns the number of requests so far.
func piped(c *provider.Client, serve func(n int, w io.Writer)) func() int {
	var mu sync.Mutex
	n := 0
	c.SetDial(func(context.Context, string, string) (net.Conn, error) {
		here, there := net.Pipe()
		go func() {
			defer there.Close()
			r, err := http.ReadRequest(bufio.NewReader(there))
			if err != nil {
				return
			}
			_, _ = io.Copy(io.Discard, r.Body)
			mu.Lock()
			n++
			now := n
			mu.Unlock()
			serve(now, there)
		}()
		return here, nil
	})
	return func() int { mu.Lock(); defer mu.Unlock(); return n }
}

// stream is the header of a streamed response that ends with its connection.
const stream = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"

// empty is a response with an answer without clauses.
const empty = stream + "data: {\"choices\":[{\"delta\":{\"content\":\"{\\\"clauses\\\":[]}\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"

// minute is a configuration with a timeout of a minute.
func minute() provider.Config {
	cfg := config(ways[0], "http://model")
	cfg.Timeout = time.Minute
	return cfg
}

// TestTheTimeoutAppliesToEachPart has an answer that takes eight minutes in all.
func TestTheTimeoutAppliesToEachPart(t *testing.T) {
	for pause, late := range map[time.Duration]bool{59 * time.Second: false, 61 * time.Second: true} {
		synctest.Test(t, func(t *testing.T) {
			defer time.Sleep(time.Hour) // the server ends too
			c := connect(t, minute())
			requests := piped(c, func(_ int, w io.Writer) {
				time.Sleep(59 * time.Second)
				_, _ = io.WriteString(w, stream)
				for _, part := range []string{`{\"clauses\":`, `[`, `{\"quote\":`, `\"x\"`, `,\"kind\"`, `:\"a\"}]}`} {
					_, _ = fmt.Fprintf(w, "data: {\"choices\":[{\"delta\":{\"content\":\"%s\"}}]}\n\n", part)
					time.Sleep(pause)
				}
				_, _ = io.WriteString(w, "data: {\"choices\":[{\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
			})
			begin := time.Now()
			got, err := c.Complete(t.Context(), prompt)
			took := time.Since(begin)
			if !late {
				if want := `{"clauses":[{"quote":"x","kind":"a"}]}`; err != nil || string(got.JSON) != want || took != 7*59*time.Second {
					t.Errorf("%s, %v after %v", got.JSON, err, took)
				}
				return
			}
			if e := failed(t, err); e.Kind != provider.TimedOut || e.Tokens.Requests != 1 || took != 119*time.Second || requests() != 1 {
				t.Errorf("%v: %+v after %v", err, e, took)
			}
		})
	}
}

func TestTheTimeoutAppliesUntilTheHeader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		defer time.Sleep(time.Hour) // the server ends too
		c := connect(t, minute())
		requests := piped(c, func(_ int, w io.Writer) {
			time.Sleep(61 * time.Second)
			_, _ = io.WriteString(w, stream)
		})
		begin := time.Now()
		_, err := c.Complete(t.Context(), prompt)
		if e := failed(t, err); e.Kind != provider.TimedOut || !e.Temporary() || time.Since(begin) != time.Minute || requests() != 1 {
			t.Errorf("%v: %+v after %v", err, e, time.Since(begin))
		}
	})
}

// TestNothingIsSentBeforeTheProviderAllows has a provider that asks to wait for 30 s.
func TestNothingIsSentBeforeTheProviderAllows(t *testing.T) {
	for _, status := range []int{429, 503, 529} {
		synctest.Test(t, func(t *testing.T) {
			defer time.Sleep(time.Hour) // the server ends too
			c := connect(t, minute())
			requests := piped(c, func(n int, w io.Writer) {
				if n == 1 {
					_, _ = fmt.Fprintf(w, "HTTP/1.1 %d Later\r\nRetry-After: 30\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}", status)
					return
				}
				_, _ = io.WriteString(w, empty)
			})
			for _, c2 := range []struct{ sleep, after time.Duration }{{0, 30 * time.Second}, {20 * time.Second, 10 * time.Second}, {10*time.Second - 1, 1}} {
				time.Sleep(c2.sleep)
				_, err := c.Complete(t.Context(), prompt)
				if e := failed(t, err); e.Kind != provider.Unavailable || e.Status != status || e.After != c2.after || requests() != 1 {
					t.Errorf("%v: after %v, %d requests", err, e.After, requests())
				}
			}
			time.Sleep(time.Nanosecond)
			if _, err := c.Complete(t.Context(), prompt); err != nil || requests() != 2 {
				t.Errorf("%v after %d requests", err, requests())
			}
		})
	}
}

func TestOtherFailuresHoldNothingBack(t *testing.T) {
	for _, status := range []int{500, 404} {
		s, c := start(t, ways[0], modelserver.Reply{Status: status, RetryAfter: time.Hour})
		for range 2 {
			_, err := c.Complete(t.Context(), prompt)
			_ = failed(t, err)
		}
		if n := len(s.Requests()); n != 2 {
			t.Errorf("%d: %d requests", status, n)
		}
	}
}

// TestASilentServerIsGivenUp shows the timeouts with a real connection, which the client
// closes.
func TestASilentServerIsGivenUp(t *testing.T) {
	everyWay(t, func(t *testing.T, w way) {
		for name, reply := range map[string]modelserver.Reply{
			"before the answer": {JSON: good, Wait: make(chan struct{})}, "in the middle": {JSON: good, Stall: make(chan struct{})},
		} {
			patience.Grow(t, soon, func(timeout time.Duration) bool {
				s, _ := start(t, w, reply)
				cfg := config(w, s.URL(w.protocol))
				cfg.Timeout = timeout
				_, err := connect(t, cfg).Complete(t.Context(), prompt)
				e := failed(t, err)
				if e.Kind != provider.TimedOut {
					t.Fatalf("%s: %v", name, err)
				}
				if len(s.Requests()) == 0 || reply.Stall != nil && e.Status == 0 {
					return false // the server had not got that far
				}
				if len(s.Requests()) != 1 || e.Tokens.Requests != 1 {
					t.Errorf("%s: %d requests, %d counted", name, len(s.Requests()), e.Tokens.Requests)
				}
				patience.Until(t, "the server notices", func() bool { return s.Gone() == 1 })
				return true
			})
		}
	})
}

// errStop is why the tests cancel.
var errStop = errors.New("the job was cancelled")

func TestACallerThatCancelsGetsItsOwnCause(t *testing.T) {
	everyWay(t, func(t *testing.T, w way) {
		for name, reply := range map[string]modelserver.Reply{
			"before the answer": {JSON: good, Wait: make(chan struct{})}, "in the middle": {JSON: good, Stall: make(chan struct{})},
		} {
			s, c := start(t, w, reply)
			ctx, cancel := context.WithCancelCause(t.Context())
			ended := make(chan error, 1)
			go func() { _, err := c.Complete(ctx, prompt); ended <- err }()
			patience.Until(t, "the request arrives", func() bool { return len(s.Requests()) == 1 })
			cancel(errStop)
			if err := patience.Receive(t, "Complete returns", ended); !errors.Is(err, errStop) {
				t.Errorf("%s: %v", name, err)
			}
			patience.Until(t, "the server notices", func() bool { return s.Gone() == 1 })
		}
	})
}

func TestACallerThatHasCancelledSendsNothing(t *testing.T) {
	s, c := start(t, ways[0], modelserver.Reply{JSON: good})
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errStop)
	if _, err := c.Complete(ctx, prompt); !errors.Is(err, errStop) || len(s.Requests()) != 0 {
		t.Errorf("%v after %d requests", err, len(s.Requests()))
	}
}

func TestConcurrentRequestsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := minute()
		cfg.Concurrency = 3
		c := connect(t, cfg)
		open := make(chan struct{})
		requests := piped(c, func(_ int, w io.Writer) {
			<-open
			_, _ = io.WriteString(w, empty)
		})
		var running sync.WaitGroup
		for range 10 {
			running.Go(func() {
				if _, err := c.Complete(t.Context(), prompt); err != nil {
					t.Error(err)
				}
			})
		}
		if synctest.Wait(); requests() != 3 {
			t.Errorf("%d concurrent requests", requests())
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		waiting := make(chan error, 1)
		go func() { _, err := c.Complete(ctx, prompt); waiting <- err }()
		synctest.Wait()
		cancel(errStop)
		if err := <-waiting; !errors.Is(err, errStop) {
			t.Errorf("who waits for a turn got %v", err)
		}
		close(open)
		if running.Wait(); requests() != 10 {
			t.Errorf("%d requests", requests())
		}
	})
}

// TestWhoWaitsForATurnIsHeldBackToo has a request that waits while the provider asks all to
// wait.
func TestWhoWaitsForATurnIsHeldBackToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := minute()
		cfg.Concurrency = 1
		c := connect(t, cfg)
		requests := piped(c, func(_ int, w io.Writer) {
			time.Sleep(time.Second)
			_, _ = io.WriteString(w, "HTTP/1.1 429 Later\r\nRetry-After: 30\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
		})
		var running sync.WaitGroup
		for range 2 {
			running.Go(func() {
				_, err := c.Complete(t.Context(), prompt)
				if e := failed(t, err); e.Status != 429 || e.After != 30*time.Second {
					t.Errorf("%v: after %v", err, e.After)
				}
			})
		}
		if running.Wait(); requests() != 1 {
			t.Errorf("%d requests", requests())
		}
	})
}

// FuzzResponse sends any bytes as a response. Whatever comes back is a valid answer or an
// *Error; FuzzReadAnswer has the details of answers.
func FuzzResponse(f *testing.F) {
	f.Add(200, `{"choices":[null]}`)
	f.Add(200, `data: {"choices":[{"delta":{"tool_calls":[null]},"finish_reason":"function_call"}]}`)
	f.Add(200, `{"type":"message","content":[null,{"type":"tool_use","input":null}],"stop_reason":"tool_use","usage":{}}`)
	f.Add(200, `{"message":null,"done":true,"eval_count":1e99}`)
	f.Add(400, `{"error":null}`)
	f.Fuzz(func(t *testing.T, status int, body string) {
		if status < 200 || status > 999 {
			return
		}
		for _, w := range ways {
			c := connect(t, config(w, "http://model"))
			piped(c, func(_ int, w io.Writer) {
				_, _ = fmt.Fprintf(w, "HTTP/1.1 %d X\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s", status, len(body), body)
			})
			got, err := c.Complete(t.Context(), prompt)
			if err == nil {
				if again, violation := provider.ReadAnswer(prompt.Schema, string(got.JSON)); again != string(got.JSON) {
					t.Errorf("%v: %s: %s", w, got.JSON, violation)
				}
				continue
			}
			if used := failed(t, err).Tokens; used.Requests > 2 || used.InputTokens < 0 || used.CachedTokens > used.InputTokens || used.OutputTokens < 0 {
				t.Errorf("%v: %+v", w, used)
			}
		}
	})
}
