package main

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// peer is the other end of what a policy allows: pods, a block of addresses, or anything.
type peer struct {
	block    *networkingv1.IPBlock
	pods     []*corev1.Pod
	anything bool // pods has every pod then
}

// peers returns the peers of a rule. A rule that names none allows any.
func (w *world) peers(policy *networkingv1.NetworkPolicy, named []networkingv1.NetworkPolicyPeer) []peer {
	if len(named) == 0 {
		return []peer{{pods: w.pods, anything: true}}
	}
	var all []peer
	for _, n := range named {
		if n.IPBlock != nil {
			// A block of IPv6 addresses allows nothing here.
			if prefix, err := netip.ParsePrefix(n.IPBlock.CIDR); err == nil && prefix.Addr().Is4() {
				all = append(all, peer{block: n.IPBlock})
			}
		} else if pods := w.selected(policy.Namespace, n); len(pods) > 0 {
			all = append(all, peer{pods: pods})
		}
	}
	return all
}

// selected returns the pods that the selectors of a peer select. Without a selector of
// namespaces, they are in the namespace of the policy.
func (w *world) selected(namespace string, p networkingv1.NetworkPolicyPeer) (pods []*corev1.Pod) {
	for _, pod := range w.pods {
		inNamespace := pod.Namespace == namespace
		if p.NamespaceSelector != nil {
			inNamespace = matches(p.NamespaceSelector, w.namespaces[pod.Namespace])
		}
		if inNamespace && (p.PodSelector == nil || matches(p.PodSelector, pod.Labels)) {
			pods = append(pods, pod)
		}
	}
	return pods
}

// matches reports whether a selector selects something with these labels.
func matches(selector *metav1.LabelSelector, set labels.Set) bool {
	s, err := metav1.LabelSelectorAsSelector(selector)
	return err == nil && s.Matches(set)
}

// conditions returns a condition for each way to be the peer and use one of the ports.
// The receivers are the pods that a named port is looked up in.
func (p peer) conditions(d direction, ports []networkingv1.NetworkPolicyPort, receivers []*corev1.Pod) []string {
	if len(ports) == 0 {
		return []string{p.address(d)}
	}
	var all []string
	for _, port := range ports {
		if port.Port == nil || port.Port.StrVal == "" {
			all = append(all, p.address(d)+numbered(port))
			continue
		}
		for _, receiver := range receivers {
			for _, number := range lookUp(port, receiver) {
				match := fmt.Sprintf("%s dport %d ", protocol(port), number)
				if d == egress {
					match = "ip daddr " + receiver.Status.PodIP + " " + match
				} else {
					match = p.address(d) + match
				}
				all = append(all, match)
			}
		}
	}
	return all
}

// address returns the condition that the other end is the peer.
func (p peer) address(d direction) string {
	if p.anything {
		return ""
	}
	field := "ip " + d.peer
	if p.block != nil {
		match := field + " " + p.block.CIDR + " "
		for _, except := range p.block.Except {
			match += field + " != " + except + " "
		}
		return match
	}
	addresses := make([]string, len(p.pods))
	for i, pod := range p.pods {
		addresses[i] = pod.Status.PodIP
	}
	return field + " { " + strings.Join(addresses, ", ") + " } "
}

// numbered returns the condition for a port that has no name.
func numbered(port networkingv1.NetworkPolicyPort) string {
	switch {
	case port.Port == nil:
		return "meta l4proto " + protocol(port) + " "
	case port.EndPort != nil:
		return fmt.Sprintf("%s dport %d-%d ", protocol(port), port.Port.IntVal, *port.EndPort)
	}
	return fmt.Sprintf("%s dport %d ", protocol(port), port.Port.IntVal)
}

// lookUp returns the numbers that a named port has in a pod.
func lookUp(port networkingv1.NetworkPolicyPort, pod *corev1.Pod) (numbers []int32) {
	for _, container := range slices.Concat(pod.Spec.InitContainers, pod.Spec.Containers) {
		for _, p := range container.Ports {
			named := strings.ToLower(string(p.Protocol))
			if named == "" {
				named = "tcp"
			}
			if p.Name == port.Port.StrVal && named == protocol(port) {
				numbers = append(numbers, p.ContainerPort)
			}
		}
	}
	return numbers
}

// protocol returns what nft calls the protocol of a port.
func protocol(port networkingv1.NetworkPolicyPort) string {
	if port.Protocol == nil {
		return "tcp"
	}
	return strings.ToLower(string(*port.Protocol))
}
