package manifests

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/rectohq/recto/tests/harness"
)

// setting is a variable that docs/configuration.md lists. A test of the standalone program
// checks that page against the code.
type setting struct {
	required bool
	file     bool // it can also be read from a file
	value    string
}

// settings returns the variables of a service.
func settings(t *testing.T, service string) map[string]setting {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(harness.Root(), "docs/configuration.md"))
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile("(?m)^\\| `(\\w+)`(, `\\w+_FILE`)? \\| (.*?) \\|")
	known := map[string]setting{}
	for _, section := range strings.Split(string(page), "\n## ")[1:] {
		title, body, _ := strings.Cut(section, "\n")
		own := strings.HasPrefix(title, strings.ToUpper(service[:1])+service[1:])
		if !own && !strings.HasPrefix(title, "All services") && (service == "gateway" || !strings.HasPrefix(title, "Object store of")) {
			continue
		}
		for _, m := range row.FindAllStringSubmatch(body, -1) {
			known[m[1]] = setting{required: m[3] == "required", file: m[2] != "", value: m[3]}
		}
	}
	if len(known) < 20 {
		t.Fatalf("%d variables of %s", len(known), service)
	}
	return known
}

// environment returns the environment of the workload's container, without the values that
// come from Secrets.
func environment(t *testing.T, objects []object, w workload) map[string]string {
	t.Helper()
	env := map[string]string{}
	for _, from := range w.container().EnvFrom {
		if from.ConfigMapRef == nil {
			continue
		}
		data, ok := configMap(objects, from.ConfigMapRef.Name)
		if !ok {
			t.Errorf("%s: the ConfigMap %s does not exist", w.name, from.ConfigMapRef.Name)
		}
		maps.Copy(env, data)
	}
	for _, e := range w.container().Env {
		env[e.Name] = e.Value
	}
	return env
}

func configMap(objects []object, name string) (map[string]string, bool) {
	for _, c := range each[corev1.ConfigMap](objects) {
		if c.Name == name {
			return c.Data, true
		}
	}
	return nil, false
}

// TestVariables checks that every variable of a service exists, and that every required
// one is set. The base alone is incomplete: overlays set the addresses.
func TestVariables(t *testing.T) {
	for variant, objects := range rendered {
		for _, w := range workloads(objects) {
			if !w.isRecto() {
				continue
			}
			env, known := environment(t, objects, w), settings(t, w.service())
			for name := range env {
				of, isFile := strings.CutSuffix(name, "_FILE")
				if _, ok := known[name]; !ok && !(isFile && known[of].file) {
					t.Errorf("%s: %s does not know %s", variant, w.name, name)
				}
			}
			for name, s := range known {
				if s.required && env[name] == "" && env[name+"_FILE"] == "" && variant != "base" {
					t.Errorf("%s: %s needs %s", variant, w.name, name)
				}
			}
		}
	}
}

// TestGracePeriods checks that the kubelet waits longer than a service takes to shut down.
func TestGracePeriods(t *testing.T) {
	forEach(t, func(t *testing.T, objects []object) {
		for _, w := range workloads(objects) {
			if !w.isRecto() {
				continue
			}
			env, needed := environment(t, objects, w), 5*time.Second
			for name, s := range settings(t, w.service()) {
				if !strings.HasSuffix(name, "_SHUTDOWN_GRACE") && !strings.HasSuffix(name, "_DRAIN_DELAY") {
					continue
				}
				value := s.value
				if env[name] != "" {
					value = env[name]
				}
				d, err := time.ParseDuration(value)
				if err != nil {
					t.Fatal(err)
				}
				needed += d
			}
			if got := time.Duration(*w.pod.Spec.TerminationGracePeriodSeconds) * time.Second; got < needed || needed < 20*time.Second {
				t.Errorf("%s gets %s to shut down and needs %s", w.name, got, needed)
			}
		}
	})
}

// files returns the paths that the container's volumes of Secrets contain, each with the
// name of its Secret. Keys are looked up in what the development overlay creates.
func files(w workload) map[string]string {
	found := map[string]string{}
	add := func(mount, secret string, items []corev1.KeyToPath) {
		if items == nil {
			for _, key := range keys[trimHash(secret)] {
				items = append(items, corev1.KeyToPath{Key: key, Path: key})
			}
		}
		for _, item := range items {
			if slices.Contains(keys[trimHash(secret)], item.Key) {
				found[mount+"/"+item.Path] = secret
			}
		}
	}
	for _, m := range w.container().VolumeMounts {
		for _, v := range w.pod.Spec.Volumes {
			switch {
			case v.Name != m.Name:
			case v.Secret != nil:
				add(m.MountPath, v.Secret.SecretName, v.Secret.Items)
			case v.Projected != nil:
				for _, source := range v.Projected.Sources {
					add(m.MountPath, source.Secret.Name, source.Secret.Items)
				}
			}
		}
	}
	return found
}

