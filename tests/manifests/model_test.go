package manifests

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	networkingv1 "k8s.io/api/networking/v1"
)

// ways returns what each Deployment of insight may connect to, without duplicates.
func ways(t *testing.T, variant string) map[string][]string {
	t.Helper()
	objects := rendered[variant]
	all, p := workloads(objects), policies{t, each[networkingv1.NetworkPolicy](objects)}
	found := map[string][]string{}
	for _, w := range all {
		if w.service() == "insight" {
			found[w.name] = slices.Compact(slices.Sorted(slices.Values(p.exits(w, all))))
		}
	}
	return found
}

// TestWaysToModel checks what the component model lets pods connect to. Without insight-urls,
// the workers still reach the public addresses that it allows, and the API does not.
func TestWaysToModel(t *testing.T) {
	before, after := ways(t, "overlays/zero"), ways(t, "overlays/model")
	inside := []string{
		"insight -> recto/model=allow:11434/TCP", "insight -> recto/model=allow:4000/TCP",
		"insight -> recto/model=allow:8000/TCP", "insight -> recto/model=allow:8080/TCP",
	}
	if want := slices.Sorted(slices.Values(slices.Concat(before["insight"], inside))); !slices.Equal(after["insight"], want) {
		t.Errorf("the workers may connect to %q\nwant %q", after["insight"], want)
	}
	if len(after["insight-api"]) == 0 || !slices.Equal(after["insight-api"], before["insight-api"]) {
		t.Errorf("the API may connect to %q\nwant %q", after["insight-api"], before["insight-api"])
	}
	egress := map[string][]networkingv1.NetworkPolicyEgressRule{}
	for _, p := range each[networkingv1.NetworkPolicy](rendered["overlays/model"]) {
		egress[p.Name] = p.Spec.Egress
	}
	if urls := egress["insight-urls"]; urls == nil || !reflect.DeepEqual(egress["to-model-provider"], urls) {
		t.Errorf("to-model-provider allows %v\ninsight-urls allows %v", egress["to-model-provider"], urls)
	}
}

// TestModelVariables checks that the API and the workers know the same model, and that only
// the workers know its key.
func TestModelVariables(t *testing.T) {
	objects := rendered["overlays/model"]
	known := map[string]map[string]string{}
	for _, w := range workloads(objects) {
		own := map[string]string{}
		for name, value := range environment(t, objects, w) {
			if strings.HasPrefix(name, "INSIGHT_MODEL") {
				own[name] = value
			}
		}
		if len(own) > 0 {
			known[w.name] = own
		}
		secret, mounted := files(w)["/etc/recto/model-key"]
		if worker := w.name == "insight"; mounted != worker || worker && trimHash(secret) != "insight-model" {
			t.Errorf("%s has the key of the model: %t %s", w.name, mounted, secret)
		}
	}
	model := map[string]string{
		"INSIGHT_MODEL_PROVIDER": "openai", "INSIGHT_MODEL": "example", "INSIGHT_MODEL_URL": "http://llama.models.svc:8080/v1",
	}
	withKey := maps.Clone(model)
	withKey["INSIGHT_MODEL_KEY_FILE"] = "/etc/recto/model-key"
	if want := map[string]map[string]string{"insight": withKey, "insight-api": model}; !reflect.DeepEqual(known, want) {
		t.Errorf("the variables are %v\nwant %v", known, want)
	}
}
