package blob_test

import (
	"context"
	"encoding/pem"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/rectohq/recto/libs/blob"
	"github.com/rectohq/recto/libs/blob/blobtest"
	"github.com/rectohq/recto/libs/telemetry"
	"github.com/rectohq/recto/libs/testkit/faultproxy"
	"github.com/rectohq/recto/libs/testkit/patience"
	"github.com/rectohq/recto/libs/testkit/syncbuffer"
)

// watched is telemetry whose log can be read while it is written.
type watched struct {
	telemetry.Telemetry
	syncbuffer.Buffer
}

func watch() *watched {
	w := &watched{}
	w.Telemetry = telemetry.Telemetry{Log: slog.New(slog.NewTextHandler(w, nil)), Health: telemetry.NewHealth(), Metrics: prometheus.NewRegistry()}
	return w
}

// TestDialWaits dials stores that are unavailable at first and then recover.
func TestDialWaits(t *testing.T) {
	var asked atomic.Int32
	unwell := newFake(t, func(*http.Request, []byte) (int, string) {
		if n := asked.Add(1); n <= 5 {
			return http.StatusServiceUnavailable, errorXML("SlowDown")
		} else if n == 6 {
			return http.StatusForbidden, errorXML("RequestTimeTooSkewed")
		}
		return http.StatusOK, "<ListBucketResult></ListBucketResult>"
	})
	for name, fault := range map[string]faultproxy.Fault{"refuses": faultproxy.Refuse, "stalls": faultproxy.Stall, "is unhealthy": faultproxy.None} {
		t.Run(name, func(t *testing.T) {
			cfg := blobtest.Config("late")
			if fault == faultproxy.None {
				cfg = unwell.config()
			}
			proxy := faultproxy.New(strings.TrimPrefix(cfg.Endpoint, "http://"))
			defer proxy.Close()
			proxy.Set(fault)
			cfg.Endpoint = "http://" + proxy.Addr()
			w := watch()
			done := make(chan error, 1)
			go func() {
				_, err := blob.Dial(t.Context(), cfg, &w.Telemetry)
				done <- err
			}()
			if fault == faultproxy.Stall {
				patience.Until(t, "the store gets a request", func() bool { return proxy.Accepted() > 0 })
			} else {
				patience.Until(t, "the log says that Dial is waiting", func() bool { return strings.Contains(w.String(), "waiting for the object store") })
			}
			if states, ready := w.Health.Ready(t.Context()); fault == faultproxy.Refuse && (ready || !strings.Contains(states["objects"], "connection refused")) {
				t.Errorf("while waiting, readiness is %v, %v", states, ready)
			}
			proxy.Set(faultproxy.None)
			if err := <-done; err != nil {
				t.Error(err)
			}
			if states, ready := w.Health.Ready(t.Context()); !ready {
				t.Errorf("afterwards, readiness is %v", states)
			}
			if n := strings.Count(w.String(), "waiting for the object store"); n > 1 {
				t.Errorf("the log says so %d times:\n%s", n, w)
			}
		})
	}
}

