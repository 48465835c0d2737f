package standalone

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"github.com/rectohq/recto/deploy/standalone/internal/authority"
	"github.com/rectohq/recto/deploy/standalone/internal/datadir"
	"github.com/rectohq/recto/libs/runner"
)

// state is what recto status reports.
type state struct {
	Status     string            `json:"status"` // ready, not ready or not running
	Data       string            `json:"data"`
	Version    string            `json:"version,omitzero"`
	StartedAt  int64             `json:"started_at,omitzero"` // Unix milliseconds
	APIURL     string            `json:"api_url,omitzero"`
	ConsoleURL string            `json:"console_url,omitzero"`
	DocsURL    string            `json:"docs_url,omitzero"`
	ObjectsURL string            `json:"objects_url,omitzero"`
	Parts      map[string]string `json:"parts,omitzero"`
}

// notRunning is the Status of a program that does not answer.
const notRunning = "not running"

// findState asks the recto up that runs on the data folder for its state. If addr is
// empty, it uses the address that the program announced there. It trusts only a program
// that presents the certificate of the folder. The error says why Recto is not ready.
func findState(ctx context.Context, f Flags, addr string) (s state, err error) {
	dir, err := datadir.Find(f.Data)
	if err != nil {
		return s, err
	}
	s = state{Status: notRunning, Data: dir.Path()}
	running, err := dir.Running()
	if err != nil {
		return s, err
	}
	roots, err := authority.Roots(dir.TLS())
	if err != nil {
		return s, err
	}
	if addr == "" {
		addr = running.Addr
	}
	if addr == "" {
		return s, fmt.Errorf("no Recto runs on %s; start one with recto up", dir.Path())
	}
	readiness, err := runner.AskReady(ctx, "https://"+runner.Reachable(addr), &tls.Config{RootCAs: roots})
	if err != nil {
		return s, fmt.Errorf("no Recto runs on %s: %w", dir.Path(), err)
	}
	s.Status, s.Parts = readiness.Status, readiness.Parts
	if !running.StartedAt.IsZero() {
		s.Version, s.StartedAt = running.Version, running.StartedAt.UnixMilli()
	}
	s.APIURL, s.ConsoleURL, s.DocsURL, s.ObjectsURL = running.APIURL, running.ConsoleURL, running.DocsURL, running.ObjectsURL
	if !readiness.Ready {
		return s, errors.New(readiness.Reasons())
	}
	return s, nil
}

// print writes the state in human-readable form.
func (s state) print(w io.Writer) {
	fmt.Fprintf(w, "Recto is %s.\n\n  data          %s\n", s.Status, s.Data)
	if s.StartedAt != 0 { // otherwise it is still starting
		started := time.UnixMilli(s.StartedAt)
		fmt.Fprintf(w, "  version       %s\n", s.Version)
		fmt.Fprintf(w, "  running since %s UTC, for %s\n", started.UTC().Format(time.DateTime), time.Since(started).Round(time.Second))
		fmt.Fprintf(w, "  API           %s\n  console       %s\n  API reference %s\n  objects       %s\n", s.APIURL, s.ConsoleURL, s.DocsURL, s.ObjectsURL)
	}
	fmt.Fprintln(w)
	for _, part := range slices.Sorted(maps.Keys(s.Parts)) {
		fmt.Fprintf(w, "  %-13s %s\n", part, s.Parts[part])
	}
}

// askedAddrFlag adds the address of a running Recto. The default is the address that
// Recto announced in the data folder.
func askedAddrFlag(cmd *cobra.Command, addr *string) {
	cmd.Flags().StringVar(addr, "addr", "", "address of the API (default: the one that the Recto on the data folder listens on)")
}

// status returns the command that shows the state of a running recto up.
func status(f *Flags) *cobra.Command {
	var asJSON bool
	var addr string
	cmd := &cobra.Command{
		Use: "status", Short: "Show whether Recto runs on the data folder, its addresses, and what is ready", Args: cobra.NoArgs, GroupID: run,
		Long: "Shows whether Recto runs on the data folder, its version and addresses, and which of its parts are ready.\n" +
			"The exit code is 0 if all of them are, and 1 otherwise.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := findState(cmd.Context(), *f, addr)
			w := cmd.OutOrStdout()
			switch {
			case s.Status == "": // there is no data folder
			case asJSON:
				err = errors.Join(err, json.MarshalWrite(w, s, jsontext.Multiline(true), json.Deterministic(true)))
				fmt.Fprintln(w)
			case s.Status != notRunning:
				s.print(w)
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	askedAddrFlag(cmd, &addr)
	return cmd
}
