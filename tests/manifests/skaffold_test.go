package manifests

import (
	"compress/gzip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"sigs.k8s.io/yaml"

	"github.com/rectohq/recto/tests/harness"
)

// schema is the JSON schema of skaffold.yaml: docs-v2/content/en/schemas/v4beta13.json of
// github.com/GoogleContainerTools/skaffold/v2 v2.16.1, Copyright 2019 The Skaffold Authors,
// under the Apache License 2.0.
const schema = "testdata/skaffold-v4beta13.json.gz"

// skaffoldConfig is what the tests read of skaffold.yaml.
type skaffoldConfig struct {
	Build struct {
		Artifacts []artifact `json:"artifacts"`
	} `json:"build"`
	PortForward []struct {
		ResourceName string `json:"resourceName"`
		Port         int32  `json:"port"`
	} `json:"portForward"`
	Profiles []struct {
		Name    string `json:"name"`
		Patches []struct {
			Op, Path string
			Value    any
		} `json:"patches"`
	} `json:"profiles"`
}

// artifact is an image that Skaffold builds.
type artifact struct {
	Image  string `json:"image"`
	Custom struct {
		BuildCommand string `json:"buildCommand"`
		Dependencies struct {
			Paths []string `json:"paths"`
		} `json:"dependencies"`
	} `json:"custom"`
}

// skaffold returns the text of skaffold.yaml and what it says.
func skaffold(t *testing.T) (text []byte, config skaffoldConfig) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(harness.Root(), "skaffold.yaml"))
	if err == nil {
		err = yaml.Unmarshal(text, &config)
	}
	if err != nil {
		t.Fatal(err)
	}
	return text, config
}

// TestSkaffoldSchema checks skaffold.yaml against the schema.
func TestSkaffoldSchema(t *testing.T) {
	file, err := os.Open(schema)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := jsonschema.UnmarshalJSON(unzipped)
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("skaffold.json", parsed); err != nil {
		t.Fatal(err)
	}
	compiled, err := compiler.Compile("skaffold.json")
	if err != nil {
		t.Fatal(err)
	}
	text, _ := skaffold(t)
	asJSON, err := yaml.YAMLToJSONStrict(text)
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(string(asJSON)))
	if err == nil {
		err = compiled.Validate(value)
	}
	if err != nil {
		t.Errorf("%#v", err)
	}
}

// TestSkaffoldImages checks that Skaffold builds exactly the images that each overlay uses.
func TestSkaffoldImages(t *testing.T) {
	_, config := skaffold(t)
	var dev []string
	for _, a := range config.Build.Artifacts {
		dev = append(dev, a.Image)
		command := "make images IMAGES=" + strings.TrimPrefix(a.Image, "recto/")
		if server, ok := strings.CutPrefix(a.Image, "recto/test-"); ok {
			command = "make test-images IMAGES=" + server
		}
		if a.Custom.BuildCommand != command {
			t.Errorf("%s is built with %s, want %s", a.Image, a.Custom.BuildCommand, command)
		}
	}
	var production []string
	for _, p := range config.Profiles {
		for _, patch := range p.Patches {
			if patch.Op == "replace" && strings.HasSuffix(patch.Path, "/image") {
				production = append(production, patch.Value.(string))
			}
		}
	}
	for variant, built := range map[string][]string{"overlays/dev": dev, "overlays/production": production} {
		var used []string
		for _, w := range workloads(rendered[variant]) {
			if name, _, _ := strings.Cut(w.container().Image, ":"); name != "nats" {
				used = append(used, name)
			}
		}
		slices.Sort(used)
		if slices.Sort(built); !slices.Equal(built, used) {
			t.Errorf("Skaffold builds %v for %s, which uses %v", built, variant, used)
		}
	}
}

// TestSkaffoldDependencies checks that the paths of each image exist, and that they cover
// every package of its program.
func TestSkaffoldDependencies(t *testing.T) {
	_, config := skaffold(t)
	for _, a := range config.Build.Artifacts {
		var folders []string
		for _, path := range a.Custom.Dependencies.Paths {
			folder, isFolder := strings.CutSuffix(path, "/**")
			if info, err := os.Stat(filepath.Join(harness.Root(), folder)); err != nil || info.IsDir() != isFolder {
				t.Errorf("%s depends on %s, which does not exist: %v", a.Image, path, err)
			}
			if isFolder {
				folders = append(folders, folder)
			}
		}
		service := strings.TrimPrefix(a.Image, "recto/")
		if !slices.Contains(services, service) {
			continue
		}
		part := "services/" + service
		if service == "gateway" {
			part = service
		}
		for _, folder := range packages(t, "./"+part+"/cmd/"+service, "./tests/sbom") {
			if !slices.ContainsFunc(folders, func(f string) bool { return folder == f || strings.HasPrefix(folder, f+"/") }) {
				t.Errorf("%s contains %s, which its paths lack: %v", a.Image, folder, folders)
			}
		}
	}
}

// packages returns the folders of the repository that the programs are built from.
func packages(t *testing.T, programs ...string) []string {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list", "-deps", "-f", "{{if not .Standard}}{{.Dir}}{{end}}"}, programs...)...)
	cmd.Dir = harness.Root()
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for dir := range strings.FieldsSeq(string(out)) {
		if folder, ok := strings.CutPrefix(dir, harness.Root()+"/"); ok && !strings.HasPrefix(folder, ".") {
			found = append(found, folder)
		}
	}
	if len(found) < 5 {
		t.Fatalf("%d packages", len(found))
	}
	return found
}

// TestSkaffoldPorts checks that forwarded ports exist.
func TestSkaffoldPorts(t *testing.T) {
	_, config := skaffold(t)
	var ports []string
	for _, w := range workloads(rendered["overlays/dev"]) {
		for _, p := range w.container().Ports {
			for _, f := range config.PortForward {
				if f.ResourceName == w.service() && f.Port == p.ContainerPort {
					ports = append(ports, w.name)
				}
			}
		}
	}
	if slices.Sort(ports); !slices.Equal(ports, []string{"gateway", "objects"}) {
		t.Errorf("Skaffold forwards ports of %v", ports)
	}
}