// TestDialEnds checks that waiting ends with the context, and that the error says what
// Dial was waiting for.
func TestDialEnds(t *testing.T) {
	for name, endpoint := range map[string]string{
		"connection refused": "http://127.0.0.1:1", "no such host": "http://nowhere.invalid:9000", "no response": "http://" + silent(t),
	} {
		cfg := blobtest.Config("never")
		cfg.Endpoint = endpoint
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		_, err := blob.Dial(ctx, cfg, &watch().Telemetry)
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), endpoint) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestDialRights dials with credentials that have limited permissions.
func TestDialRights(t *testing.T) {
	const list, make = "GET /recto/?list-type", "PUT /recto/"
	type answer struct {
		status int
		text   string
	}
	ok, denied := answer{200, "<ListBucketResult></ListBucketResult>"}, answer{403, errorXML("AccessDenied")}
	missing := answer{404, errorXML("NoSuchBucket")}
	for name, tc := range map[string]struct {
		lists   []answer // one per list request
		make    answer
		create  bool
		asked   []string
		problem []string // parts of the error
		warning string
	}{
		"it may not create the existing bucket":      {[]answer{ok}, denied, true, []string{list}, nil, ""},
		"it may not list either":                     {[]answer{denied}, denied, true, []string{list}, nil, "s3:ListBucket"},
		"the bucket is created":                      {[]answer{missing}, answer{200, ""}, true, []string{list, make}, nil, ""},
		"another instance creates it":                {[]answer{missing, ok}, answer{409, errorXML("BucketAlreadyOwnedByYou")}, true, []string{list, make, list}, nil, ""},
		"another instance creates it, owner unknown": {[]answer{missing, ok}, answer{409, errorXML("BucketAlreadyExists")}, true, []string{list, make, list}, nil, ""},
		"another instance is creating it":            {[]answer{missing, missing, ok}, answer{409, errorXML("OperationAborted")}, true, []string{list, make, list, list}, nil, "waiting for the object store"},
		"the bucket belongs to another account": {
			[]answer{missing, denied}, answer{409, errorXML("BucketAlreadyExists")}, true, []string{list, make, list},
			[]string{"S3_BUCKET", "belongs to another account"}, "",
		},
		"it may not create the missing bucket": {
			[]answer{missing}, denied, true, []string{list, make},
			[]string{"S3_BUCKET: there is no bucket recto", "S3_ACCESS_KEY may not create it; create it"}, "",
		},
		"creating the bucket is disabled": {
			[]answer{missing}, ok, false, []string{list}, []string{"S3_BUCKET: there is no bucket recto", "S3_CREATE_BUCKET=true"}, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			lists := tc.lists
			f := newFake(t, func(r *http.Request, _ []byte) (int, string) {
				a := tc.make
				if r.Method == http.MethodGet {
					a, lists = lists[0], lists[1:]
				}
				return a.status, a.text
			})
			cfg := f.config()
			cfg.CreateBucket = tc.create
			w := watch()
			_, err := blob.Dial(t.Context(), cfg, &w.Telemetry)
			if (err == nil) != (tc.problem == nil) {
				t.Errorf("Dial: %v", err)
			}
			for _, text := range tc.problem {
				if !strings.Contains(fmt.Sprint(err), text) {
					t.Errorf("Dial: %v; want %q", err, text)
				}
			}
			if got := f.asked(); !slices.Equal(got, tc.asked) {
				t.Errorf("got the requests %q, want %q", got, tc.asked)
			}
			if logged := w.String(); !strings.Contains(logged, tc.warning) || tc.warning == "" && logged != "" {
				t.Errorf("the log is %q", logged)
			}
		})
	}
}

