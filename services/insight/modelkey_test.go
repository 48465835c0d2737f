package insight_test

import (
	"context"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/config"
	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/libs/runner"
	"github.com/rectohq/recto/libs/testkit/modelserver"
	"github.com/rectohq/recto/libs/testkit/patience"
	"github.com/rectohq/recto/libs/testkit/servicetest"
	"github.com/rectohq/recto/services/insight"
)

// TestReplaceModelKey replaces the API key of the language model, as docs/operations.md says,
// while requests need the model: a new instance starts with the new key, the old instance
// stops, and the old key is revoked. No request fails, and an instance with the old key fails.
func TestReplaceModelKey(t *testing.T) {
	t.Parallel()
	s := prepare(t)
	model := modelserver.Start(t)
	var revoked atomic.Bool
	model.Script(func(r modelserver.Request) modelserver.Reply {
		if r.Key != "second" && (r.Key != "first" || revoked.Load()) {
			return modelserver.Reply{Status: 401, Message: "invalid key"}
		}
		return modelserver.Reply{JSON: nothingFound(r.Schema)}
	})
	start := func(key string) *servicetest.Service {
		var cfg insight.Config
		err := config.Load(append(s.env, "INSIGHT_MODEL_PROVIDER=openai", "INSIGHT_MODEL=scripted", "INSIGHT_MODEL_URL="+model.URL(modelserver.OpenAI),
			"INSIGHT_MODEL_KEY="+key, "INSIGHT_MODEL_FALLBACK=none"), "INSIGHT_", &cfg)
		if err != nil {
			t.Fatal(err)
		}
		return s.StartReady(insightapi.Service, func(ctx context.Context, deps runner.Deps) error { return insight.Run(ctx, cfg, deps) })
	}
	var n atomic.Int64
	request := func() error {
		_, err := bus.Call(patience.Context(t), s.Caller, insightapi.Create, principal, ask(insightapi.DocText, "Lease "+strconv.FormatInt(n.Add(1), 10)))
		return err
	}
	older := start("first")
	ctx, cancel := context.WithCancel(t.Context())
	var clients sync.WaitGroup
	for range 2 {
		clients.Go(func() {
			for ctx.Err() == nil {
				if err := request(); err != nil {
					t.Errorf("a request fails: %v", err)
					return
				}
			}
		})
	}
	answered := func(what string) {
		before := n.Load()
		patience.Until(t, "requests are answered "+what, func() bool { return n.Load() > before+5 || t.Failed() })
	}
	answered("with the first key")
	newer := start("second")
	answered("with both keys")
	if err := older.Stop(); err != nil {
		t.Error(err)
	}
	revoked.Store(true)
	answered("with the second key")
	cancel()
	clients.Wait()
	if err := newer.Stop(); err != nil {
		t.Error(err)
	}
	start("first")
	if err := request(); !problem.Is(err, problem.Unavailable) {
		t.Errorf("a request with the revoked key: %v", err)
	}
}

// nothingFound returns an answer for a schema whose members are arrays.
func nothingFound(schema jsontext.Value) string {
	var of struct {
		Properties map[string]jsontext.Value `json:"properties"`
	}
	if err := json.Unmarshal(schema, &of); err != nil {
		return err.Error()
	}
	answer := map[string][]string{}
	for name := range of.Properties {
		answer[name] = []string{}
	}
	data, err := json.Marshal(answer)
	if err != nil {
		panic(err) // cannot happen: it is a map of empty lists
	}
	return string(data)
}
