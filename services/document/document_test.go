package document_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/blob"
	"github.com/rectohq/recto/libs/blob/blobtest"
	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/bus/bustest"
	"github.com/rectohq/recto/libs/config"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/mongodb/mongodbtest"
	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/libs/telemetry"
	"github.com/rectohq/recto/libs/testkit/patience"
	"github.com/rectohq/recto/services/document"
)

func TestMain(m *testing.M) { os.Exit(blobtest.Main(m)) }

var principal = contract.Principal{Organization: "org_1", User: contract.User{ID: "user_1", Email: "a@example.com", Name: "Ann"}}

// service is a running service, and who asks it.
type service struct {
	t      *testing.T
	health *telemetry.Health
	caller *bus.Conn
	stop   func() error
}

// start runs the service over a database, with further variables, until the end of
// the test.
func start(t *testing.T, database string, environ ...string) *service {
	t.Helper()
	var cfg document.Config
	if err := config.Load(append(environ, "DOCUMENT_DATABASE="+database), "DOCUMENT_", &cfg); err != nil {
		t.Fatal(err)
	}
	tel, err := telemetry.New(t.Context(), "document", telemetry.Config{}, t.Output())
	if err != nil {
		t.Fatal(err)
	}
	blobs, err := blob.Dial(t.Context(), blobtest.Config("documents"), tel)
	if err != nil {
		t.Fatal(err)
	}
	server := bustest.Server(t)
	conn := bustest.Connect(t, server, "document")
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- document.Run(ctx, cfg, document.Deps{Telemetry: tel, Bus: conn, Blobs: blobs}) }()
	s := &service{t: t, health: tel.Health, caller: bustest.Connect(t, server, "gateway")}
	s.stop = func() error {
		cancel()
		err := <-ended
		ended <- nil // to be stopped twice does no harm
		return err
	}
	t.Cleanup(func() {
		if err := s.stop(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// is waits until the service is ready, or is not.
func (s *service) is(ready bool) {
	s.t.Helper()
	patience.Until(s.t, fmt.Sprintf("ready is %v", ready), func() bool {
		_, now := s.health.Ready(s.t.Context())
		return now == ready
	})
}

// request is one to create a document, which can be repeated.
func request() documentapi.CreateRequest {
	return documentapi.CreateRequest{
		ID: contract.NewID(contract.DocumentPrefix), Name: "x", State: documentapi.Draft,
		Files: []documentapi.NewFile{{Name: "a.txt", Type: "text/plain"}}, CreatedBy: principal.User, UpdatedBy: principal.User,
	}
}

// TestDatabaseComesAndGoes starts the service before its database is there, and
// takes that away: the service is not ready and answers that it cannot serve,
// and what it was asked for is done once, whether its answer came or not.
func TestDatabaseComesAndGoes(t *testing.T) {
	proxy, url := mongodbtest.NewProxy(t, mongodbtest.URL(t))
	s := start(t, url+"&timeoutMS=3000&serverSelectionTimeoutMS=300")
	s.is(false)
	proxy.Start()
	s.is(true)
	first := request()
	created, err := bus.Call(t.Context(), s.caller, documentapi.Create, principal, first)
	if err != nil {
		t.Fatal(err)
	}

	proxy.Mute()
	lost := request()
	if _, err := bus.Call(t.Context(), s.caller, documentapi.Create, principal, lost); !problem.Is(err, problem.Unavailable) {
		t.Errorf("Create whose answer is lost: %v", err)
	}
	version := documentapi.CreateVersionRequest{DocumentID: created.ID, Files: first.Files, UpdatedBy: principal.User, Token: "t"}
	for name, call := range map[string]func() error{
		"Get": func() error {
			_, err := bus.Call(t.Context(), s.caller, documentapi.Get, principal, documentapi.GetRequest{DocumentID: created.ID})
			return err
		},
		"List": func() error {
			_, err := bus.Call(t.Context(), s.caller, documentapi.List, principal, list())
			return err
		},
		"CreateVersion": func() error {
			_, err := bus.Call(t.Context(), s.caller, documentapi.CreateVersion, principal, version)
			return err
		},
		"Contents": func() error {
			_, err := bus.Call(t.Context(), s.caller, documentapi.Contents, principal, documentapi.GetRequest{DocumentID: created.ID})
			return err
		},
	} {
		if err := call(); !problem.Is(err, problem.Unavailable) {
			t.Errorf("%s without a database: %v", name, err)
		}
	}
	s.is(false)
	proxy.Unmute()
	s.is(true)

	again, err := bus.Call(t.Context(), s.caller, documentapi.Create, principal, lost)
	if err != nil || again.ID != lost.ID {
		t.Errorf("Create that is repeated: %+v, %v", again, err)
	}
	if v, err := bus.Call(t.Context(), s.caller, documentapi.CreateVersion, principal, version); err != nil || v.VersionNumber != 2 {
		t.Errorf("CreateVersion that is repeated: %+v, %v", v, err)
	}
	all, err := bus.Call(t.Context(), s.caller, documentapi.List, principal, list())
	if err != nil || all.Total != 2 {
		t.Errorf("%d documents, %v", all.Total, err)
	}
	proxy.Stop()
	if _, err := bus.Call(t.Context(), s.caller, documentapi.Get, principal, documentapi.GetRequest{DocumentID: created.ID}); !problem.Is(err, problem.Unavailable) {
		t.Errorf("Get without a server: %v", err)
	}
	if err := s.stop(); err != nil {
		t.Errorf("to end without a database: %v", err)
	}
}

func list() documentapi.ListRequest {
	return documentapi.ListRequest{Page: 1, Size: 10, Order: []documentapi.Order{{Field: documentapi.FieldCreatedAt}}}
}

// TestEndWhileWaiting ends a service whose database was never there.
func TestEndWhileWaiting(t *testing.T) {
	s := start(t, "mongodb://127.0.0.1:1/documents?serverSelectionTimeoutMS=100")
	s.is(false)
	if err := s.stop(); err != nil {
		t.Error(err)
	}
}

func TestConfig(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "database")
	if err := os.WriteFile(secret, []byte("mongodb://u:secret@h\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var cfg document.Config
	err := config.Load([]string{"DOCUMENT_DATABASE_FILE=" + secret, "DOCUMENT_POOL=0"}, "DOCUMENT_", &cfg)
	if err == nil {
		t.Fatal("a URL without a database is accepted")
	}
	for _, want := range []string{"\n  DOCUMENT_DATABASE names no database", "\n  DOCUMENT_POOL must be"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("it does not say %q:\n%v", want, err)
		}
	}
	if strings.Contains(err.Error(), "secret@") || errors.Is(err, os.ErrNotExist) {
		t.Errorf("it repeats the password:\n%v", err)
	}
}
