package harness

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/rectohq/recto/libs/testkit/pkitest"
)

// services are Recto's services. The gateway comes last because it needs the others.
var services = []string{"document", "conversion", "annotation", "insight", "gateway"}

// region is the object store's region: the default one, as servers in containers have
// no other.
const region = "us-east-1"

// The credentials of the object store.
const (
	objectsAccessKey = "access"
	objectsSecretKey = "a secret of tests"
)

// surroundings holds the addresses and secrets that deployed services are configured
// with.
type surroundings struct {
	// bus returns the variables with which a service connects to NATS.
	bus func(service string) []string
	// database returns the value of the DATABASE variable of a part.
	database func(part string) string
	// objects is the URL of the object store for services, and publicObjects for
	// tests.
	objects, publicObjects string
	redis                  string
	// addr is the address that the gateway listens on, and publicURL its URL for
	// tests.
	addr, publicURL string
	certificate     certificate
	pepper          string
}

// certificate holds the file paths of a server certificate for this machine.
type certificate struct{ ca, cert, key string }

// makeCertificate creates a certificate authority in dir, and a certificate that it
// issues for loopback and the given names.
func makeCertificate(dir string, names ...string) (c certificate, err error) {
	authority, err := pkitest.New(dir)
	if err != nil {
		return c, err
	}
	c.ca = authority.File
	c.cert, c.key, err = authority.Issue("server", append(names, "localhost", "127.0.0.1", "::1")...)
	return c, err
}

// newPepper returns a new value for GATEWAY_KEY_PEPPERS.
func newPepper() string {
	pepper := make([]byte, 32)
	_, _ = rand.Read(pepper)
	return "1:" + base64.StdEncoding.EncodeToString(pepper)
}

// env returns the environment variables of a service.
func (s surroundings) env(service string) []string {
	env := s.bus(service)
	objects := []string{
		"S3_ENDPOINT=" + s.objects, "S3_PUBLIC_ENDPOINT=" + s.publicObjects, "S3_REGION=" + region,
		"S3_ACCESS_KEY=" + objectsAccessKey, "S3_SECRET_KEY=" + objectsSecretKey,
	}
	switch service {
	case "document":
		env = append(env, "DOCUMENT_DATABASE="+s.database("document"))
		env = append(env, objects...)
	case "conversion":
		env = append(env, "CONVERSION_DATABASE="+s.database("conversion"))
		env = append(env, objects...)
	case "annotation":
		env = append(env, "ANNOTATION_DATABASE="+s.database("annotation"))
		env = append(env, objects...)
	case "insight":
		env = append(env, "INSIGHT_DATABASE="+s.database("insight"))
		env = append(env, objects...)
	case "gateway":
		env = append(env, "GATEWAY_ADDR="+s.addr, "GATEWAY_PUBLIC_URL="+s.publicURL, "GATEWAY_KEY_PEPPERS="+s.pepper,
			"GATEWAY_DATABASE="+s.database("gateway"), "GATEWAY_IDEMPOTENCY_DATABASE="+s.database("idempotency"),
			"GATEWAY_TLS_CERT_FILE="+s.certificate.cert, "GATEWAY_TLS_KEY_FILE="+s.certificate.key)
		if s.redis != "" {
			env = append(env, "GATEWAY_REDIS_URL="+s.redis)
		}
	}
	return env
}

// ownVariables returns env without the variables of other services: a deployed service
// needs only its own, and refuses unknown variables with its prefix.
func ownVariables(service string, env []string) []string {
	var own []string
	for _, v := range env {
		foreign := false
		for _, other := range services {
			foreign = foreign || other != service && strings.HasPrefix(v, strings.ToUpper(other)+"_")
		}
		if !foreign {
			own = append(own, v)
		}
	}
	return own
}

// commandOf returns the service whose program has the command.
func commandOf(args []string) (string, error) {
	if len(args) > 0 {
		switch args[0] {
		case "keys", "users":
			return "gateway", nil
		case "jobs":
			return "conversion", nil
		case "usage":
			return "insight", nil
		}
	}
	return "", fmt.Errorf("no service has the command %v", args)
}

// firstKey creates the first API key of a system on the command line.
func (s *System) firstKey(rate string) error {
	args := []string{"keys", "create", "--json", "--organization", "First", "--email", "first@example.com", "--name", "First"}
	if rate != "" {
		args = append(args, "--rate", rate)
	}
	out, err := s.running.command(context.Background(), args...)
	if err != nil {
		return fmt.Errorf("create the first key: %w", err)
	}
	if err := json.Unmarshal([]byte(out), &s.Credentials); err != nil {
		return fmt.Errorf("keys create --json prints %q: %w", out, err)
	}
	return nil
}
