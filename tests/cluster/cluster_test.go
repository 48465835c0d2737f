// Package cluster tests Recto on a Kubernetes cluster: the manifests of k8s/overlays/dev,
// with the images of this source tree. tests/cluster/with-cluster provides the cluster and
// runs these tests inside its node, where Services have their names and pods their
// addresses. Elsewhere all tests are skipped.
package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rectohq/recto/libs/testkit/patience"
	"github.com/rectohq/recto/tests/harness"
)

// The addresses of the API and of the object store, as the certificate and presigned
// URLs have them.
const (
	gatewayURL = "https://gateway.recto.svc:8443"
	objectsURL = "http://objects.recto.svc:9000"
)

// services are the Deployments of Recto.
var services = []string{"document", "annotation", "conversion", "insight", "gateway"}

// system is Recto in the cluster. All tests share it.
var system *harness.System

func TestMain(m *testing.M) {
	if harness.ModeOfRun() != harness.Kubernetes {
		os.Exit(m.Run())
	}
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "recto-test-")
	if err == nil {
		defer func() { _ = os.RemoveAll(dir) }()
		system, err = setUp(dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// inCluster skips a test unless this run has a cluster.
func inCluster(t *testing.T) {
	t.Helper()
	if harness.ModeOfRun() != harness.Kubernetes {
		t.Skip("needs a cluster: make test-cluster runs it")
	}
}

// say prints progress at once.
func say(format string, args ...any) { fmt.Fprintf(os.Stderr, "  "+format+"\n", args...) }

// setUp applies the dev overlay and returns Recto when it is ready. Dir is an empty
// folder for the files that it needs.
func setUp(dir string) (*harness.System, error) {
	dev := filepath.Join(harness.Root(), "k8s", "overlays", "dev")
	if out, err := exec.Command(filepath.Join(dev, "create-secrets")).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("create-secrets: %w\n%s", err, out)
	}
	manifests, err := devOverlay(dir, "")
	if err != nil {
		return nil, err
	}
	begin := time.Now()
	if err := apply(manifests, "dev"); err != nil {
		return nil, err
	}
	if err := waitRolledOut(begin); err != nil {
		return nil, err
	}
	say("apply to ready took %.1f s", time.Since(begin).Seconds())
	for name, value := range map[string]string{
		harness.KubernetesURL: gatewayURL, harness.KubernetesCAFile: filepath.Join(dev, "secrets", "tls", "ca.crt"),
	} {
		if err := os.Setenv(name, value); err != nil {
			return nil, err
		}
	}
	return harness.Launch(harness.Options{Rate: "unlimited"})
}

// apply applies an overlay after a dry run. A warning of the server, such as one about
// PodSecurity, is an error.
func apply(overlay, what string) error {
	if err := applyNamespace(overlay); err != nil {
		return err
	}
	for _, flags := range [][]string{{"--dry-run=server"}, nil} {
		out, err := kubectl(append([]string{"apply", "--server-side", "--warnings-as-errors", "--kustomize", overlay}, flags...)...)
		if err != nil {
			return err
		}
		say("%s: %d objects applied %s", what, strings.Count(out, "\n"), strings.Join(flags, " "))
	}
	return nil
}

// applyNamespace applies the namespace of an overlay. Without it, a dry run of the other
// objects fails.
func applyNamespace(overlay string) error {
	rendered, err := kubectl("kustomize", overlay)
	if err != nil {
		return err
	}
	for object := range strings.SplitSeq(rendered, "\n---\n") {
		if !strings.Contains("\n"+object, "\nkind: Namespace\n") {
			continue
		}
		file := filepath.Join(overlay, "namespace")
		if err := os.WriteFile(file, []byte(object), 0o600); err != nil {
			return err
		}
		_, err := kubectl("apply", "--server-side", "--filename", file)
		return err
	}
	return errors.New(overlay + " has no namespace")
}

// kubectl runs kubectl and returns its output.
func kubectl(args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience.Limit())
	defer cancel()
	return harness.Kubectl(ctx, args...)
}

// must runs kubectl in Recto's namespace and returns its output.
func must(t testing.TB, args ...string) string {
	t.Helper()
	out, err := kubectl(append([]string{"--namespace", harness.Namespace}, args...)...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}
