package e2e

import (
	"bytes"
	"errors"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rectohq/recto/tests/harness"
)

// ending is the exit status and output of a command.
type ending struct {
	code           int
	stdout, stderr string
}

// runProgram runs a program with further environment variables.
func runProgram(t *testing.T, binary string, env []string, args ...string) (e ending) {
	t.Helper()
	var out, problems bytes.Buffer
	cmd := exec.CommandContext(t.Context(), binary, args...)
	cmd.Env = append(os.Environ(), env...)
	cmd.Stdout, cmd.Stderr = &out, &problems
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return ending{cmd.ProcessState.ExitCode(), out.String(), problems.String()}
}

// runCommand runs a command of recto, the program that has most commands.
func runCommand(t *testing.T, args ...string) ending {
	t.Helper()
	binary, err := harness.Binary()
	if err != nil {
		t.Fatal(err)
	}
	return runProgram(t, binary, nil, args...)
}

// TestMisspeltRevocation misspells the command that revokes a key. The command fails,
// and the key still works.
func TestMisspeltRevocation(t *testing.T) {
	harness.StandaloneOnly(t)
	s := harness.Start(t, harness.Options{})
	id := decode[[]key](t, recto(t, s, "keys", "list", "--json"))[0].ID
	got := runCommand(t, "keys", "revok", id, "--data", s.Dir)
	if want := (ending{2, "", `recto keys: unknown command "revok". Did you mean revoke? See recto keys --help.` + "\n"}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	s.Client(t).Get("/me").OK(nil)
	if got := runCommand(t, "__complete", "keys", "revoke", "--data", s.Dir, ""); got.code != 0 || !strings.HasPrefix(got.stdout, id+"\t") {
		t.Errorf("the completion of a key id is %+v", got)
	}
}

// TestExitCodes checks the exit codes of command lines that succeed, fail and are
// invalid.
func TestExitCodes(t *testing.T) {
	harness.StandaloneOnly(t)
	dir := t.TempDir()
	for line, want := range map[string]struct {
		code           int
		stdout, stderr string // regular expressions
	}{
		"version":                        {0, `^recto \d+\.\d+\.\d+\S*\n$`, `^$`},
		"certificates --dir " + dir:      {0, `^A new authority is in \S+ca.pem\nThe certificate is in `, `^$`},
		"--help":                         {0, `(?s)recto up .*\n  status .*\nExit codes:\n`, `^$`},
		"help keys":                      {0, `recto keys \[command\]`, `^$`},
		"keys list --data " + dir:        {1, `^$`, `^recto: \S+ is not a data folder of Recto`},
		"":                               {2, `^$`, `recto \[command\]`},
		"keys":                           {2, `^$`, `recto keys \[command\]`},
		"upp":                            {2, `^$`, `^recto: unknown command "upp". Did you mean up\? See recto --help.\n$`},
		"start":                          {2, `^$`, `Did you mean up\?`},
		"jobs dead lst":                  {2, `^$`, `^recto jobs dead: unknown command "lst". Did you mean list\?`},
		"up now":                         {2, `^$`, `^recto up: unexpected argument "now". See recto up --help.\n$`},
		"up --adr 127.0.0.1:0":           {2, `^$`, `^recto up: unknown flag --adr. Did you mean --addr\? See recto up --help.\n$`},
		"up --rate fast --data " + dir:   {2, `^Recto \S+\n$`, `^recto up: --rate: "fast" is not a rate`},
		"up --addr 8443 --data " + dir:   {2, `^Recto \S+\n$`, `^recto up: --addr: .*Write host:port`},
		"up --addr 192.0.2.1:1":          {1, `^Recto \S+\n$`, `^recto: --addr: 192.0.2.1:1 is not an address of this machine\. `},
		"keys revoke":                    {2, `^$`, `^recto keys revoke: KEY_ID is missing. See recto keys revoke --help.\n$`},
		"keys rotate k --grace long":     {2, `^$`, `^recto keys rotate: --grace: "long" is not a duration such as 30s or 24h\.`},
		"keys create --rate fast":        {2, `^$`, `^recto keys create: --rate: "fast" is not a rate`},
		"completion nushell":             {2, `^$`, `^recto completion: unknown command`},
		"status --json --data " + dir:    {1, `^$`, `is not a data folder of Recto`},
		"open --print --data /nowhere/x": {1, `^$`, `is not a data folder of Recto`},
	} {
		got := runCommand(t, strings.Fields(line)...)
		if got.code != want.code || !regexp.MustCompile(want.stdout).MatchString(got.stdout) || !regexp.MustCompile(want.stderr).MatchString(got.stderr) {
			t.Errorf("recto %s: got %+v, want %+v", line, got, want)
		}
	}
}

// TestUsageOfKeys runs key and user commands with invalid flags on a valid data folder.
// They must fail as usage errors before they change anything.
func TestUsageOfKeys(t *testing.T) {
	harness.StandaloneOnly(t)
	s := harness.Start(t, harness.Options{})
	for _, line := range []string{"keys create --scopes everything", "keys create --email zoe", "users create", "users create --email zoe"} {
		got := runCommand(t, append(strings.Fields(line), "--data", s.Dir)...)
		if got.code != 2 || got.stdout != "" || !strings.Contains(got.stderr, ": --") || !strings.HasSuffix(got.stderr, "--help.\n") {
			t.Errorf("%s: %+v", line, got)
		}
	}
	if got := runCommand(t, "keys", "revoke", "key_x", "--data", s.Dir); got.code != 1 || !strings.Contains(got.stderr, "recto keys list shows") {
		t.Errorf("unknown key: %+v", got)
	}
}

// TestShellCompletion checks the completion script of each shell, with the shell itself
// if it is installed.
func TestShellCompletion(t *testing.T) {
	harness.StandaloneOnly(t)
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		got := runCommand(t, "completion", shell)
		if got.code != 0 || got.stderr != "" || !strings.Contains(got.stdout, "recto") {
			t.Errorf("%s: %d, %q", shell, got.code, got.stderr)
		}
		if _, err := exec.LookPath(shell); err != nil || shell == "powershell" {
			continue
		}
		script := filepath.Join(t.TempDir(), "script")
		if err := os.WriteFile(script, []byte(got.stdout), 0o600); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command(shell, "-n", script).CombinedOutput(); err != nil {
			t.Errorf("%s cannot parse its script: %v, %s", shell, err, out)
		}
	}
	if got := runCommand(t, "__complete", "stat"); !strings.HasPrefix(got.stdout, "status\t") {
		t.Errorf("the completion of stat is %q", got.stdout)
	}
	if got := runCommand(t, "__complete", "up", "--obj"); !strings.Contains(got.stdout, "--objects-addr\t") {
		t.Errorf("the completion of --obj is %q", got.stdout)
	}
}

