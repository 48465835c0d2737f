package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/rectohq/recto/tests/harness"
)

// Invalid variables of each part, with the beginning of the error for each. The error is ""
// for variables that are valid or not Recto's.
var (
	commonMistakes = map[string]string{
		"LOG_LEVEL=loud":                             "LOG_LEVEL is not a valid level",
		"METRICS_ADDR=9464":                          "METRICS_ADDR must be host:port or :port",
		"METRICS_ADRR=:9464":                         "METRICS_ADRR is not known; did you mean METRICS_ADDR?",
		"OTEL_EXPORTER_OTLP_ENDPOINT=collector:4318": "OTEL_EXPORTER_OTLP_ENDPOINT must be a URL that begins with http:// or https://",
		"NATS_CLAIM_TTL=soon":                        "NATS_CLAIM_TTL is not a valid duration",
		"NATS_ULR=nats://hidden@127.0.0.1":           "NATS_ULR is not known; did you mean NATS_URL?",
		"NATS_SERVICE_HOST=10.0.0.1":                 "", // set by Kubernetes
		"S3_PORT_9000_TCP_ADDR=10.0.0.1":             "",
	}
	s3Mistakes = map[string]string{
		"S3_ENDPOINT=http://hidden@minio:9000": "S3_ENDPOINT must be http:// or https://, a host and an optional port",
		"S3_PUBLIC_ENDPOINT=files.example":     "S3_PUBLIC_ENDPOINT must be http:// or https://",
		"S3_BUCKET=Recto":                      "S3_BUCKET must be the name of a bucket",
		"S3_ACCES_KEY=hidden":                  "S3_ACCES_KEY is not known; did you mean S3_ACCESS_KEY?",
		"S3_SECRET_KEY_FILE=/nowhere":          "S3_SECRET_KEY_FILE: open /nowhere: no such file",
		"S3_PATH_STYLE=maybe":                  "S3_PATH_STYLE is not a valid boolean",
		"S3_PUBLIC_PATH_STYLE=perhaps":         "S3_PUBLIC_PATH_STYLE is not a valid boolean",
		"S3_CREATE_BUCKET=never":               "S3_CREATE_BUCKET is not a valid boolean",
		"S3_CA_FILE=/nowhere":                  "S3_CA_FILE: open /nowhere: no such file",
		"S3_BACKUP=elsewhere":                  "", // not Recto's
		"":                                     "S3_ACCESS_KEY must be set: access key",
	}
	documentMistakes = map[string]string{
		"DOCUMENT_POOL=0":                "DOCUMENT_POOL must be at least 1",
		"DOCUMENT_SHUTDOWN_GRACE=0s":     "DOCUMENT_SHUTDOWN_GRACE must be longer than 0s",
		"DOCUMENT_UPLOAD_URL_TTL=169h":   "DOCUMENT_UPLOAD_URL_TTL must be from 1s to 168h",
		"DOCUMENT_DOWNLOAD_URL_TTL=0s":   "DOCUMENT_DOWNLOAD_URL_TTL must be from 1s to 168h",
		"DOCUMENT_LIST_TIMEOUT=-5s":      "DOCUMENT_LIST_TIMEOUT must be longer than 0s",
		"DOCUMENT_MAX_CONTENT=-1":        "DOCUMENT_MAX_CONTENT must be from 1 to 1073741824",
		"DOCUMENT_SEAL_EVERY=0s":         "DOCUMENT_SEAL_EVERY must be longer than 0s",
		"DOCUMENT_PURGE_AFTER=-1h":       "DOCUMENT_PURGE_AFTER must be at least 0s",
		"DOCUMENT_PURGE_EVERY=sometimes": "DOCUMENT_PURGE_EVERY is not a valid duration",
		"DOCUMENT_TYPO=1":                "DOCUMENT_TYPO is not known",
		"DOCUMENT_PORT=tcp://10.0.0.1:1": "",
	}
	conversionMistakes = map[string]string{
		"CONVERSION_WORKERS=-1":          "CONVERSION_WORKERS must not be negative",
		"CONVERSION_TIMEOUT=0s":          "CONVERSION_TIMEOUT must be longer than 0s",
		"CONVERSION_DOWNLOAD_URL_TTL=8d": "CONVERSION_DOWNLOAD_URL_TTL is not a valid duration",
		"CONVERSION_KEEP=0s":             "CONVERSION_KEEP must be longer than 0s",
		"CONVERSION_MEMORY=-1":           "CONVERSION_MEMORY is not a valid integer",
		"CONVERSION_ACK_WAIT=1ms":        "CONVERSION_ACK_WAIT must be at least 1s",
		"CONVERSION_JOB_BUDGET=0s":       "CONVERSION_JOB_BUDGET must be longer than 0s",
		"CONVERSION_MAX_TRIES=0":         "CONVERSION_MAX_TRIES must be at least 1",
		"CONVERSION_QUEUE=0":             "CONVERSION_QUEUE must be at least 1",
		"CONVERSION_SHARE=-3":            "CONVERSION_SHARE must be at least 1",
		"CONVERSION_KEEP_DEAD=-1h":       "CONVERSION_KEEP_DEAD must be longer than 0s",
		"CONVERSION_PDF_MEMORY=1":        "CONVERSION_PDF_MEMORY must be at least 268435456",
		"CONVERSION_PDF_TIMEOUT=0s":      "CONVERSION_PDF_TIMEOUT must be longer than 0s",
		"CONVERSION_PDF_PROCESSES=0":     "CONVERSION_PDF_PROCESSES must be at least 1",
		"CONVERSION_PDF_PAGES=0":         "CONVERSION_PDF_PAGES must be at least 1",
		"CONVERSION_SCRATCH=/nowhere":    "CONVERSION_SCRATCH: stat /nowhere: no such file",
		"CONVERSION_POOL=none":           "CONVERSION_POOL is not a valid integer",
		"CONVERSION_SHUTDOWN_GRACE=0s":   "CONVERSION_SHUTDOWN_GRACE must be longer than 0s",
		"CONVERSION_TYPO=1":              "CONVERSION_TYPO is not known",
	}
	annotationMistakes = map[string]string{
		"ANNOTATION_WORKERS=-1":          "ANNOTATION_WORKERS must not be negative",
		"ANNOTATION_MEMORY=1000":         "ANNOTATION_MEMORY must be at least 1048576",
		"ANNOTATION_DOWNLOAD_URL_TTL=0s": "ANNOTATION_DOWNLOAD_URL_TTL must be from 1s to 168h",
		"ANNOTATION_KEEP=0s":             "ANNOTATION_KEEP must be longer than 0s",
		"ANNOTATION_KEEP_FIELDS=-1h":     "ANNOTATION_KEEP_FIELDS must be longer than 0s",
		"ANNOTATION_ACK_WAIT=1ms":        "ANNOTATION_ACK_WAIT must be at least 1s",
		"ANNOTATION_JOB_BUDGET=0s":       "ANNOTATION_JOB_BUDGET must be longer than 0s",
		"ANNOTATION_MAX_TRIES=0":         "ANNOTATION_MAX_TRIES must be at least 1",
		"ANNOTATION_QUEUE=0":             "ANNOTATION_QUEUE must be at least 1",
		"ANNOTATION_SHARE=-3":            "ANNOTATION_SHARE must be at least 1",
		"ANNOTATION_KEEP_DEAD=soon":      "ANNOTATION_KEEP_DEAD is not a valid duration",
		"ANNOTATION_SCRATCH=/nowhere":    "ANNOTATION_SCRATCH: stat /nowhere: no such file",
		"ANNOTATION_PDF_MEMORY=1":        "ANNOTATION_PDF_MEMORY must be at least 268435456",
		"ANNOTATION_PDF_TIMEOUT=0s":      "ANNOTATION_PDF_TIMEOUT must be longer than 0s",
		"ANNOTATION_PDF_PROCESSES=0":     "ANNOTATION_PDF_PROCESSES must be at least 1",
		"ANNOTATION_PDF_PAGES=0":         "ANNOTATION_PDF_PAGES must be at least 1",
		"ANNOTATION_POOL=0":              "ANNOTATION_POOL must be at least 1",
		"ANNOTATION_SHUTDOWN_GRACE=0s":   "ANNOTATION_SHUTDOWN_GRACE must be longer than 0s",
		"ANNOTATION_TYPO=1":              "ANNOTATION_TYPO is not known",
	}
	insightMistakes = map[string]string{
		"INSIGHT_WORKERS=-1":          "INSIGHT_WORKERS must not be negative",
		"INSIGHT_DOWNLOAD_URL_TTL=0s": "INSIGHT_DOWNLOAD_URL_TTL must be from 1s to 168h",
		"INSIGHT_KEEP=0s":             "INSIGHT_KEEP must be longer than 0s",
		"INSIGHT_ACK_WAIT=1ms":        "INSIGHT_ACK_WAIT must be at least 1s",
		"INSIGHT_JOB_BUDGET=0s":       "INSIGHT_JOB_BUDGET must be longer than 0s",
		"INSIGHT_MAX_TRIES=0":         "INSIGHT_MAX_TRIES must be at least 1",
		"INSIGHT_QUEUE=0":             "INSIGHT_QUEUE must be at least 1",
		"INSIGHT_SHARE=-3":            "INSIGHT_SHARE must be at least 1",
		"INSIGHT_KEEP_DEAD=soon":      "INSIGHT_KEEP_DEAD is not a valid duration",
		"INSIGHT_PROGRESS_KEEP=1ms":   "INSIGHT_PROGRESS_KEEP must be at least 1s",
		"INSIGHT_PROGRESS_BYTES=1000": "INSIGHT_PROGRESS_BYTES must be at least 1048576",
		"INSIGHT_PDF_MEMORY=1":        "INSIGHT_PDF_MEMORY must be at least 268435456",
		"INSIGHT_PDF_TIMEOUT=0s":      "INSIGHT_PDF_TIMEOUT must be longer than 0s",
		"INSIGHT_PDF_PROCESSES=0":     "INSIGHT_PDF_PROCESSES must be at least 1",
		"INSIGHT_PDF_PAGES=0":         "INSIGHT_PDF_PAGES must be at least 1",
		"INSIGHT_URL_ALLOW=10.0.0.1":  "INSIGHT_URL_ALLOW: \"10.0.0.1\" is not a network such as 10.0.0.0/8",
		"INSIGHT_URL_HTTP=perhaps":    "INSIGHT_URL_HTTP is not a valid boolean",
		"INSIGHT_URL_PORTS=https":     "INSIGHT_URL_PORTS: \"https\" is not a port from 1 to 65535",
		"INSIGHT_URL_MAX_BYTES=0":     "INSIGHT_URL_MAX_BYTES must be at least 1",
		"INSIGHT_URL_TIMEOUT=0s":      "INSIGHT_URL_TIMEOUT must be longer than 0s",
		"INSIGHT_URL_CA_FILE=/none":   "INSIGHT_URL_CA_FILE: open /none: no such file",
		"INSIGHT_SCRATCH=/nowhere":    "INSIGHT_SCRATCH: stat /nowhere: no such file",
		"INSIGHT_POOL=0":              "INSIGHT_POOL must be at least 1",
		"INSIGHT_SHUTDOWN_GRACE=0s":   "INSIGHT_SHUTDOWN_GRACE must be longer than 0s",
		"INSIGHT_TYPO=1":              "INSIGHT_TYPO is not known",
	}
	gatewayMistakes = map[string]string{
		"GATEWAY_ADDR=8443":                       "GATEWAY_ADDR must be host:port or :port",
		"GATEWAY_REDIS_URL=http://:hidden@redis":  "GATEWAY_REDIS_URL: redis: invalid URL scheme: http",
		"GATEWAY_KEY_PEPPERS=hidden":              "GATEWAY_KEY_PEPPERS: ",
		"GATEWAY_IDEMPOTENCY_LEASE=1ms":           "GATEWAY_IDEMPOTENCY_LEASE must be at least 10ms",
		"GATEWAY_PUBLIC_URL=https://api.example/": "GATEWAY_PUBLIC_URL must be https://, a host",
		"GATEWAY_DOCS_URL=docs.example":           "GATEWAY_DOCS_URL must be a URL",
		"GATEWAY_TLS_CERT_FILE=/nowhere":          "GATEWAY_TLS_CERT_FILE, GATEWAY_TLS_KEY_FILE: open /nowhere: no such file",
		"GATEWAY_TLS_KEY_FILE=/nowhere":           "",
		"GATEWAY_TRUSTED_PROXIES=10.0.0.1":        `GATEWAY_TRUSTED_PROXIES: "10.0.0.1" is not a network`,
		"GATEWAY_HSTS=-1s":                        "GATEWAY_HSTS must be at least 0s",
		"GATEWAY_MAX_BODY=0":                      "GATEWAY_MAX_BODY must be at least 1",
		"GATEWAY_MAX_ANNOTATE_BODY=-1":            "GATEWAY_MAX_ANNOTATE_BODY must be at least 1",
		"GATEWAY_BODY_MEMORY=-1":                  "GATEWAY_BODY_MEMORY must be at least GATEWAY_MAX_BODY",
		"GATEWAY_BUDGET=0s":                       "GATEWAY_BUDGET must be longer than 0s",
		"GATEWAY_LONG_BUDGET=long":                "GATEWAY_LONG_BUDGET is not a valid duration",
		"GATEWAY_READ_TIMEOUT=0s":                 "GATEWAY_READ_TIMEOUT must be longer than 0s",
		"GATEWAY_WRITE_TIMEOUT=0s":                "GATEWAY_WRITE_TIMEOUT must be longer than 0s",
		"GATEWAY_IDLE_TIMEOUT=0s":                 "GATEWAY_IDLE_TIMEOUT must be longer than 0s",
		"GATEWAY_MAX_CONNECTIONS=0":               "GATEWAY_MAX_CONNECTIONS must be at least 1",
		"GATEWAY_FAILED_KEYS=0":                   "GATEWAY_FAILED_KEYS must be at least 1",
		"GATEWAY_DRAIN_DELAY=-1s":                 "GATEWAY_DRAIN_DELAY must be at least 0s",
		"GATEWAY_SHUTDOWN_GRACE=0s":               "GATEWAY_SHUTDOWN_GRACE must be longer than 0s",
		"GATEWAY_TYPO=1":                          "GATEWAY_TYPO is not known",
	}
)

