package harness

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/rectohq/recto/libs/testkit/patience"
)

// Namespace is the Kubernetes namespace of Recto.
const Namespace = "recto"

// The variables that describe the system that tests in Kubernetes mode share: the URL
// of its gateway without a path, and the file with the certificate authority that
// clients trust.
const (
	KubernetesURL    = "RECTO_TEST_URL"
	KubernetesCAFile = "RECTO_TEST_CA_FILE"
)

// Kubectl runs kubectl and returns its standard output. If it fails, the error holds
// its standard error.
func Kubectl(ctx context.Context, args ...string) (string, error) {
	out, err := output(exec.CommandContext(ctx, "kubectl", args...))
	if err != nil {
		return out, fmt.Errorf("kubectl %s: %w", strings.Join(args, " "), err)
	}
	return out, nil
}

// kubernetes is Recto in the cluster that kubectl reaches. Tests neither start nor stop
// it.
type kubernetes struct{}

// reachKubernetes returns the running system with a first key of its own.
func reachKubernetes(o Options) (*System, error) {
	s := &System{running: kubernetes{}}
	s.BaseURL, s.CAFile = os.Getenv(KubernetesURL)+"/v2", os.Getenv(KubernetesCAFile)
	if err := s.firstKey(o.Rate); err != nil {
		return nil, err
	}
	return s, s.Reach()
}

func (kubernetes) output() string {
	var all strings.Builder
	for _, name := range services {
		out, err := kubectl("logs", "--selector", "app.kubernetes.io/name="+name, "--tail=-1", "--ignore-errors")
		all.WriteString(out)
		if err != nil {
			fmt.Fprintln(&all, err)
		}
	}
	return all.String()
}

func (kubernetes) stop() error { return nil }

func (kubernetes) kill() error { return errors.New("tests share the system of a cluster") }

func (kubernetes) remove() error { return nil }

func (kubernetes) command(ctx context.Context, args ...string) (string, error) {
	name, err := commandOf(args)
	if err != nil {
		return "", err
	}
	return Kubectl(ctx, append([]string{"--namespace", Namespace, "exec", "deployment/" + name, "--", "/service"}, args...)...)
}

// probes returns the addresses of all ready pods of a service. The node's own traffic
// reaches them whatever the network policies say.
func (kubernetes) probes(service string) []string {
	out, err := kubectl("get", "endpointslices", "--selector", "kubernetes.io/service-name="+service, "--output", "json")
	if err != nil {
		return nil
	}
	var slices struct {
		Items []struct {
			Endpoints []struct{ Addresses []string }
		}
	}
	if err := json.Unmarshal([]byte(out), &slices); err != nil {
		return nil
	}
	var probes []string
	for _, slice := range slices.Items {
		for _, endpoint := range slice.Endpoints {
			probes = append(probes, endpoint.Addresses[0]+":"+metricsPort)
		}
	}
	return probes
}

func (kubernetes) pid() (int, error) {
	return 0, errors.New("the programs run in the namespaces of their pods")
}

// kubectl runs kubectl in Recto's namespace, within the time that a step of a test has.
func kubectl(args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience.Limit())
	defer cancel()
	return Kubectl(ctx, append([]string{"--namespace", Namespace}, args...)...)
}
