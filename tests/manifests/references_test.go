package manifests

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/rectohq/recto/tests/harness"
)

// TestFiles checks that each file in k8s/ is valid YAML without duplicate keys, and that
// every component is part of a variant.
func TestFiles(t *testing.T) {
	used := ""
	err := filepath.WalkDir(filepath.Join(root, "k8s"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".yaml" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if d.Name() == "kustomization.yaml" {
			used += string(text)
		}
		for document := range strings.SplitSeq(string(text), "\n---\n") {
			if err := yaml.UnmarshalStrict([]byte(document), new(any)); err != nil {
				t.Errorf("%s: %v", path, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	components, err := os.ReadDir(filepath.Join(root, "k8s/components"))
	if err != nil || len(components) == 0 {
		t.Fatal(components, err)
	}
	for _, c := range components {
		if !strings.Contains(used, "../"+c.Name()) && !strings.Contains(used, "components/"+c.Name()) {
			t.Errorf("no variant uses the component %s", c.Name())
		}
	}
}

// TestSelectors checks that whatever selects pods selects some, and finds the ports that it
// names.
func TestSelectors(t *testing.T) {
	forEach(t, func(t *testing.T, objects []object) {
		all := workloads(objects)
		for _, w := range all {
			if !selects(t, w.selector, w) || len(selected(t, w.name, w.selector, all)) != 1 {
				t.Errorf("%s selects other pods than its own", w.name)
			}
		}
		for _, s := range each[corev1.Service](objects) {
			for _, w := range selected(t, "the Service "+s.Name, &metav1.LabelSelector{MatchLabels: s.Spec.Selector}, all) {
				for _, p := range s.Spec.Ports {
					if !hasPort(w.container(), p.TargetPort.StrVal) {
						t.Errorf("the Service %s: %s has no port %v", s.Name, w.name, p.TargetPort)
					}
				}
			}
		}
		budgets := map[string]int{}
		for _, b := range each[policyv1.PodDisruptionBudget](objects) {
			for _, w := range selected(t, "the budget "+b.Name, b.Spec.Selector, all) {
				budgets[w.name]++
			}
		}
		for _, w := range all { // two budgets for one pod make every eviction fail
			if want := 1; w.isRecto() && budgets[w.name] != want {
				t.Errorf("%s has %d budgets", w.name, budgets[w.name])
			}
		}
	})
}

// TestPolicySelectors checks that every policy selects pods, that its peers within the
// namespace are pods, and that the ports that it names exist.
func TestPolicySelectors(t *testing.T) {
	forEach(t, func(t *testing.T, objects []object) {
		all := workloads(objects)
		for _, p := range each[networkingv1.NetworkPolicy](objects) {
			own := selected(t, "the policy "+p.Name, &p.Spec.PodSelector, all)
			for _, rule := range p.Spec.Ingress {
				checkPeers(t, p.Name, rule.From, all)
				checkPorts(t, p.Name, rule.Ports, own)
			}
			for _, rule := range p.Spec.Egress {
				checkPorts(t, p.Name, rule.Ports, checkPeers(t, p.Name, rule.To, all))
			}
			if slices.Contains(p.Spec.PolicyTypes, networkingv1.PolicyTypeEgress) != (p.Spec.Egress != nil || p.Name == "default-deny") ||
				slices.Contains(p.Spec.PolicyTypes, networkingv1.PolicyTypeIngress) != (p.Spec.Ingress != nil || p.Name == "default-deny") {
				t.Errorf("the types of %s do not match its rules: %v", p.Name, p.Spec.PolicyTypes)
			}
		}
	})
}

// checkPeers returns the pods of the namespace that a rule is about.
func checkPeers(t *testing.T, policy string, peers []networkingv1.NetworkPolicyPeer, all []workload) []workload {
	t.Helper()
	var found []workload
	for _, peer := range peers {
		if peer.NamespaceSelector == nil && peer.IPBlock == nil {
			found = append(found, selected(t, "a peer of "+policy, peer.PodSelector, all)...)
		}
	}
	return found
}

// checkPorts checks that the pods have the ports that a rule names.
func checkPorts(t *testing.T, policy string, ports []networkingv1.NetworkPolicyPort, of []workload) {
	t.Helper()
	for _, port := range ports {
		for _, w := range of {
			if name := port.Port.StrVal; name != "" && !hasPort(w.container(), name) {
				t.Errorf("the policy %s: %s has no port %s", policy, w.name, name)
			}
		}
		if port.Protocol == nil {
			t.Errorf("the policy %s has a port without a protocol", policy)
		}
	}
}

// TestScaling checks that each autoscaler scales a Deployment whose number of replicas
// nothing else sets.
func TestScaling(t *testing.T) {
	forEach(t, func(t *testing.T, objects []object) {
		replicas := map[string]*int32{}
		for _, d := range each[appsv1.Deployment](objects) {
			replicas[d.Name] = d.Spec.Replicas
		}
		var targets []string
		for _, h := range each[autoscalingv2.HorizontalPodAutoscaler](objects) {
			targets = append(targets, h.Spec.ScaleTargetRef.Name)
		}
		for _, s := range each[scaledObject](objects) {
			targets = append(targets, s.Spec.ScaleTargetRef.Name)
		}
		for _, name := range targets {
			if n, ok := replicas[name]; !ok || n != nil {
				t.Errorf("an autoscaler scales %s, which does not exist or sets its replicas", name)
			}
		}
		if slices.Sort(targets); len(slices.Compact(slices.Clone(targets))) != len(targets) {
			t.Errorf("two autoscalers scale the same Deployment: %v", targets)
		}
	})
}

// TestQueues checks that KEDA looks at queues that exist: tests/natsperm checks the
// permissions in recto.conf against the code. It adds up all of them.
func TestQueues(t *testing.T) {
	conf, err := os.ReadFile(filepath.Join(root, "deploy/nats/recto.conf"))
	if err != nil {
		t.Fatal(err)
	}
	scaled := each[scaledObject](rendered["overlays/production"])
	if len(scaled) != 2 {
		t.Fatalf("%d ScaledObjects", len(scaled))
	}
	for _, s := range scaled {
		var names []string
		for _, trigger := range s.Spec.Triggers {
			m := trigger.Metadata
			names = append(names, trigger.Name)
			created := regexp.MustCompile(`"\$JS\.API\.CONSUMER\.CREATE\.` + m.Stream + `\.` + m.Consumer + `[."]`)
			account := regexp.MustCompile(`(?m)^  ` + m.Account + ` \{$`)
			if !created.Match(conf) || !account.Match(conf) || trigger.Type != "nats-jetstream" || m.Endpoint != "nats.recto.svc:8222" {
				t.Errorf("%s: no such queue: %+v", s.Name, trigger)
			}
		}
		if formula := strings.Join(names, " + "); s.Spec.Advanced.ScalingModifiers.Formula != formula {
			t.Errorf("%s: the formula is %s, want %s", s.Name, s.Spec.Advanced.ScalingModifiers.Formula, formula)
		}
	}
}

// TestImages checks that the images of Recto and of the test servers are those that
// deploy/images/build builds, and that every other one has a version.
func TestImages(t *testing.T) {
	script, err := os.ReadFile(filepath.Join(harness.Root(), "deploy/images/functions"))
	if err != nil {
		t.Fatal(err)
	}
	var built []string
	for prefix, list := range map[string]string{"recto/": "recto_images", "recto/test-": "test_images"} {
		for name := range strings.FieldsSeq(string(regexp.MustCompile(list + `="(.*)"`).FindSubmatch(script)[1])) {
			built = append(built, prefix+name)
		}
	}
	forEach(t, func(t *testing.T, objects []object) {
		for _, w := range workloads(objects) {
			image := strings.TrimPrefix(w.container().Image, "registry.example.com/")
			name, tag, _ := strings.Cut(image, ":")
			if !slices.Contains(built, name) && (name != "nats" || tag == "") {
				t.Errorf("%s runs %s, which is not built", w.name, image)
			}
			if w.container().ImagePullPolicy != corev1.PullIfNotPresent {
				t.Errorf("%s pulls its image %s", w.name, w.container().ImagePullPolicy)
			}
		}
	})
}

// TestAccounts checks that every pod has a ServiceAccount that exists and has no token.
func TestAccounts(t *testing.T) {
	forEach(t, func(t *testing.T, objects []object) {
		tokens := map[string]*bool{}
		for _, a := range each[corev1.ServiceAccount](objects) {
			tokens[a.Name] = a.AutomountServiceAccountToken
		}
		for _, w := range workloads(objects) {
			if !is(tokens[w.pod.Spec.ServiceAccountName], false) {
				t.Errorf("%s has the account %s, which does not exist or has a token", w.name, w.pod.Spec.ServiceAccountName)
			}
		}
	})
}