// TestStatus runs recto status on a running Recto, with a wrong address, and on a
// stopped Recto.
func TestStatus(t *testing.T) {
	harness.StandaloneOnly(t)
	s, err := harness.Launch(harness.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Stop(); _ = s.Remove() })
	origin := strings.TrimSuffix(s.BaseURL, "/v2")
	got := runCommand(t, "status", "--data", s.Dir)
	for _, want := range []string{"Recto is ready.\n", s.Dir, "running since 2", s.BaseURL, origin + "/docs", "  objects       https://", "  conversion    ready\n", "  gateway       ready\n"} {
		if got.code != 0 || got.stderr != "" || !strings.Contains(got.stdout, want) {
			t.Errorf("the output lacks %q: %+v", want, got)
		}
	}
	type state struct {
		Status, Data, Version string
		StartedAt             int64  `json:"started_at"`
		APIURL                string `json:"api_url"`
		ConsoleURL            string `json:"console_url"`
		DocsURL               string `json:"docs_url"`
		ObjectsURL            string `json:"objects_url"`
		Parts                 map[string]string
	}
	asJSON := decode[state](t, runCommand(t, "status", "--json", "--data", s.Dir).stdout)
	parts := slices.Sorted(maps.Keys(asJSON.Parts))
	if asJSON.Status != "ready" || asJSON.APIURL != s.BaseURL || asJSON.ConsoleURL != origin+"/console" || asJSON.DocsURL != origin+"/docs" || asJSON.ObjectsURL == "" || asJSON.StartedAt == 0 ||
		asJSON.Version == "" || !slices.Contains(parts, "insight") {
		t.Errorf("the status as JSON is %+v", asJSON)
	}
	if got := runCommand(t, "status", "--data", s.Dir, "--addr", host(s)); got.code != 0 {
		t.Errorf("with its own address: %+v", got)
	}
	for _, addr := range []string{harness.FreeAddr(t), host(shared)} { // no server, and a Recto of another folder
		got := runCommand(t, "status", "--json", "--data", s.Dir, "--addr", addr)
		if got.code != 1 || decode[state](t, got.stdout).Status != "not running" || !strings.HasPrefix(got.stderr, "recto: no Recto runs on "+s.Dir) {
			t.Errorf("with address %s: %+v", addr, got)
		}
	}
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	got = runCommand(t, "status", "--data", s.Dir)
	if want := (ending{1, "", "recto: no Recto runs on " + s.Dir + "; start one with recto up\n"}); got != want {
		t.Errorf("after its end: %+v, want %+v", got, want)
	}
	if got := runCommand(t, "open", "--data", s.Dir); got.code != 1 || got.stdout != "" {
		t.Errorf("open after the end: %+v", got)
	}
}

