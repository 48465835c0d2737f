package document_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/blob/blobtest"
	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/config"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/mongodb/mongodbtest"
	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/libs/runner"
	"github.com/rectohq/recto/libs/testkit/patience"
	"github.com/rectohq/recto/libs/testkit/servicetest"
	"github.com/rectohq/recto/services/document"
)

func TestMain(m *testing.M) { os.Exit(blobtest.Main(m)) }

var principal = contract.Principal{Organization: "org_1", User: contract.User{ID: "user_1", Email: "a@example.com", Name: "Ann"}}

// service is a document service under test.
type service struct {
	*servicetest.World
	*servicetest.Service
}

// start starts the service over a database, with further variables. It does not wait
// until the service is ready.
func start(t *testing.T, database string, environ ...string) *service {
	t.Helper()
	var cfg document.Config
	if err := config.Load(append(environ, "DOCUMENT_DATABASE="+database), "DOCUMENT_", &cfg); err != nil {
		t.Fatal(err)
	}
	w := servicetest.New(t)
	return &service{w, w.Start("document", func(ctx context.Context, deps runner.Deps) error { return document.Run(ctx, cfg, deps) })}
}

// is waits until the service is ready, or not ready.
func (s *service) is(ready bool) {
	s.T.Helper()
	patience.Until(s.T, fmt.Sprintf("ready is %v", ready), func() bool {
		_, now := s.Health.Ready(s.T.Context())
		return now == ready
	})
}

// request returns a request to create a document that can be repeated.
func request() documentapi.CreateRequest {
	return documentapi.CreateRequest{
		ID: contract.NewID(contract.DocumentPrefix), Name: "x", State: documentapi.Draft,
		Files: []documentapi.NewFile{{Name: "a.txt", Type: "text/plain"}}, CreatedBy: principal.User, UpdatedBy: principal.User,
	}
}

// TestDatabaseComesAndGoes starts the service before its database, and later makes the
// database unavailable. Without its database the service is not ready and answers
// Unavailable. Each request takes effect once, even if its answer is lost.
func TestDatabaseComesAndGoes(t *testing.T) {
	proxy, url := mongodbtest.NewProxy(t, mongodbtest.URL(t))
	s := start(t, url+"&timeoutMS=3000&serverSelectionTimeoutMS=300")
	s.is(false)
	proxy.Start()
	s.is(true)
	first := request()
	created, err := bus.Call(patience.Context(t), s.Caller, documentapi.Create, principal, first)
	if err != nil {
		t.Fatal(err)
	}

	proxy.Mute()
	lost := request()
	if _, err := bus.Call(patience.Context(t), s.Caller, documentapi.Create, principal, lost); !problem.Is(err, problem.Unavailable) {
		t.Errorf("Create with a lost answer: %v", err)
	}
	version := documentapi.CreateVersionRequest{DocumentID: created.ID, Files: first.Files, UpdatedBy: principal.User, Token: "t"}
	for name, call := range map[string]func() error{
		"Get": func() error {
			_, err := bus.Call(patience.Context(t), s.Caller, documentapi.Get, principal, documentapi.GetRequest{DocumentID: created.ID})
			return err
		},
		"List": func() error {
			_, err := bus.Call(patience.Context(t), s.Caller, documentapi.List, principal, list())
			return err
		},
		"CreateVersion": func() error {
			_, err := bus.Call(patience.Context(t), s.Caller, documentapi.CreateVersion, principal, version)
			return err
		},
		"Contents": func() error {
			_, err := bus.Call(patience.Context(t), s.Caller, documentapi.Contents, principal, documentapi.GetRequest{DocumentID: created.ID})
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

	again, err := bus.Call(patience.Context(t), s.Caller, documentapi.Create, principal, lost)
	if err != nil || again.ID != lost.ID {
		t.Errorf("repeated Create: %+v, %v", again, err)
	}
	if v, err := bus.Call(patience.Context(t), s.Caller, documentapi.CreateVersion, principal, version); err != nil || v.VersionNumber != 2 {
		t.Errorf("repeated CreateVersion: %+v, %v", v, err)
	}
	all, err := bus.Call(patience.Context(t), s.Caller, documentapi.List, principal, list())
	if err != nil || all.Total != 2 {
		t.Errorf("%d documents, %v", all.Total, err)
	}
	proxy.Stop()
	if _, err := bus.Call(patience.Context(t), s.Caller, documentapi.Get, principal, documentapi.GetRequest{DocumentID: created.ID}); !problem.Is(err, problem.Unavailable) {
		t.Errorf("Get without a server: %v", err)
	}
	if err := s.Stop(); err != nil {
		t.Errorf("shutdown without a database: %v", err)
	}
}

func list() documentapi.ListRequest {
	return documentapi.ListRequest{Page: 1, Size: 10, Order: []documentapi.Order{{Field: documentapi.FieldCreatedAt}}}
}

// TestEndWhileWaiting stops a service whose database was never available.
func TestEndWhileWaiting(t *testing.T) {
	s := start(t, "mongodb://127.0.0.1:1/documents?serverSelectionTimeoutMS=100")
	s.is(false)
	if err := s.Stop(); err != nil {
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
			t.Errorf("the error lacks %q:\n%v", want, err)
		}
	}
	if strings.Contains(err.Error(), "secret@") || errors.Is(err, os.ErrNotExist) {
		t.Errorf("the error repeats the password:\n%v", err)
	}
}
