package mongodbtest

import (
	"context"
	"io"
	"testing"

	"github.com/rectohq/recto/libs/telemetry"
)

// Open opens a store in the database of the URL with open, and closes it when the test
// ends.
func Open[S io.Closer](t testing.TB, url string, open func(context.Context, string, *telemetry.Telemetry) (S, error)) S {
	t.Helper()
	tel, err := telemetry.New(t.Context(), "test", telemetry.Config{}, t.Output())
	if err != nil {
		t.Fatal(err)
	}
	s, err := open(t.Context(), url, tel)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}
