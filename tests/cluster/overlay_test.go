package cluster

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/rectohq/recto/tests/harness"
)

// overlay writes an overlay into dir, an empty folder, and returns dir. It is on top of
// the folder base with the components; their paths are relative to k8s. More is further
// YAML.
func overlay(dir, base, more string, components ...string) (string, error) {
	names, err := harness.ImageNames()
	if err != nil {
		return "", err
	}
	dir, err = filepath.EvalSymlinks(dir)
	if err != nil {
		return "", err
	}
	up, err := filepath.Rel(dir, filepath.Join(harness.Root(), "k8s"))
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [%s/%s]\n%scomponents:\n", up, base, more)
	for _, component := range components {
		fmt.Fprintf(&b, "  - %s/components/%s\n", up, component)
	}
	b.WriteString("images:\n")
	for _, service := range services {
		fmt.Fprintf(&b, "  - {name: recto/%s, newTag: %q}\n", service, names["RECTO_VERSION"])
	}
	for _, server := range []string{"NATS", "MONGODB", "REDIS", "S3"} {
		name, tag, _ := strings.Cut(names["RECTO_TEST_"+server+"_IMAGE"], ":")
		fmt.Fprintf(&b, "  - {name: recto/test-%s, newName: %s, newTag: %q}\n", strings.ToLower(server), name, tag)
	}
	return dir, os.WriteFile(filepath.Join(dir, "kustomization.yaml"), []byte(b.String()), 0o600)
}

// devOverlay writes the dev overlay with the addresses that clients in the cluster use.
// More is further YAML.
func devOverlay(dir, more string, components ...string) (string, error) {
	return overlay(dir, "overlays/dev", `namespace: `+harness.Namespace+`
configMapGenerator:
  - {name: gateway, behavior: merge, literals: [GATEWAY_PUBLIC_URL=`+gatewayURL+`]}
  - {name: objects, behavior: merge, literals: [S3_PUBLIC_ENDPOINT=`+objectsURL+`]}
secretGenerator:
`+patientDatabases()+more, components...)
}

// patientDatabases are the secrets with the URLs of the databases, with timeouts that a busy machine does
// not reach. They are shorter than the time that the gateway waits for a service.
func patientDatabases() string {
	const command, selection = 25 * time.Second, 20 * time.Second
	var secrets strings.Builder
	for _, service := range services {
		fmt.Fprintf(&secrets, "  - {name: %[1]s, behavior: merge, literals: ['database=mongodb://mongodb:27017/recto_%[1]s?timeoutMS=%[2]d&serverSelectionTimeoutMS=%[3]d&connectTimeoutMS=%[3]d']}\n",
			service, command.Milliseconds(), selection.Milliseconds())
	}
	return secrets.String()
}
