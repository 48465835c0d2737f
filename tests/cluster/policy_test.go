package cluster

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rectohq/recto/libs/testkit/patience"
	"github.com/rectohq/recto/tests/harness"
)

// The addresses that probes connect to.
const (
	toNATS       = "nats.recto.svc:4222"
	toMonitoring = "nats.recto.svc:8222"
	toMongoDB    = "mongodb.recto.svc:27017"
	toRedis      = "redis.recto.svc:6379"
	toObjects    = "objects.recto.svc:9000"
	toGateway    = "gateway.recto.svc:8443"
	toKubernetes = "kubernetes.default.svc:443"
)

// outside are addresses outside of the cluster: those of a public server, of a server in a
// private network, and of a cloud's metadata. The same program listens on all of them.
type outside struct{ https, http, private, metadata string }

func outsideAddresses() outside {
	public := os.Getenv("RECTO_CLUSTER_PUBLIC_ADDRESS")
	return outside{public + ":443", public + ":80", "10.99.0.2:443", "169.254.169.254:443"}
}

// TestNetworkPolicies connects from pods to everything in the cluster, and to the internet
// around it. Each pod reaches what its labels allow, and nothing else. What enforces the
// policies here is tests/cluster/node/netpol, made for these tests: a cluster of its own
// needs a network plug-in that does it.
func TestNetworkPolicies(t *testing.T) {
	inCluster(t)
	out := outsideAddresses()
	all := []string{toNATS, toMonitoring, toMongoDB, toRedis, toObjects, toGateway, toKubernetes, out.https, out.http, out.private, out.metadata}
	t.Run("node", func(t *testing.T) { // shows that every address accepts connections
		for _, address := range all {
			conn, err := net.DialTimeout("tcp", address, patience.Limit())
			if err != nil {
				t.Fatal(err)
			}
			_ = conn.Close()
		}
	})
	elsewhere := harness.Namespace + "-probe"
	if _, err := kubectl("create", "namespace", elsewhere); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = kubectl("delete", "namespace", elsewhere, "--wait=false") })
	for _, p := range []struct {
		name, namespace string
		labels          string
		reaches         []string
	}{
		{"conversion", harness.Namespace, "app.kubernetes.io/name: conversion", []string{toNATS, toMongoDB, toObjects}},
		{"insight", harness.Namespace, "app.kubernetes.io/name: insight", []string{toNATS, toMongoDB, toObjects, out.https}},
		{"gateway", harness.Namespace, "app.kubernetes.io/name: gateway", []string{toNATS, toMongoDB, toObjects, toRedis}},
		{"unlabeled", harness.Namespace, "", nil},
		{"elsewhere", elsewhere, "", []string{toGateway, toObjects, toKubernetes, out.https, out.http, out.private, out.metadata}},
	} {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			probe := startProbe(t, p.namespace, p.name, p.labels)
			var wg sync.WaitGroup
			for _, address := range all {
				want := "timeout"
				for _, a := range p.reaches {
					if a == address {
						want = "open"
					}
				}
				wg.Go(func() { probe.expect(t, address, want) })
			}
			wg.Wait()
		})
	}
}

// probe is a pod that connects to addresses.
type probe struct{ namespace, name string }

// startProbe starts a pod with a label and deletes it when the test ends.
func startProbe(t *testing.T, namespace, name, label string) probe {
	t.Helper()
	p := probe{namespace, "probe-" + name}
	file := filepath.Join(t.TempDir(), "pod.yaml")
	manifest := fmt.Sprintf(`apiVersion: v1
kind: Pod
metadata: {name: %s, labels: {%s}}
spec:
  automountServiceAccountToken: false
  enableServiceLinks: false
  terminationGracePeriodSeconds: 0
  securityContext: {runAsNonRoot: true, seccompProfile: {type: RuntimeDefault}}
  containers:
    - name: probe
      image: cluster.test/probe:1
      imagePullPolicy: Never
      args: [wait]
      securityContext: {allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}}
`, p.name, label)
	if err := os.WriteFile(file, []byte(manifest), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := kubectl("--namespace", namespace, "apply", "--server-side", "--filename", file); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = kubectl("--namespace", namespace, "delete", "pod", p.name, "--wait=false") })
	if _, err := kubectl("--namespace", namespace, "wait", "--for=condition=Ready", "pod/"+p.name, "--timeout="+patience.Limit().String()); err != nil {
		t.Fatal(err)
	}
	return p
}

// expect connects from the pod until the outcome is want: policies may apply to a pod
// only a moment after it has started.
func (p probe) expect(t *testing.T, address, want string) {
	end := time.Now().Add(patience.Limit())
	for {
		out, err := kubectl("--namespace", p.namespace, "exec", p.name, "--", "/probe", "connect", address)
		if got := strings.TrimSpace(strings.TrimPrefix(out, address)); err == nil && got == want {
			return
		} else if time.Now().After(end) {
			t.Errorf("%s to %s: %s, %v; want %s", p.name, address, got, err, want)
			return
		}
		time.Sleep(200 * time.Millisecond)
	}
}
