package main

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"sigs.k8s.io/yaml"
)

// decode decodes a YAML document that a test is written in.
func decode[T any](t *testing.T, document string) *T {
	t.Helper()
	v := new(T)
	if err := yaml.UnmarshalStrict([]byte(document), v); err != nil {
		t.Fatalf("%v in\n%s", err, document)
	}
	return v
}

// example returns a world with a few pods and one policy in the namespace shop.
func example(t *testing.T, spec string) *world {
	pod := func(namespace, app, ip, ports string) *corev1.Pod {
		return decode[corev1.Pod](t, `{metadata: {namespace: `+namespace+`, name: `+app+`, labels: {app: `+app+`}},
			spec: {containers: [{name: c, ports: [`+ports+`]}]}, status: {podIP: `+ip+`}}`)
	}
	ended := pod("shop", "db", "10.0.0.9", "")
	ended.Status.Phase = corev1.PodSucceeded
	node := pod("shop", "db", "10.0.0.8", "")
	node.Spec.HostNetwork = true
	return newWorld(
		[]*corev1.Pod{
			pod("shop", "web", "10.0.0.1", "{name: http, containerPort: 8080}, {name: http, containerPort: 8081, protocol: UDP}"),
			pod("shop", "db", "10.0.0.2", "{name: sql, containerPort: 5432}"),
			pod("kube-system", "dns", "10.0.0.3", "{name: sql, containerPort: 53}"),
			pod("other", "web", "10.0.0.4", "{name: sql, containerPort: 1}"),
			ended, node,
		},
		[]*corev1.Namespace{
			decode[corev1.Namespace](t, `{metadata: {name: kube-system, labels: {name: system}}}`),
			decode[corev1.Namespace](t, `{metadata: {name: shop}}`),
		},
		[]*networkingv1.NetworkPolicy{decode[networkingv1.NetworkPolicy](t, `{metadata: {namespace: shop, name: p}, spec: `+spec+`}`)},
	)
}