// missing returns the errors for variables that are not set.
func missing(names ...string) map[string]string {
	mistakes := map[string]string{}
	for i, name := range names {
		mistakes[strings.Repeat(" ", i+1)] = name + " must be set"
	}
	return mistakes
}

// TestRefusedConfigurations starts each program with every possible mistake in its
// variables. It reports all of them at once, and nothing else.
func TestRefusedConfigurations(t *testing.T) {
	harness.StandaloneOnly(t)
	only := func(mistakes map[string]string, prefixes ...string) map[string]string {
		chosen := map[string]string{}
		for variable, said := range mistakes {
			if slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(variable, prefix) }) {
				chosen[variable] = said
			}
		}
		return chosen
	}
	// The standalone program sets these itself. It refuses those that no other program has.
	own := map[string]string{
		"S3_ENDPOINT=x": "", "S3_ACCESS_KEY=x": "", "METRICS_ADDR=x": "", "GATEWAY_PUBLIC_URL=x": "GATEWAY_PUBLIC_URL is not supported by recto up: use --public-url",
		"GATEWAY_TLS_KEY_FILE=/nowhere": "GATEWAY_TLS_KEY_FILE is not supported by recto up", "GATEWAY_KEY_PEPPERS=hidden": "GATEWAY_KEY_PEPPERS is not supported by recto up",
	}
	for _, tc := range []struct {
		program  string
		mistakes []map[string]string
	}{
		{"gateway", []map[string]string{missing("GATEWAY_DATABASE", "GATEWAY_KEY_PEPPERS", "GATEWAY_IDEMPOTENCY_DATABASE", "GATEWAY_TLS_CERT_FILE and GATEWAY_TLS_KEY_FILE"), {"S3_ACCES_KEY=x": ""}}},
		{"gateway", []map[string]string{commonMistakes, gatewayMistakes, missing("GATEWAY_DATABASE", "GATEWAY_IDEMPOTENCY_DATABASE")}},
		{"document", []map[string]string{missing("DOCUMENT_DATABASE", "S3_ENDPOINT", "S3_ACCESS_KEY", "S3_SECRET_KEY")}},
		{"document", []map[string]string{commonMistakes, s3Mistakes, documentMistakes, missing("DOCUMENT_DATABASE")}},
		{"conversion", []map[string]string{missing("CONVERSION_DATABASE", "S3_ENDPOINT", "S3_ACCESS_KEY", "S3_SECRET_KEY")}},
		{"conversion", []map[string]string{commonMistakes, s3Mistakes, conversionMistakes, missing("CONVERSION_DATABASE")}},
		{"annotation", []map[string]string{missing("ANNOTATION_DATABASE", "S3_ENDPOINT", "S3_ACCESS_KEY", "S3_SECRET_KEY")}},
		{"annotation", []map[string]string{commonMistakes, s3Mistakes, annotationMistakes, missing("ANNOTATION_DATABASE")}},
		{"insight", []map[string]string{missing("INSIGHT_DATABASE", "S3_ENDPOINT", "S3_ACCESS_KEY", "S3_SECRET_KEY")}},
		{"insight", []map[string]string{commonMistakes, s3Mistakes, insightMistakes, missing("INSIGHT_DATABASE")}},
		{"recto", []map[string]string{
			own, documentMistakes, conversionMistakes, annotationMistakes, insightMistakes, only(commonMistakes, "LOG", "OTEL", "NATS_CLAIM", "NATS_SERVICE"), only(s3Mistakes, "S3_BUCKET", "S3_CREATE", "S3_BACKUP"),
			only(gatewayMistakes, "GATEWAY_REDIS", "GATEWAY_IDEMPOTENCY", "GATEWAY_MAX", "GATEWAY_TYPO"),
		}},
	} {
		refuses(t, tc.program, tc.mistakes)
	}
}

