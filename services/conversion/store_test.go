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

// unreachable is the URL of a database on a server that does not listen.
const unreachable = "mongodb://user:pass%40word@127.0.0.1:1/conversion"

// TestCommands shows that the command jobs manages dead letters in each kind of database.
func TestCommands(t *testing.T) {
	path := filepath.Join(t.TempDir(), "jobs.db")
	jobcommandtest.TestCommands(t, conversion.Commands, jobapi.Convert, path, path)
}

// TestCommandWithoutDatabase shows that a command does not wait forever for a database
// that is unavailable, and that its error names the variable but not the password.
func TestCommandWithoutDatabase(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond) // the command gives up when its context ends
	defer cancel()
	_, err := jobcommandtest.Run(ctx, conversion.Commands, unreachable, "jobs", "dead", "list")
	if err == nil || !strings.Contains(err.Error(), "CONVERSION_DATABASE") || strings.Contains(err.Error(), "word") {
		t.Errorf("got %v", err)
	}
}

// TestDatabase shows that a URL without a database name is rejected, without showing the
// password.
func TestDatabase(t *testing.T) {
	var cfg conversion.Config
	if err := config.Load([]string{"CONVERSION_DATABASE=" + unreachable}, "CONVERSION_", &cfg); err != nil {
		t.Error(err)
	}
	err := config.Load([]string{"CONVERSION_DATABASE=mongodb://user:pass%40word@127.0.0.1:1"}, "CONVERSION_", &cfg)
	if err == nil || !strings.Contains(err.Error(), "CONVERSION_DATABASE names no database") || strings.Contains(err.Error(), "word") {
		t.Errorf("got %v", err)
	}
}
