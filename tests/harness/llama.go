package harness

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"testing"

	"github.com/rectohq/recto/tests/harness/tinymodel"
)

// ContainersOnly skips a test unless this run is in Containers mode.
func ContainersOnly(t testing.TB) {
	t.Helper()
	if mode := ModeOfRun(); mode != Containers {
		t.Skipf("tests containers, not %s", mode)
	}
}

// Llama is a server of llama.cpp in a container.
type Llama struct {
	*Container
	// Key is the API key that it asks for.
	Key string

	t     testing.TB
	name  string
	slots int
}

// llamaPort is the port of the server.
const llamaPort = "8080"

// StartLlama starts a server of a language model on the network of the containers. It works
// on as many requests concurrently as it has slots; others wait. The server is removed when
// the test ends.
func StartLlama(t testing.TB, m tinymodel.Model, slots int) *Llama {
	t.Helper()
	l := &Llama{Key: "key-" + randomName(), t: t, name: "llama-" + randomName(), slots: slots}
	l.Load(m)
	t.Cleanup(func() { _ = l.engine.remove(l.Container) })
	return l
}

// Load starts the server with a model, in place of the one that runs, and returns when it
// answers. Its address on the network of the containers stays the same.
func (l *Llama) Load(m tinymodel.Model) {
	l.t.Helper()
	e, err := openEngine()
	if err != nil {
		l.t.Fatal(err)
	}
	image, err := serverImage("LLAMA")
	if err != nil {
		l.t.Fatal(err)
	}
	if l.Container != nil {
		_ = e.remove(l.Container)
	}
	l.Container, err = e.start(spec{
		name: l.name, image: image, readOnly: true, ports: []string{llamaPort},
		folder: "/models", files: map[string]string{"tiny.gguf": string(m.GGUF())}, env: []string{"LLAMA_API_KEY=" + l.Key},
		// One thread: in a model as small, more of them only wait for each other.
		cmd: []string{
			"--model", "/models/tiny.gguf", "--alias", tinymodel.Name, "--ctx-size", strconv.Itoa(l.slots * tinymodel.ContextLength),
			"--parallel", strconv.Itoa(l.slots), "--threads", "1", "--no-ui",
		},
	})
	if err != nil {
		l.t.Fatal(err)
	}
	if err := waitFor("http://"+l.Addr(llamaPort)+"/health", l.isRunning); err != nil {
		l.t.Fatalf("%v\n%s", err, l.Output())
	}
}

// Env returns the variables with which insight in a container reads with this server.
func (l *Llama) Env() []string {
	return []string{
		"INSIGHT_MODEL_PROVIDER=openai", "INSIGHT_MODEL=" + tinymodel.Name, "INSIGHT_MODEL_URL=http://" + l.name + ":" + llamaPort + "/v1", "INSIGHT_MODEL_KEY=" + l.Key,
	}
}

// Busy returns how many requests the server is working on.
func (l *Llama) Busy() int {
	l.t.Helper()
	var slots []struct {
		Processing bool `json:"is_processing"`
	}
	if err := json.Unmarshal(l.Get("/slots"), &slots); err != nil {
		l.t.Fatal(err)
	}
	busy := 0
	for _, s := range slots {
		if s.Processing {
			busy++
		}
	}
	return busy
}

// Get returns what the server answers to a GET.
func (l *Llama) Get(path string) []byte {
	l.t.Helper()
	return l.send(http.MethodGet, path, nil)
}

// Post returns what the server answers to a POST of JSON.
func (l *Llama) Post(path string, body any) []byte {
	l.t.Helper()
	data, err := json.Marshal(body)
	if err != nil {
		l.t.Fatal(err)
	}
	return l.send(http.MethodPost, path, data)
}

// send sends a request with the key, and fails the test unless it succeeds.
func (l *Llama) send(method, path string, body []byte) []byte {
	l.t.Helper()
	request, err := http.NewRequestWithContext(l.t.Context(), method, "http://"+l.Addr(llamaPort)+path, bytes.NewReader(body))
	if err != nil {
		l.t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+l.Key)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		l.t.Fatal(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		l.t.Fatalf("%s: status %d, %v: %s", path, response.StatusCode, err, answer)
	}
	return answer
}
