package standalone

import (
	"bytes"
	"context"
	"net"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rectohq/recto/libs/formats/pdf"
	"github.com/rectohq/recto/libs/listener/listenertest"
	"github.com/rectohq/recto/libs/sandbox"
)

// TestMain lets the children of a standalone program be this program.
func TestMain(m *testing.M) {
	pdf.Main()
	sandbox.Main()
	os.Exit(m.Run())
}

// output is what Up has written so far.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) has(text string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return strings.Contains(o.text.String(), text)
}

// TestListenersDie takes each listener of the program away: the program ends
// with an error.
func TestListenersDie(t *testing.T) {
	t.Setenv("CONVERSION_LIBREOFFICE", "/nowhere")
	t.Setenv("LOG_LEVEL", "ERROR")
	dir, err := os.Getwd() // the object store changes it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chdir(dir) })
	for name, addr := range map[string]func(Flags) string{
		"API": func(f Flags) string { return f.Addr }, "object store": func(f Flags) string { return f.ObjectsAddr }, "metrics": func(f Flags) string { return f.MetricsAddr },
	} {
		t.Run(name, func(t *testing.T) {
			flags := Flags{Data: t.TempDir(), Addr: free(t), ObjectsAddr: free(t), MetricsAddr: free(t)}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var out output
			ended := make(chan error, 1)
			go func() { ended <- Up(ctx, flags, &out) }()
			for deadline := time.Now().Add(2 * time.Minute); !out.has("To copy:"); time.Sleep(5 * time.Millisecond) {
				if len(ended) > 0 || time.Now().After(deadline) {
					cancel()
					t.Fatalf("it does not start: %v", <-ended)
				}
			}
			listenertest.Break(t, addr(flags))
			select {
			case err := <-ended:
				if err == nil || !strings.Contains(err.Error(), name) {
					t.Errorf("it ends with %v", err)
				}
			case <-time.After(2 * time.Minute):
				t.Error("it goes on without its listener")
				cancel()
				<-ended
			}
		})
	}
}

// free returns an address that nobody listens on.
func free(t *testing.T) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	return ln.Addr().String()
}
