package conversion_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rectohq/recto/libs/config"
	"github.com/rectohq/recto/libs/contract/jobapi"
	"github.com/rectohq/recto/libs/job/jobcommand/jobcommandtest"
	"github.com/rectohq/recto/services/conversion"
)

// away is a database on a server that nobody listens for.
const away = "mongodb://user:pass%40word@127.0.0.1:1/conversion"

// TestCommands looks after dead letters in each kind of database.
func TestCommands(t *testing.T) {
	path := filepath.Join(t.TempDir(), "jobs.db")
	jobcommandtest.TestCommands(t, conversion.Commands, jobapi.Convert, path, path)
}

// TestCommandWithoutDatabase does not wait for ever for a database that is away,
// and says which one it is without its password.
func TestCommandWithoutDatabase(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond) // a command waits for no longer than its context
	defer cancel()
	_, err := jobcommandtest.Run(ctx, conversion.Commands, away, "jobs", "dead", "list")
	if err == nil || !strings.Contains(err.Error(), "CONVERSION_DATABASE") || strings.Contains(err.Error(), "word") {
		t.Errorf("got %v", err)
	}
}

// TestDatabase checks what is said of the name of the database at the start.
func TestDatabase(t *testing.T) {
	var cfg conversion.Config
	if err := config.Load([]string{"CONVERSION_DATABASE=" + away}, "CONVERSION_", &cfg); err != nil {
		t.Error(err)
	}
	err := config.Load([]string{"CONVERSION_DATABASE=mongodb://user:pass%40word@127.0.0.1:1"}, "CONVERSION_", &cfg)
	if err == nil || !strings.Contains(err.Error(), "CONVERSION_DATABASE names no database") || strings.Contains(err.Error(), "word") {
		t.Errorf("got %v", err)
	}
}
