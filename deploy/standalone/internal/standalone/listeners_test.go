package standalone

import (
	"context"
	"net"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rectohq/recto/libs/formats/pdf"
	"github.com/rectohq/recto/libs/listener/listenertest"
	"github.com/rectohq/recto/libs/sandbox"
	"github.com/rectohq/recto/libs/testkit/syncbuffer"
)

// TestMain lets this test binary act as the child processes of a standalone program.
func TestMain(m *testing.M) {
	pdf.Main()
	sandbox.Main()
	os.Exit(m.Run())
}

// TestListenersDie breaks each listener of the program, one per subtest: the program ends
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
			var out syncbuffer.Buffer
			ended := make(chan error, 1)
			go func() { ended <- Up(ctx, flags, &out) }()
			for deadline := time.Now().Add(2 * time.Minute); !strings.Contains(out.String(), "Try it."); time.Sleep(5 * time.Millisecond) {
				if len(ended) > 0 || time.Now().After(deadline) {
					cancel()
					t.Fatalf("recto up does not start: %v", <-ended)
				}
			}
			listenertest.Break(t, addr(flags))
			select {
			case err := <-ended:
				if err == nil || !strings.Contains(err.Error(), name) {
					t.Errorf("recto up ends with %v", err)
				}
			case <-time.After(2 * time.Minute):
				t.Error("recto up keeps running without its listener")
				cancel()
				<-ended
			}
		})
	}
}

// stopper cancels a context at a certain write.
type stopper struct {
	syncbuffer.Buffer
	left   atomic.Int64
	cancel context.CancelFunc
}

func (s *stopper) Write(p []byte) (int, error) {
	if s.left.Add(-1) == 0 {
		s.cancel()
	}
	return s.Buffer.Write(p)
}

// TestStopWhileStarting stops the program at each line and step that it prints, one per
// subtest: it ends without an error.
func TestStopWhileStarting(t *testing.T) {
	t.Setenv("CONVERSION_LIBREOFFICE", "/nowhere")
	t.Setenv("LOG_LEVEL", "ERROR")
	dir, err := os.Getwd() // the object store changes it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chdir(dir) })
	for at, done := int64(1), false; !done; at++ {
		t.Run(strconv.FormatInt(at, 10), func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			out := &stopper{cancel: cancel}
			out.left.Store(at)
			if err := Up(ctx, Flags{Data: t.TempDir(), Addr: free(t), ObjectsAddr: free(t)}, out); err != nil {
				t.Errorf("recto up ends with %v\n%s", err, out.String())
			}
			done = strings.Contains(out.String(), "Try it.")
		})
		if t.Failed() {
			return
		}
	}
}

// free returns an address that nothing listens on.
func free(t *testing.T) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	return ln.Addr().String()
}
