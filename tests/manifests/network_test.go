package manifests

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// selects reports whether the selector selects the pods of the workload.
func selects(t *testing.T, selector *metav1.LabelSelector, w workload) bool {
	t.Helper()
	s, err := metav1.LabelSelectorAsSelector(selector)
	if err != nil {
		t.Fatal(err)
	}
	return s.Matches(labels.Set(w.pod.Labels))
}

// selected returns the workloads whose pods the selector selects. It is an error if there
// are none.
func selected(t *testing.T, what string, selector *metav1.LabelSelector, all []workload) []workload {
	t.Helper()
	var found []workload
	for _, w := range all {
		if selects(t, selector, w) {
			found = append(found, w)
		}
	}
	if len(found) == 0 {
		t.Errorf("%s selects no pod: %v", what, selector)
	}
	return found
}

// policies are the NetworkPolicies of a variant.
type policies struct {
	t   *testing.T
	all []*networkingv1.NetworkPolicy
}

// peers returns, for each port of the workload's pods, what the policies let connect to
// it: names of workloads, or what else a peer is.
func (p policies) peers(to workload, all []workload) []string {
	var found []string
	for _, port := range to.container().Ports {
		for _, policy := range p.all {
			if !selects(p.t, &policy.Spec.PodSelector, to) {
				continue
			}
			for _, rule := range policy.Spec.Ingress {
				if !covers(rule.Ports, port) {
					continue
				}
				for _, from := range sources(p.t, rule.From, all) {
					found = append(found, fmt.Sprintf("%s -> %s:%d", from, to.name, port.ContainerPort))
				}
			}
		}
	}
	return found
}

// sources names who the peers of a rule are.
func sources(t *testing.T, from []networkingv1.NetworkPolicyPeer, all []workload) []string {
	if len(from) == 0 {
		return []string{"anything"}
	}
	var found []string
	for _, peer := range from {
		switch {
		case peer.IPBlock != nil:
			found = append(found, peer.IPBlock.CIDR)
		case peer.NamespaceSelector != nil && peer.PodSelector == nil:
			found = append(found, labels.Set(peer.NamespaceSelector.MatchLabels).String())
		case peer.NamespaceSelector == nil:
			for _, w := range all {
				if selects(t, peer.PodSelector, w) {
					found = append(found, w.name)
				}
			}
		}
	}
	return found
}

// covers reports whether the ports of a rule include the port.
func covers(ports []networkingv1.NetworkPolicyPort, port corev1.ContainerPort) bool {
	return slices.ContainsFunc(ports, func(p networkingv1.NetworkPolicyPort) bool {
		return p.Port == nil || p.Port.StrVal == port.Name || p.Port.IntVal == port.ContainerPort
	})
}

// exits returns what the policies let the workload's pods connect to.
func (p policies) exits(from workload, all []workload) []string {
	var found []string
	for _, policy := range p.all {
		if !selects(p.t, &policy.Spec.PodSelector, from) {
			continue
		}
		for _, rule := range policy.Spec.Egress {
			for _, peer := range rule.To {
				for _, port := range rule.Ports {
					found = append(found, exit(p.t, from, peer, port, all)...)
				}
			}
		}
	}
	return found
}

// exit returns the connections of one peer and port of a policy for egress.
func exit(t *testing.T, from workload, peer networkingv1.NetworkPolicyPeer, port networkingv1.NetworkPolicyPort, all []workload) []string {
	if peer.NamespaceSelector != nil || peer.IPBlock != nil {
		to := "DNS"
		if peer.IPBlock != nil {
			to = peer.IPBlock.CIDR
		} else if namespace := labels.Set(peer.NamespaceSelector.MatchLabels); namespace["kubernetes.io/metadata.name"] != "kube-system" {
			to = namespace.String()
		}
		return []string{fmt.Sprintf("%s -> %s:%s/%s", from.name, to, port.Port, *port.Protocol)}
	}
	var found []string
	for _, w := range all {
		for _, p := range w.container().Ports {
			if selects(t, peer.PodSelector, w) && covers([]networkingv1.NetworkPolicyPort{port}, p) {
				found = append(found, fmt.Sprintf("%s -> %s:%d", from.name, w.name, p.ContainerPort))
			}
		}
	}
	return found
}

// picture is every connection of the development overlay. Those within the namespace must
// be allowed on both ends.
const picture = `
gateway -> nats:4222, document -> nats:4222, annotation -> nats:4222, conversion -> nats:4222, insight -> nats:4222
gateway -> mongodb:27017, document -> mongodb:27017, annotation -> mongodb:27017, conversion -> mongodb:27017, insight -> mongodb:27017
gateway -> redis:6379
gateway -> objects:9000, document -> objects:9000, annotation -> objects:9000, conversion -> objects:9000, insight -> objects:9000
insight -> 0.0.0.0/0:443/TCP, insight -> 2000::/3:443/TCP
anything -> gateway:8443, anything -> objects:9000
recto/metrics=allow -> gateway:9464, recto/metrics=allow -> document:9464, recto/metrics=allow -> annotation:9464
recto/metrics=allow -> conversion:9464, recto/metrics=allow -> insight:9464
`

// TestPicture checks that the policies of the development overlay allow exactly what the
// picture has.
func TestPicture(t *testing.T) {
	objects := rendered["overlays/dev"]
	all, p := workloads(objects), policies{t, each[networkingv1.NetworkPolicy](objects)}
	in, out := map[string]bool{}, map[string]bool{}
	for _, w := range all {
		for _, c := range p.peers(w, all) {
			in[c] = true
		}
		for _, c := range p.exits(w, all) {
			if !strings.HasSuffix(c, "DNS:53/UDP") && !strings.HasSuffix(c, "DNS:53/TCP") {
				out[c] = true
			}
		}
	}
	allowed := map[string]bool{}
	for c := range out {
		from, to, _ := strings.Cut(c, " -> ")
		name, port, _ := strings.Cut(to, ":")
		isPod := slices.ContainsFunc(all, func(w workload) bool { return w.name == name })
		if !isPod || in[c] || in["anything -> "+name+":"+port] {
			allowed[c] = true
		} else {
			t.Errorf("%s may connect to %s, which does not accept it", from, to)
		}
	}
	for c := range in {
		from, _, _ := strings.Cut(c, " -> ")
		if slices.ContainsFunc(all, func(w workload) bool { return w.name == from }) && !out[c] {
			t.Errorf("%s: it is accepted, but not allowed to connect", c)
		}
		allowed[c] = true
	}
	want := strings.Split(strings.ReplaceAll(strings.TrimSpace(picture), "\n", ", "), ", ")
	if got := slices.Sorted(maps.Keys(allowed)); !slices.Equal(got, slices.Sorted(slices.Values(want))) {
		t.Errorf("the policies allow\n%s", strings.Join(got, "\n"))
	}
}

// TestDefaultDeny checks that in each variant no pod can connect or be connected to unless
// a policy allows it.
func TestDefaultDeny(t *testing.T) {
	forEach(t, func(t *testing.T, objects []object) {
		for _, policy := range each[networkingv1.NetworkPolicy](objects) {
			s := policy.Spec
			everything := len(s.PodSelector.MatchLabels)+len(s.PodSelector.MatchExpressions) == 0
			if everything && len(s.PolicyTypes) == 2 && len(s.Ingress)+len(s.Egress) == 0 {
				return
			}
		}
		t.Error("no policy denies everything by default")
	})
}