// TestDialMistakes dials with configurations that waiting does not fix.
func TestDialMistakes(t *testing.T) {
	blobtest.Dial(t, "mistakes")
	encrypted := httptest.NewTLSServer(http.NotFoundHandler())
	defer encrypted.Close()
	authority := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(authority, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: encrypted.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	website := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "<!doctype html><html><head><meta charset=utf-8></head></html>")
	}))
	defer website.Close()
	refusing := func(status int, code string) string {
		return "http://" + newFake(t, func(*http.Request, []byte) (int, string) { return status, errorXML(code) }).addr
	}
	for name, tc := range map[string]struct {
		change func(*blob.Config)
		want   string
	}{
		"the secret":     {func(c *blob.Config) { c.SecretKey = "hidden" }, "S3_ACCESS_KEY and S3_SECRET_KEY are not accepted"},
		"the access key": {func(c *blob.Config) { c.AccessKey = "hidden" }, "S3_ACCESS_KEY"},
		"the region":     {func(c *blob.Config) { c.Region = "eu-other-1" }, "S3_REGION is eu-other-1"},
		"no such bucket": {func(c *blob.Config) { c.Bucket, c.CreateBucket = "nowhere", false }, "S3_BUCKET: there is no bucket nowhere"},
		"no CA":          {func(c *blob.Config) { c.Endpoint = encrypted.URL }, "S3_CA_FILE"},
		"another host": {func(c *blob.Config) {
			c.Endpoint, c.CAFile = strings.Replace(encrypted.URL, "127.0.0.1", "localhost", 1), authority
		}, "or use the host name that it was issued for"},
		"not encrypted":  {func(c *blob.Config) { c.Endpoint = strings.Replace(c.Endpoint, "http:", "https:", 1) }, "S3_ENDPOINT: "},
		"encrypted":      {func(c *blob.Config) { c.Endpoint = strings.Replace(encrypted.URL, "https:", "http:", 1) }, "S3_ENDPOINT, S3_BUCKET or "},
		"a website":      {func(c *blob.Config) { c.Endpoint = website.URL }, "is not an object store"},
		"something else": {func(c *blob.Config) { c.Endpoint, c.CAFile = encrypted.URL, authority }, "S3_ENDPOINT, S3_BUCKET or "},
		"another region": {func(c *blob.Config) {
			c.Endpoint, c.Region, c.AccessKey = refusing(301, "PermanentRedirect"), "eu-test-1", "access"
		}, "S3_REGION is eu-test-1"},
		"a malformed URL": {func(c *blob.Config) { c.Endpoint = "s3.example" }, "S3_ENDPOINT must be"},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := blobtest.Config("mistakes")
			tc.change(&cfg)
			_, err := blob.Dial(t.Context(), cfg, &watch().Telemetry)
			if err == nil || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "hidden") {
				t.Errorf("Dial: %v; want %q", err, tc.want)
			}
		})
	}
}

// TestRequestMetrics counts requests by what the object store answers.
func TestRequestMetrics(t *testing.T) {
	f := newFake(t, func(r *http.Request, _ []byte) (int, string) {
		switch path := r.URL.Path; {
		case strings.HasSuffix(path, "/missing"):
			return http.StatusNotFound, errorXML("NoSuchKey")
		case strings.HasSuffix(path, "/forbidden"):
			return http.StatusForbidden, errorXML("AccessDenied")
		case strings.HasSuffix(path, "/broken"):
			return http.StatusInternalServerError, errorXML("InternalError")
		case r.Method == http.MethodDelete:
			return http.StatusNoContent, ""
		}
		return http.StatusOK, "<ListBucketResult></ListBucketResult>"
	})
	w := watch()
	s, err := blob.Dial(t.Context(), f.config(), &w.Telemetry)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"there", "missing", "forbidden", "broken"} {
		if body, _, err := s.Get(t.Context(), key); err == nil {
			_ = body.Close()
		}
		_ = s.Put(t.Context(), key, strings.NewReader("x"), 1, "")
		_, _ = s.Stat(t.Context(), key)
		_ = s.Remove(t.Context(), key)
	}
	families, err := w.Metrics.Gather()
	if err != nil || len(families) != 1 || families[0].GetName() != "recto_objects_request_duration_seconds" {
		t.Fatalf("exported are %v, %v", families, err)
	}
	counted := map[string]uint64{}
	for _, m := range families[0].GetMetric() {
		counted[m.GetLabel()[0].GetValue()+" "+m.GetLabel()[1].GetValue()] = m.GetHistogram().GetSampleCount()
	}
	if counted["list ok"] != 1 {
		t.Errorf("counted %v, want one list", counted)
	}
	for _, operation := range []string{"get", "put", "stat", "remove"} {
		ok, refused, failed := counted[operation+" ok"], counted[operation+" refused"], counted[operation+" failed"]
		if ok != 2 || refused != 1 || failed == 0 {
			t.Errorf("%s: %d ok, %d refused, %d failed, of %v", operation, ok, refused, failed, counted)
		}
	}
}
