package objectserver_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/rectohq/recto/libs/cors"
	"github.com/rectohq/recto/libs/engines/objectserver"
)

const (
	bucket = "objects"
	// maxSize is the largest upload, in bytes.
	maxSize = 1 << 20
)

// The server that TestMain starts.
var (
	addr    string
	spooled string // the folder for uploads of unknown length
	server  *objectserver.Server
	client  *minio.Client
)

func TestMain(m *testing.M) {
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// run runs the tests with a server. A process can have only one.
func run(m *testing.M) (int, error) {
	dir, err := os.MkdirTemp("", "objectserver-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	addr = ln.Addr().String()
	_ = ln.Close()
	cfg := objectserver.Config{
		Dir: dir, Addr: addr, Region: "us-east-1", AccessKey: "access", SecretKey: "a secret of tests",
		CORSOrigins: cors.Origins{page},
		Uploads: objectserver.Uploads{MaxSize: maxSize, SealedKey: func(key string) (string, bool) {
			name, ok := strings.CutPrefix(key, "in/")
			return "sealed/" + name, ok
		}},
	}
	if os.Getenv(noAttributes) != "" {
		cfg = objectserver.WithoutAttributes(cfg)
	}
	server, err = objectserver.Start(context.Background(), cfg)
	if err != nil {
		return 0, err
	}
	spooled = filepath.Join(dir, "spool")
	client, err = minio.New(addr, &minio.Options{
		Creds: credentials.NewStaticV4("access", "a secret of tests", ""), Region: "us-east-1", BucketLookup: minio.BucketLookupPath,
	})
	if err == nil {
		err = client.MakeBucket(context.Background(), bucket, minio.MakeBucketOptions{})
	}
	if err != nil {
		return 0, errors.Join(err, server.Stop())
	}
	code := m.Run()
	return code, server.Stop()
}

// exchange sends raw bytes over a new connection. It returns the final responses
// and their bodies until the server closes the connection.
func exchange(t *testing.T, raw string) ([]*http.Response, []string) {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = io.WriteString(conn, raw) }()
	var answers []*http.Response
	var bodies []string
	reader := bufio.NewReader(conn)
	for {
		answer, err := http.ReadResponse(reader, nil)
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET) {
			return answers, bodies
		}
		if err != nil {
			t.Fatal(err)
		}
		if answer.StatusCode == http.StatusContinue {
			continue
		}
		body, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		answers, bodies = append(answers, answer), append(bodies, string(body))
	}
}

// chunked and counted return a body with the headers that frame it.
func chunked(body string) string {
	return fmt.Sprintf("Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", len(body), body)
}

func counted(body string) string {
	return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body)
}

// next is a request that follows another one on the same connection. Its response
// names the bucket "next".
const next = "GET /next HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"

// TestRefusedBodyIsNoRequest sends unsigned requests whose bodies look like
// requests. It shows that the bodies are not parsed as requests, neither on the
// client's connection nor on the connection to versitygw, which is shared.
func TestRefusedBodyIsNoRequest(t *testing.T) {
	const inner = "GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n"
	for name, body := range map[string]string{"chunked": chunked(inner), "counted": counted(inner)} {
		for _, method := range []string{http.MethodPut, http.MethodPost, http.MethodGet, http.MethodDelete} {
			t.Run(name+" "+method, func(t *testing.T) {
				for range 5 {
					answers, bodies := exchange(t, method+" /first/key HTTP/1.1\r\nHost: x\r\n"+body+next)
					for i, answer := range answers {
						if i > 1 || answer.StatusCode < 400 || i == 1 && !strings.Contains(bodies[i], "<BucketName>next<") || strings.Contains(bodies[i], "smuggled") {
							t.Errorf("response %d of at most 2 is %d %s", i+1, answer.StatusCode, bodies[i])
						}
					}
				}
			})
		}
	}
}