// refuses starts a program with mistakes and compares the errors that it reports with the
// expected ones.
func refuses(t *testing.T, program string, mistakes []map[string]string) {
	t.Helper()
	var environ, want []string
	for _, class := range mistakes {
		for variable, said := range class {
			if strings.Contains(variable, "=") {
				environ = append(environ, variable)
			}
			if said != "" {
				want = append(want, said)
			}
		}
	}
	binary, args := command(t, program)
	cmd := exec.CommandContext(t.Context(), binary, args...)
	cmd.Env = append(os.Environ(), environ...)
	out, err := cmd.CombinedOutput()
	if err == nil {
		t.Errorf("%s starts despite its configuration", program)
	}
	if strings.Contains(string(out), "hidden") {
		t.Errorf("%s prints a value that may be a secret:\n%s", program, out)
	}
	_, list, _ := strings.Cut(string(out), "the configuration has problems:\n")
	told := strings.Split(strings.TrimSuffix(list, "\n"), "\n")
	for _, line := range told {
		if !slices.ContainsFunc(want, func(said string) bool { return strings.HasPrefix(line, "  "+said) }) {
			t.Errorf("%s reports an unexpected problem: %q", program, line)
		}
	}
	for _, said := range want {
		if !slices.ContainsFunc(told, func(line string) bool { return strings.HasPrefix(line, "  "+said) }) {
			t.Errorf("%s does not report %q", program, said)
		}
	}
	if len(told) != len(want) || t.Failed() {
		t.Errorf("%s reports %d problems, want %d:\n%s", program, len(told), len(want), out)
	}
}

