package harness

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
)

// ImageNames returns the images of this source tree, by variable, as
// deploy/images/names prints them.
var ImageNames = sync.OnceValues(func() (map[string]string, error) {
	cmd := exec.Command(filepath.Join(Root(), "deploy", "images", "names"))
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("deploy/images/names: %w", err)
	}
	return variables(strings.Fields(string(out))), nil
})

// serverImage returns the image of a server that tests use: MONGODB, REDIS, NATS, S3 or
// LLAMA.
func serverImage(server string) (string, error) { return imageOf("RECTO_TEST_" + server + "_IMAGE") }

// serviceImage returns the image of a service.
func serviceImage(service string) (string, error) {
	version, err := imageOf("RECTO_VERSION")
	return "recto/" + service + ":" + version, err
}

// imageOf returns the value of a variable that deploy/images/names prints.
func imageOf(variable string) (string, error) {
	all, err := ImageNames()
	if err != nil {
		return "", err
	}
	image, ok := all[variable]
	if !ok {
		return "", fmt.Errorf("deploy/images/names does not print %s", variable)
	}
	return image, nil
}

// objectsPort is the port of the object store.
const objectsPort = "9000"