// keys lists the keys of each Secret. k8s/README.md documents them.
var keys = map[string][]string{
	"gateway":       {"database", "key-peppers", "nats-password", "redis-url"},
	"document":      {"database", "nats-password", "s3-secret-key"},
	"annotation":    {"database", "nats-password", "s3-secret-key"},
	"conversion":    {"database", "nats-password", "s3-secret-key"},
	"insight":       {"database", "nats-password", "s3-secret-key"},
	"insight-model": {"model-key"},
	"gateway-tls":   {"tls.crt", "tls.key"},
	"nats-tls":      {"ca.crt", "tls.crt", "tls.key"},
	"objects":       {"secret-key"},
	"nats": {
		"NATS_ADMIN_PASSWORD", "NATS_ANNOTATION_PASSWORD", "NATS_CONVERSION_PASSWORD", "NATS_DOCUMENT_PASSWORD",
		"NATS_GATEWAY_PASSWORD", "NATS_INSIGHT_PASSWORD", "NATS_SYSTEM_PASSWORD",
	},
}

// trimHash removes the hash that kustomize appends to the names of what it generates.
func trimHash(name string) string {
	return regexp.MustCompile(`-[a-z0-9]{10}$`).ReplaceAllString(name, "")
}

// TestSecretFiles checks that each variable that names a file names one of a Secret.
func TestSecretFiles(t *testing.T) {
	forEach(t, func(t *testing.T, objects []object) {
		for _, w := range workloads(objects) {
			mounted := files(w)
			for name, path := range environment(t, objects, w) {
				if _, ok := mounted[path]; strings.HasSuffix(name, "_FILE") && !ok {
					t.Errorf("%s: %s=%s is not in a Secret", w.name, name, path)
				}
			}
		}
	})
}

// TestSecrets checks that create-secrets creates every key of every Secret that a pod uses,
// with a value, and that README.md explains each.
func TestSecrets(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join(root, "k8s/README.md"))
	if err != nil {
		t.Fatal(err)
	}
	created := map[string][]string{}
	for _, s := range each[corev1.Secret](rendered["overlays/dev"]) {
		for _, key := range slices.Sorted(maps.Keys(s.Data)) {
			created[trimHash(s.Name)] = append(created[trimHash(s.Name)], key)
			if len(s.Data[key]) == 0 {
				t.Errorf("%s: %s is empty", s.Name, key)
			}
			if !strings.HasPrefix(key, "NATS_") && trimHash(s.Name) != "objects" && !strings.Contains(string(readme), "`"+key+"`") {
				t.Errorf("README.md does not explain %s of %s", key, s.Name)
			}
		}
	}
	if !maps.EqualFunc(created, keys, slices.Equal) {
		t.Errorf("the Secrets have the keys\n%v, want\n%v", created, keys)
	}
}

// TestNATSVariables checks that every variable of the configuration of NATS is set.
func TestNATSVariables(t *testing.T) {
	reference := regexp.MustCompile(`(?m)^[^#\n]*?\$(NATS_\w+)`)
	conf := map[string][]string{"overlays/dev": {"server.conf", "recto.conf"}, "overlays/production": {"server.conf", "recto.conf", "cluster.conf"}}
	for variant, names := range conf {
		objects := rendered[variant]
		for _, w := range workloads(objects) {
			if w.name != "nats" {
				continue
			}
			env := environment(t, objects, w)
			known := keys["nats"]
			for _, name := range names {
				data, ok := configMap(objects, w.pod.Spec.Volumes[0].ConfigMap.Name)
				found := reference.FindAllStringSubmatch(data[name], -1)
				if !ok || len(found) == 0 {
					t.Errorf("%s: %s has no variables", variant, name)
				}
				for _, m := range found {
					if _, ok := env[m[1]]; !ok && !slices.Contains(known, m[1]) {
						t.Errorf("%s: %s needs %s", variant, name, m[1])
					}
				}
			}
		}
	}
}
