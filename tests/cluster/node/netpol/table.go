package main

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// world is all that the rules depend on.
type world struct {
	pods       []*corev1.Pod // those with an address of their own, sorted
	namespaces map[string]labels.Set
	policies   []*networkingv1.NetworkPolicy // sorted
}

// newWorld returns a world that is equal if its parts are, in whatever order they come.
func newWorld(pods []*corev1.Pod, namespaces []*corev1.Namespace, policies []*networkingv1.NetworkPolicy) *world {
	w := &world{namespaces: map[string]labels.Set{}}
	for _, pod := range pods {
		if hasAddress(pod) {
			w.pods = append(w.pods, pod)
		}
	}
	slices.SortFunc(w.pods, func(a, b *corev1.Pod) int { return strings.Compare(a.Status.PodIP, b.Status.PodIP) })
	for _, namespace := range namespaces {
		w.namespaces[namespace.Name] = namespace.Labels
	}
	w.policies = slices.SortedFunc(slices.Values(policies), func(a, b *networkingv1.NetworkPolicy) int {
		return strings.Compare(a.Namespace+"/"+a.Name, b.Namespace+"/"+b.Name)
	})
	return w
}

// hasAddress reports whether a pod has an address that no other pod and no node has.
func hasAddress(pod *corev1.Pod) bool {
	return pod.Status.PodIP != "" && !pod.Spec.HostNetwork &&
		pod.Status.Phase != corev1.PodSucceeded && pod.Status.Phase != corev1.PodFailed
}

// direction is a direction of traffic, as seen from the pod that a policy selects.
type direction struct {
	name   string
	policy networkingv1.PolicyType
	self   string // what nft calls the address of the pod
	peer   string // what nft calls the address at the other end
}

var (
	ingress = direction{"ingress", networkingv1.PolicyTypeIngress, "daddr", "saddr"}
	egress  = direction{"egress", networkingv1.PolicyTypeEgress, "saddr", "daddr"}
)

// table returns the commands for nft that replace the table: a chain for each pod and
// direction that a policy selects, which returns if it allows a packet, and drops it
// otherwise. Packets between pods, and between pods and other machines, pass forward,
// after kube-proxy has replaced the address of a Service with that of a pod. Packets from
// a pod to a program of the node, such as the API server, pass input.
func (w *world) table() string {
	var chains, forward, input strings.Builder
	for _, pod := range w.pods {
		for _, d := range []direction{egress, ingress} {
			allowed, isolated := w.allowed(pod, d)
			if !isolated {
				continue
			}
			chain := d.name + "_" + strings.ReplaceAll(pod.Status.PodIP, ".", "_")
			fmt.Fprintf(&chains, "  chain %s {\n%s    counter drop\n  }\n", chain, strings.Join(allowed, ""))
			jump := fmt.Sprintf("    ip %s %s jump %s\n", d.self, pod.Status.PodIP, chain)
			forward.WriteString(jump)
			if d == egress {
				input.WriteString(jump)
			}
		}
	}
	// Naming the table before it is deleted makes sure that it exists.
	return "table inet netpol\ndelete table inet netpol\ntable inet netpol {\n" + chains.String() +
		hook("forward", forward.String()) + hook("input", input.String()) + "}\n"
}

// hook returns a chain through which every packet goes that passes a hook of the kernel.
func hook(name, jumps string) string {
	return "  chain " + name + " {\n    type filter hook " + name + " priority -5; policy accept;\n" +
		"    ct state established,related accept\n" + jumps + "  }\n"
}

// allowed returns a rule for each thing that policies allow a pod in a direction, and
// whether a policy selects it at all.
func (w *world) allowed(pod *corev1.Pod, d direction) (rules []string, isolated bool) {
	for _, policy := range w.policies {
		if policy.Namespace != pod.Namespace || !slices.Contains(policy.Spec.PolicyTypes, d.policy) ||
			!matches(&policy.Spec.PodSelector, pod.Labels) {
			continue
		}
		isolated = true
		for _, match := range w.matches(policy, pod, d) {
			rules = append(rules, "    "+match+"counter return\n")
		}
	}
	return rules, isolated
}

// matches returns the conditions of what a policy allows a pod in a direction. A
// condition is empty or ends in a space.
func (w *world) matches(policy *networkingv1.NetworkPolicy, pod *corev1.Pod, d direction) (all []string) {
	if d == ingress {
		for _, rule := range policy.Spec.Ingress {
			for _, peer := range w.peers(policy, rule.From) {
				all = append(all, peer.conditions(d, rule.Ports, []*corev1.Pod{pod})...)
			}
		}
		return all
	}
	for _, rule := range policy.Spec.Egress {
		for _, peer := range w.peers(policy, rule.To) {
			all = append(all, peer.conditions(d, rule.Ports, peer.pods)...)
		}
	}
	return all
}
