package libreoffice_test

import (
	"errors"
	"os"
	"testing"

	"github.com/rectohq/recto/libs/sandbox"
	"github.com/rectohq/recto/libs/sandbox/sandboxtest"
	"github.com/rectohq/recto/libs/scratch"
	"github.com/rectohq/recto/services/conversion/internal/domain"
	"github.com/rectohq/recto/services/conversion/internal/enginetest"
	"github.com/rectohq/recto/services/conversion/internal/libreoffice"
)

func TestMain(m *testing.M) {
	sandbox.Main()
	sandboxtest.Main()
	os.Exit(m.Run())
}

func newEngine(t *testing.T) *libreoffice.Engine {
	t.Helper()
	s, err := scratch.OpenDir("/dev/shm")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	e, err := libreoffice.New(libreoffice.Config{Memory: 4 << 30}, s)
	if err != nil {
		t.Fatalf("%v; run make install-packages", err)
	}
	return e
}

func TestEngine(t *testing.T) {
	enginetest.Run(t, func(t *testing.T) domain.Engine {
		e := newEngine(t)
		if err := e.Prepare(t.Context()); err != nil {
			t.Fatal(err)
		}
		return e
	})
}

func TestNotInstalled(t *testing.T) {
	if _, err := libreoffice.New(libreoffice.Config{Program: t.TempDir()}, nil); !errors.Is(err, libreoffice.ErrNotInstalled) {
		t.Errorf("got %v, want ErrNotInstalled", err)
	}
}
