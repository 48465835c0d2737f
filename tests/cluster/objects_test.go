package cluster

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rectohq/recto/libs/testkit/patience"
	"github.com/rectohq/recto/tests/harness"
)

// metadata is the part of an object's metadata that tests look at.
type metadata struct {
	Name, UID         string
	Generation        int
	DeletionTimestamp string
}

// pod is the part of a Pod that tests look at.
type pod struct {
	Metadata metadata
	Status   struct {
		PodIP             string
		Conditions        []struct{ Type, Status string }
		ContainerStatuses []struct{ RestartCount int }
	}
}

// ready reports whether Services send traffic to the pod.
func (p pod) ready() bool {
	if p.Metadata.DeletionTimestamp != "" {
		return false
	}
	for _, c := range p.Status.Conditions {
		if c.Type == "Ready" {
			return c.Status == "True"
		}
	}
	return false
}

// restarts returns how often containers of the pod were restarted.
func (p pod) restarts() int {
	n := 0
	for _, c := range p.Status.ContainerStatuses {
		n += c.RestartCount
	}
	return n
}

// workload is a Deployment or a StatefulSet.
type workload struct {
	Metadata metadata
	Spec     struct{ Replicas int }
	Status   struct {
		Replicas, UpdatedReplicas, ReadyReplicas int
		ObservedGeneration                       int
	}
}

// rolledOut reports whether all replicas are ready and have the current template.
func (w workload) rolledOut() bool {
	s := w.Status
	return s.ObservedGeneration >= w.Metadata.Generation && s.UpdatedReplicas == w.Spec.Replicas && s.ReadyReplicas == w.Spec.Replicas && s.Replicas == w.Spec.Replicas
}

// list returns the objects in Recto's namespace that kubectl get selects. On a busy machine, the API
// server may be slow to answer, so it tries again for as long as any step of a test may take.
func list[T any](args ...string) ([]T, error) {
	get := append([]string{"--namespace", harness.Namespace, "get", "--output", "json"}, args...)
	out, err := kubectl(get...)
	for end := time.Now().Add(patience.Limit()); err != nil && time.Now().Before(end); out, err = kubectl(get...) {
		say("trying again: %v", err)
		time.Sleep(time.Second)
	}
	if err != nil {
		return nil, err
	}
	var found struct{ Items []T }
	if err := json.Unmarshal([]byte(out), &found); err != nil {
		return nil, fmt.Errorf("kubectl get %v: %w", args, err)
	}
	return found.Items, nil
}

// selector selects the pods of a service's Deployment.
func selector(service string) string {
	return "app.kubernetes.io/component=service,app.kubernetes.io/name=" + service
}

// pods returns the pods of a service that are not being deleted.
func pods(t testing.TB, service string) []pod {
	t.Helper()
	all, err := list[pod]("pods", "--selector", selector(service))
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(all, func(p pod) bool { return p.Metadata.DeletionTimestamp != "" })
}

// rolloutLimit is how long a rollout may take: images are large, and all pods start at
// once on the node.
func rolloutLimit() time.Duration { return patience.Scale(5 * time.Minute) }

// waitRolledOut waits until every workload is rolled out. It prints each pod when it
// becomes ready, and why the others do not if the time is up.
func waitRolledOut(begin time.Time) error {
	seen := map[string]bool{}
	for {
		workloads, err := list[workload]("deployments,statefulsets")
		if err != nil {
			return err
		}
		all, err := list[pod]("pods")
		if err != nil {
			return err
		}
		for _, p := range all {
			if p.ready() && !seen[p.Metadata.UID] {
				seen[p.Metadata.UID] = true
				say("%5.1f s: %s is ready", time.Since(begin).Seconds(), p.Metadata.Name)
			}
		}
		if !slices.ContainsFunc(workloads, func(w workload) bool { return !w.rolledOut() }) {
			return nil
		}
		if time.Since(begin) > rolloutLimit() {
			return errors.New("not ready in time:\n" + explain(all))
		}
		time.Sleep(500 * time.Millisecond)
	}
}

// explain describes the pods that are not ready, with their logs, and all events.
func explain(all []pod) string {
	var b strings.Builder
	for _, p := range all {
		if p.ready() {
			continue
		}
		for _, command := range [][]string{{"describe", "pod", p.Metadata.Name}, {"logs", "--all-containers", "--tail=40", p.Metadata.Name}, {"logs", "--previous", "--tail=40", p.Metadata.Name}} {
			out, _ := kubectl(append([]string{"--namespace", harness.Namespace}, command...)...)
			fmt.Fprintf(&b, "== kubectl %s\n%s\n", strings.Join(command, " "), out)
		}
	}
	out, _ := kubectl("--namespace", harness.Namespace, "get", "events", "--sort-by=.lastTimestamp")
	return b.String() + out
}

// scale sets the replicas of services and waits until they are ready.
func scale(t testing.TB, replicas int, services ...string) {
	t.Helper()
	for _, service := range services {
		must(t, "scale", "deployment/"+service, fmt.Sprintf("--replicas=%d", replicas))
	}
	for _, service := range services {
		rolledOut(t, service)
	}
}

// rolledOut waits until a service is rolled out and its old pods are gone.
func rolledOut(t testing.TB, service string) {
	t.Helper()
	end := time.Now().Add(rolloutLimit())
	for {
		found, err := list[workload]("deployments", "--field-selector", "metadata.name="+service)
		if err != nil {
			t.Fatal(err)
		}
		all, err := list[pod]("pods", "--selector", selector(service))
		if err != nil {
			t.Fatal(err)
		}
		if found[0].rolledOut() && len(all) == found[0].Spec.Replicas {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%s is not rolled out in time:\n%s", service, explain(all))
		}
		time.Sleep(300 * time.Millisecond)
	}
}
