// Package manifests checks the Kubernetes manifests in k8s/ without a cluster: it renders
// them with kustomize and checks what a server would accept only to fail later.
package manifests

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"

	"github.com/rectohq/recto/tests/harness"
)

// variants are the kustomizations that are checked, by the folder in k8s/. Those that do
// not exist there combine components that no overlay uses.
var variants = map[string]string{
	"base":                "",
	"overlays/dev":        "",
	"overlays/production": "",
	"overlays/zero":       "namespace: recto\nresources: [../dev]\ncomponents: [../../components/keda, ../../components/scale-to-zero]\n",
	"overlays/model": "namespace: recto\nresources: [../dev]\ncomponents: [../../components/keda, ../../components/scale-to-zero, ../../components/model]\n" +
		"configMapGenerator:\n- name: insight\n  behavior: merge\n" +
		"  literals: [INSIGHT_MODEL_PROVIDER=openai, INSIGHT_MODEL=example, \"INSIGHT_MODEL_URL=http://llama.models.svc:8080/v1\", INSIGHT_JOB_BUDGET=10m]\n",
	"overlays/monitored": "namespace: recto\nresources: [../dev]\ncomponents: [../../components/keda, ../../components/scale-to-zero, ../../components/monitoring]\n",
	"overlays/outside": "namespace: recto\nresources: [../../base]\n" +
		"components: [../../components/external-nats, ../../components/external-servers, ../../components/gateway-api]\n" +
		"configMapGenerator:\n- name: bus\n  behavior: merge\n  literals: [\"NATS_URL=tls://nats.example.com:4222\"]\n" +
		"- name: objects\n  behavior: merge\n  literals: [\"S3_ENDPOINT=https://s3.example.com\", S3_ACCESS_KEY=x]\n",
}

// root is a copy of the parts of the repository that the manifests consist of, with the
// secrets of the development overlay.
var root string

// rendered holds the objects of each variant.
var rendered = map[string][]object{}

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(run(m))
}

// run renders every variant and runs the tests.
func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "manifests-")
	if err == nil {
		defer os.RemoveAll(dir)
		root = dir
		err = renderAll()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// renderAll fills root and rendered.
func renderAll() error {
	for _, part := range []string{"k8s", "deploy/nats"} {
		if err := os.CopyFS(filepath.Join(root, part), os.DirFS(filepath.Join(harness.Root(), part))); err != nil {
			return err
		}
	}
	if err := os.RemoveAll(secrets()); err != nil { // those of a developer
		return err
	}
	if err := createSecrets(); err != nil {
		return err
	}
	for variant, kustomization := range variants {
		dir := filepath.Join(root, "k8s", variant)
		if kustomization != "" {
			if err := os.MkdirAll(dir, 0o755); err != nil {
				return err
			}
			if err := os.WriteFile(filepath.Join(dir, "kustomization.yaml"), []byte(kustomization), 0o600); err != nil {
				return err
			}
		}
		objects, err := render(dir)
		if err != nil {
			return fmt.Errorf("k8s/%s: %w", variant, err)
		}
		rendered[variant] = objects
	}
	return nil
}

// secrets returns the folder of the secrets that create-secrets creates.
func secrets() string { return filepath.Join(root, "k8s/overlays/dev/secrets") }

// createSecrets runs create-secrets of the development overlay.
func createSecrets(env ...string) error {
	cmd := exec.Command(filepath.Join(root, "k8s/overlays/dev/create-secrets"))
	cmd.Env = append(os.Environ(), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("create-secrets: %w\n%s", err, out)
	}
	return nil
}

// object is one rendered object.
type object struct {
	kind, name string
	// typed is a pointer to the type of the API.
	typed any
}

// types creates the API type of each kind that the manifests may contain.
var types = map[string]func() any{
	"v1/Namespace":                           func() any { return new(corev1.Namespace) },
	"v1/ServiceAccount":                      func() any { return new(corev1.ServiceAccount) },
	"v1/Service":                             func() any { return new(corev1.Service) },
	"v1/ConfigMap":                           func() any { return new(corev1.ConfigMap) },
	"v1/Secret":                              func() any { return new(corev1.Secret) },
	"apps/v1/Deployment":                     func() any { return new(appsv1.Deployment) },
	"apps/v1/StatefulSet":                    func() any { return new(appsv1.StatefulSet) },
	"policy/v1/PodDisruptionBudget":          func() any { return new(policyv1.PodDisruptionBudget) },
	"networking.k8s.io/v1/NetworkPolicy":     func() any { return new(networkingv1.NetworkPolicy) },
	"networking.k8s.io/v1/Ingress":           func() any { return new(networkingv1.Ingress) },
	"autoscaling/v2/HorizontalPodAutoscaler": func() any { return new(autoscalingv2.HorizontalPodAutoscaler) },
	"keda.sh/v1alpha1/ScaledObject":          func() any { return new(scaledObject) },
	"gateway.networking.k8s.io/v1/Gateway":   func() any { return new(gatewayObject) },
	"gateway.networking.k8s.io/v1/HTTPRoute": func() any { return new(httpRoute) },
	// Those of the Prometheus operator.
	"monitoring.coreos.com/v1/PodMonitor":     func() any { return new(podMonitor) },
	"monitoring.coreos.com/v1/PrometheusRule": func() any { return new(prometheusRule) },
}

// render renders the kustomization in dir. It decodes each object strictly: a field that
// its type does not have is an error.
func render(dir string) ([]object, error) {
	resources, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), dir)
	if err != nil {
		return nil, err
	}
	var all []object
	for _, r := range resources.Resources() {
		text, err := r.AsYAML()
		if err != nil {
			return nil, err
		}
		create := types[r.GetGvk().ApiVersion()+"/"+r.GetKind()]
		if create == nil {
			return nil, fmt.Errorf("%s %s: unexpected kind", r.GetGvk(), r.GetName())
		}
		o := object{kind: r.GetKind(), name: r.GetName(), typed: create()}
		if err := yaml.UnmarshalStrict(text, o.typed); err != nil {
			return nil, fmt.Errorf("%s %s: %w", o.kind, o.name, err)
		}
		if o.kind != "Namespace" && r.GetNamespace() != "recto" {
			return nil, fmt.Errorf("%s %s is in the namespace %q", o.kind, o.name, r.GetNamespace())
		}
		all = append(all, o)
	}
	return all, nil
}

// each returns the objects of the type T.
func each[T any](objects []object) []*T {
	var found []*T
	for _, o := range objects {
		if typed, ok := o.typed.(*T); ok {
			found = append(found, typed)
		}
	}
	return found
}

// forEach runs a test for each variant.
func forEach(t *testing.T, test func(t *testing.T, objects []object)) {
	for variant, objects := range rendered {
		t.Run(strings.TrimPrefix(variant, "overlays/"), func(t *testing.T) { test(t, objects) })
	}
}