// command returns the path of a program and the arguments to start it with.
func command(t *testing.T, program string) (binary string, args []string) {
	t.Helper()
	if program == "recto" {
		binary, err := harness.Binary()
		if err != nil {
			t.Fatal(err)
		}
		return binary, []string{"up", "--data", t.TempDir(), "--addr", "127.0.0.1:0", "--objects-addr", "127.0.0.1:0"}
	}
	pkg := fmt.Sprintf("services/%[1]s/cmd/%[1]s", program)
	if program == "gateway" {
		pkg = "gateway/cmd/gateway"
	}
	binary, err := harness.Build(program, pkg)
	if err != nil {
		t.Fatal(err)
	}
	return binary, nil
}

// TestHelp checks that the help of each program lists its variables.
func TestHelp(t *testing.T) {
	harness.StandaloneOnly(t)
	for program, want := range map[string][]string{
		"gateway": {"NATS_URL", "GATEWAY_ADDR"}, "document": {"NATS_URL", "S3_BUCKET", "DOCUMENT_POOL"}, "conversion": {"NATS_URL", "S3_BUCKET", "CONVERSION_POOL"},
		"annotation": {"NATS_URL", "S3_BUCKET", "ANNOTATION_POOL"}, "insight": {"NATS_URL", "S3_BUCKET", "INSIGHT_POOL"},
		"recto": {"GATEWAY_BUDGET", "DOCUMENT_POOL", "CONVERSION_POOL", "ANNOTATION_POOL", "INSIGHT_POOL"},
	} {
		binary, args := command(t, program)
		args = append(slices.Clip(args), "--help")
		help, err := exec.CommandContext(t.Context(), binary, args...).CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v", program, err)
		}
		for _, name := range want {
			if !strings.Contains(string(help), name) {
				t.Errorf("the help of %s does not name %s:\n%s", program, name, help)
			}
		}
	}
}