// TestTable checks the rules of each chain that a policy leads to. A chain without rules
// drops everything.
func TestTable(t *testing.T) {
	for name, test := range map[string]struct {
		spec string
		want map[string][]string
	}{
		"default deny": {`{podSelector: {}, policyTypes: [Ingress, Egress]}`,
			map[string][]string{"egress_10_0_0_1": nil, "ingress_10_0_0_1": nil, "egress_10_0_0_2": nil, "ingress_10_0_0_2": nil}},
		"only ingress": {`{podSelector: {matchLabels: {app: web}}, policyTypes: [Ingress]}`,
			map[string][]string{"ingress_10_0_0_1": nil}},
		"anything": {`{podSelector: {matchLabels: {app: web}}, policyTypes: [Egress], egress: [{}]}`,
			map[string][]string{"egress_10_0_0_1": {""}}},
		"ports of anything": {`{podSelector: {matchLabels: {app: web}}, policyTypes: [Ingress], ingress: [{ports: [{port: 1}, {port: 2, endPort: 4, protocol: UDP}, {protocol: SCTP}]}]}`,
			map[string][]string{"ingress_10_0_0_1": {"tcp dport 1 ", "udp dport 2-4 ", "meta l4proto sctp "}}},
		"named port of the pod itself": {`{podSelector: {matchLabels: {app: web}}, policyTypes: [Ingress], ingress: [{from: [{podSelector: {}}], ports: [{port: http}, {port: sql}]}]}`,
			map[string][]string{"ingress_10_0_0_1": {"ip saddr { 10.0.0.1, 10.0.0.2 } tcp dport 8080 "}}},
		"named port of each peer": {`{podSelector: {matchLabels: {app: web}}, policyTypes: [Egress], egress: [{to: [{podSelector: {}, namespaceSelector: {}}], ports: [{port: sql}]}]}`,
			map[string][]string{"egress_10_0_0_1": {"ip daddr 10.0.0.2 tcp dport 5432 ", "ip daddr 10.0.0.3 tcp dport 53 ", "ip daddr 10.0.0.4 tcp dport 1 "}}},
		"named port of anything": {`{podSelector: {matchLabels: {app: web}}, policyTypes: [Egress], egress: [{ports: [{port: http, protocol: UDP}]}]}`,
			map[string][]string{"egress_10_0_0_1": {"ip daddr 10.0.0.1 udp dport 8081 "}}},
		"pods of selected namespaces": {`{podSelector: {matchLabels: {app: db}}, policyTypes: [Egress],
			egress: [{to: [{namespaceSelector: {matchLabels: {name: system}}, podSelector: {matchLabels: {app: dns}}}], ports: [{port: 53, protocol: UDP}]}]}`,
			map[string][]string{"egress_10_0_0_2": {"ip daddr { 10.0.0.3 } udp dport 53 "}}},
		"pods and namespaces are one condition": {`{podSelector: {matchLabels: {app: db}}, policyTypes: [Egress],
			egress: [{to: [{namespaceSelector: {matchLabels: {name: system}}, podSelector: {matchLabels: {app: web}}}]}]}`,
			map[string][]string{"egress_10_0_0_2": nil}},
		"blocks": {`{podSelector: {matchLabels: {app: db}}, policyTypes: [Egress],
			egress: [{to: [{ipBlock: {cidr: 0.0.0.0/0, except: [10.0.0.0/8, 10.1.0.0/16]}}, {ipBlock: {cidr: "::/0"}}], ports: [{port: 443}]}]}`,
			map[string][]string{"egress_10_0_0_2": {"ip daddr 0.0.0.0/0 ip daddr != 10.0.0.0/8 ip daddr != 10.1.0.0/16 tcp dport 443 "}}},
		"no such peer": {`{podSelector: {matchLabels: {app: db}}, policyTypes: [Ingress], ingress: [{from: [{podSelector: {matchLabels: {app: none}}}]}]}`,
			map[string][]string{"ingress_10_0_0_2": nil}},
	} {
		t.Run(name, func(t *testing.T) {
			table := example(t, test.spec).table()
			chains := 0
			for chain, rules := range test.want {
				chains++
				want := "  chain " + chain + " {\n"
				for _, rule := range rules {
					want += "    " + rule + "counter return\n"
				}
				if want += "    counter drop\n  }\n"; !strings.Contains(table, want) {
					t.Errorf("no\n%s in\n%s", want, table)
				}
			}
			if got := strings.Count(table, "counter drop"); got != chains {
				t.Errorf("%d chains drop, want %d:\n%s", got, chains, table)
			}
			check(t, table)
		})
	}
}

// check checks the syntax of a table with nft, where it is installed and may look.
func check(t *testing.T, table string) {
	t.Helper()
	if exec.Command("nft", "list", "tables").Run() != nil {
		return
	}
	nft := exec.Command("nft", "--check", "-f", "-")
	nft.Stdin = strings.NewReader(table)
	if out, err := nft.CombinedOutput(); err != nil {
		t.Errorf("%v: %s\n%s", err, out, table)
	}
}

// TestJumps checks which hooks lead to the chains of a pod.
func TestJumps(t *testing.T) {
	table := example(t, `{podSelector: {matchLabels: {app: web}}, policyTypes: [Ingress, Egress]}`).table()
	_, forward, _ := strings.Cut(table, "chain forward {")
	forward, input, _ := strings.Cut(forward, "chain input {")
	for _, test := range []struct{ hook, jump string }{
		{forward, "ip saddr 10.0.0.1 jump egress_10_0_0_1\n"},
		{forward, "ip daddr 10.0.0.1 jump ingress_10_0_0_1\n"},
		{input, "ip saddr 10.0.0.1 jump egress_10_0_0_1\n"},
	} {
		if !strings.Contains(test.hook, test.jump) {
			t.Errorf("no %q in %s", test.jump, test.hook)
		}
	}
	if strings.Contains(input, "ingress") {
		t.Errorf("what enters the node enters no pod:\n%s", input)
	}
}

// TestOrder checks that the order of what the informers return does not matter.
func TestOrder(t *testing.T) {
	w := example(t, `{podSelector: {}, policyTypes: [Ingress], ingress: [{from: [{podSelector: {}}]}]}`)
	pods := slices.Clone(w.pods)
	slices.Reverse(pods)
	if again := newWorld(pods, nil, w.policies); again.table() != w.table() {
		t.Errorf("%s\nis not\n%s", again.table(), w.table())
	}
}
