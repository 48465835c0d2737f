package cluster

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rectohq/recto/tests/harness"
)

// TestDryRun checks that the server accepts the production overlay, and the components
// that neither it nor the dev overlay has, without a warning. The dev overlay was applied
// before the tests.
func TestDryRun(t *testing.T) {
	inCluster(t)
	if _, err := kubectl("apply", "--server-side", "--filename", kedaTypes(t)); err != nil {
		t.Fatal(err)
	}
	for name, of := range map[string]struct {
		base       string
		components []string
	}{
		"production": {"overlays/production", nil},
		"others":     {"base", []string{"external-nats", "external-servers", "keda", "scale-to-zero"}},
	} {
		t.Run(name, func(t *testing.T) {
			namespace := harness.Namespace + "-" + name // not that of dev: many fields of objects that exist cannot change
			dir, err := overlay(t.TempDir(), of.base, "namespace: "+namespace+"\n", of.components...)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _, _ = kubectl("delete", "namespace", namespace, "--wait=false") })
			if err := applyNamespace(dir); err != nil {
				t.Fatal(err)
			}
			out, err := kubectl("apply", "--server-side", "--warnings-as-errors", "--dry-run=server", "--kustomize", dir)
			if err != nil {
				t.Error(err)
			}
			t.Logf("%d objects", strings.Count(out, "\n"))
		})
	}
}

// kedaTypes returns the folder of KEDA's CustomResourceDefinitions, in the version that
// the cluster has with --extras. The node has no way to the internet, so KEDA's module
// must be in the cache: make downloads it.
func kedaTypes(t *testing.T) string {
	t.Helper()
	goCommand := func(dir string, args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "go", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOWORK=off", "GOPROXY=off", "GOSUMDB=off")
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("go %v: %v: %s", args, err, out)
		}
		return string(out)
	}
	const module = "github.com/kedacore/keda/v2"
	version := goCommand(filepath.Join(harness.Root(), "tests", "cluster", "keda"), "list", "-m", "-f", "{{.Version}}", module)
	var downloaded struct{ Dir string }
	out := goCommand(t.TempDir(), "mod", "download", "-json", module+"@"+strings.TrimSpace(version))
	if err := json.Unmarshal([]byte(out), &downloaded); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(downloaded.Dir, "config", "crd", "bases")
}