// TestStatusOfKilled runs recto status after Recto was killed and could not record that
// it stopped.
func TestStatusOfKilled(t *testing.T) {
	harness.StandaloneOnly(t)
	s, err := harness.Launch(harness.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Remove() })
	if err := s.Kill(); err != nil {
		t.Fatal(err)
	}
	if got := runCommand(t, "status", "--data", s.Dir); got.code != 1 || got.stdout != "" || !strings.Contains(got.stderr, "no Recto runs on "+s.Dir) {
		t.Errorf("got %+v", got)
	}
}

// TestOpen checks that recto open prints a new sign-in link each time, and opens it in a
// browser on a desktop.
func TestOpen(t *testing.T) {
	harness.StandaloneOnly(t)
	s := harness.Start(t, harness.Options{})
	console := strings.TrimSuffix(s.BaseURL, "/v2") + "/console"
	link := regexp.MustCompile("^" + regexp.QuoteMeta(console) + "#sign-in=rs_link_[0-9A-Za-z]{49}\n$")
	dir := t.TempDir()
	opened := filepath.Join(dir, "opened")
	browser := "#!/bin/sh\necho \"$@\" > " + opened + "\n"
	if err := os.WriteFile(filepath.Join(dir, "xdg-open"), []byte(browser), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	t.Setenv("DISPLAY", "")
	t.Setenv("WAYLAND_DISPLAY", "")
	if got := runCommand(t, "open", "--data", s.Dir); got.code != 0 || !link.MatchString(got.stdout) || !strings.Contains(got.stderr, "There is no desktop") {
		t.Errorf("without a desktop: %+v", got)
	}
	t.Setenv("DISPLAY", ":0")
	if got := runCommand(t, "open", "--print", "--data", s.Dir); got.code != 0 || !link.MatchString(got.stdout) || got.stderr != "" {
		t.Errorf("with --print: %+v", got)
	}
	if _, err := os.Stat(opened); err == nil {
		t.Error("--print opens a browser")
	}
	got := runCommand(t, "open", "--data", s.Dir)
	if got.code != 0 || !link.MatchString(got.stdout) || got.stderr != "" {
		t.Errorf("on a desktop: %+v", got)
	}
	if content, err := os.ReadFile(opened); err != nil || string(content) != got.stdout {
		t.Errorf("the browser opens %q, %v, and not %q", content, err, got.stdout)
	}
	if a := s.Client(t).Raw(http.MethodGet, console, nil, nil); a.Status != 200 {
		t.Errorf("%s returns %d", console, a.Status)
	}
	if err := os.Remove(filepath.Join(s.Dir, "credentials.json")); err != nil {
		t.Fatal(err)
	}
	if got := runCommand(t, "open", "--print", "--data", s.Dir); got.code != 0 || got.stdout != console+"\n" || !strings.Contains(got.stderr, "no valid API key") {
		t.Errorf("without credentials.json: %+v", got)
	}
}

// TestDoctorWithoutFolders runs recto doctor while folders are missing. It reports them
// and still runs the other checks.
func TestDoctorWithoutFolders(t *testing.T) {
	harness.StandaloneOnly(t)
	binary, err := harness.Binary()
	if err != nil {
		t.Fatal(err)
	}
	env := []string{"CONVERSION_SCRATCH=/nowhere/a", "INSIGHT_SCRATCH=/nowhere/b", "ANNOTATION_SCRATCH=/dev/null", "CONVERSION_LIBREOFFICE=/nowhere/c"}
	got := runProgram(t, binary, env, "doctor", "--data", t.TempDir(), "--addr", "127.0.0.1:0", "--objects-addr", "127.0.0.1:0")
	for _, want := range []string{
		"  tmpfs          FAIL  ", "Set CONVERSION_SCRATCH to a folder", "  environment    FAIL  ", "CONVERSION_SCRATCH: stat /nowhere/a", "INSIGHT_SCRATCH: stat /nowhere/b",
		"ANNOTATION_SCRATCH: /dev/null is not a folder", "  LibreOffice    FAIL  LibreOffice is not installed", "  PDF reader     ok", "  API port       ok", "  language model ok    not configured", "  disk ",
	} {
		if got.code != 1 || !strings.Contains(got.stdout, want) || !strings.Contains(got.stderr, "checks failed") {
			t.Errorf("the output lacks %q: %+v", want, got)
		}
	}
	if _, err := os.Stat("/nowhere"); err == nil {
		t.Error("doctor has created a folder")
	}
}

// TestServicePrograms runs the program of a service with valid and invalid command lines.
func TestServicePrograms(t *testing.T) {
	harness.StandaloneOnly(t)
	binary, err := harness.Build("gateway", "gateway/cmd/gateway")
	if err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]struct {
		code           int
		stdout, stderr string // regular expressions
	}{
		"version":          {0, `^gateway \S+\n$`, `^$`},
		"--help":           {0, `(?s)Exit codes:.*\nEnvironment \(gateway\):\n  GATEWAY_DATABASE +required .*\nEnvironment \(NATS\):\n  NATS_URL `, `^$`},
		"completion bash":  {0, `gateway`, `^$`},
		"":                 {1, `^$`, `(?s)^gateway: the configuration has problems:\n.*GATEWAY_DATABASE must be set`},
		"health":           {1, `^$`, `is the process running\?`},
		"keys revok KEY":   {2, `^$`, `^gateway keys: unknown command "revok". Did you mean revoke\? See gateway keys --help.\n$`},
		"kyes revoke KEY":  {2, `^$`, `^gateway: unknown command "kyes". Did you mean keys\? See gateway --help.\n$`},
		"keys revoke":      {2, `^$`, `^gateway keys revoke: KEY_ID is missing\.`},
		"keys":             {2, `^$`, `gateway keys \[command\]`},
		"--addr 127.0.0.1": {2, `^$`, `^gateway: unknown flag --addr\.`},
	} {
		got := runProgram(t, binary, []string{"METRICS_ADDR=" + harness.FreeAddr(t)}, strings.Fields(line)...)
		if got.code != want.code || !regexp.MustCompile(want.stdout).MatchString(got.stdout) || !regexp.MustCompile(want.stderr).MatchString(got.stderr) {
			t.Errorf("gateway %s: got %+v, want %+v", line, got, want)
		}
	}
}
