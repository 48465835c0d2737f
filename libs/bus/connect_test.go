package bus_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"

	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/bus/bustest"
	"github.com/rectohq/recto/libs/telemetry"
	"github.com/rectohq/recto/libs/testkit/patience"
	"github.com/rectohq/recto/libs/testkit/pkitest"
)

// listen starts a NATS server on loopback that stops when the test ends.
func listen(t *testing.T, options server.Options) *server.Server {
	t.Helper()
	options.Host, options.NoSigs, options.JetStream = "127.0.0.1", true, true
	if options.Port == 0 {
		options.Port = server.RANDOM_PORT
	}
	if options.StoreDir == "" {
		options.StoreDir = t.TempDir()
	}
	s, err := server.NewServer(&options)
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	if !s.ReadyForConnections(patience.Limit()) {
		t.Fatal("NATS did not start")
	}
	return s
}

// connect connects with the test configuration as modified by change.
func connect(ctx context.Context, t *testing.T, name, url string, change func(*bus.Config)) (*bus.Conn, error) {
	t.Helper()
	tel, err := telemetry.New(t.Context(), name, telemetry.Config{}, t.Output())
	if err != nil {
		t.Fatal(err)
	}
	cfg := bustest.Config()
	cfg.URL = url
	if change != nil {
		change(&cfg)
	}
	conn, err := bus.Connect(ctx, name, cfg, tel)
	if err == nil {
		t.Cleanup(func() { _ = conn.Close() })
	}
	return conn, err
}

// soon is a short context for waits that are expected to time out. Waits for something
// that must happen retry, or use patience.Context.
func soon(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// TestConnectWaits connects before NATS is up, and before the cluster has a leader.
func TestConnectWaits(t *testing.T) {
	cluster := bustest.NewCluster(t, 3)
	for i := range 3 {
		cluster.Kill(i)
	}
	if _, err := connect(soon(t), t, "early", cluster.URL(), nil); err == nil || !strings.Contains(err.Error(), "no NATS server at nats://127.0.0.1") {
		t.Errorf("without a server the error is %v", err)
	}
	connected := make(chan error, 1)
	go func() {
		_, err := connect(patience.Context(t), t, "patient", cluster.URL(), func(c *bus.Config) { c.Replicas = 3 })
		connected <- err
	}()
	cluster.Start(0)
	if _, err := connect(soon(t), t, "early", cluster.URL(), nil); err == nil {
		t.Error("one server of three provides a stream")
	}
	cluster.Start(1)
	cluster.Start(2)
	if err := <-connected; err != nil {
		t.Error(err)
	}
}

// TestConnectIsRefused checks that errors which waiting does not fix are returned at
// once, and contain no secret.
func TestConnectIsRefused(t *testing.T) {
	pki, err := pkitest.New(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	certificate, key, err := pki.Issue("server", "127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	clientCertificate, clientKey, err := pki.Issue("gateway")
	if err != nil {
		t.Fatal(err)
	}
	withTLS := func(o server.Options) server.Options {
		config, err := server.GenTLSConfig(&server.TLSConfigOpts{CertFile: certificate, KeyFile: key, CaFile: pki.File, Verify: o.TLSVerify})
		if err != nil {
			t.Fatal(err)
		}
		o.TLS, o.TLSConfig = true, config
		return o
	}
	plain := listen(t, server.Options{Username: "gateway", Password: "secret"})
	secure := listen(t, withTLS(server.Options{}))
	mutual := listen(t, withTLS(server.Options{TLSVerify: true}))
	trust := func(c *bus.Config) { c.CAFile = pki.File }
	for _, tc := range []struct {
		name, url string
		change    func(*bus.Config)
		want      string // part of the error, or "" for none
	}{
		{"the right password", plain.ClientURL(), func(c *bus.Config) { c.User, c.Password = "gateway", "secret" }, ""},
		{"no user", plain.ClientURL(), nil, "check NATS_USER"},
		{"a wrong password", plain.ClientURL(), func(c *bus.Config) { c.User, c.Password = "gateway", "hidden" }, "check NATS_USER"},
		{"a wrong user in the URL", "nats://gateway:hidden@" + plain.Addr().String(), nil, "check NATS_USER"},
		{"TLS to a server without it", "tls://" + plain.Addr().String(), func(c *bus.Config) { c.User, c.Password = "gateway", "secret" }, "does not offer TLS"},
		{"a trusted CA", secure.ClientURL(), trust, ""},
		{"an unknown CA", "tls://" + secure.Addr().String(), nil, "set NATS_CA_FILE"},
		{"another host name", "tls://localhost:" + strings.Split(secure.Addr().String(), ":")[1], trust, "set NATS_CA_FILE"},
		{"a client certificate", mutual.ClientURL(), func(c *bus.Config) {
			trust(c)
			c.CertFile, c.KeyFile = clientCertificate, clientKey
		}, ""},
		{"no client certificate", mutual.ClientURL(), trust, "set NATS_CERT_FILE"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := connect(patience.Context(t), t, "gateway", tc.url, tc.change)
			switch {
			case tc.want == "" && err != nil:
				t.Error(err)
			case tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want) || !strings.Contains(err.Error(), "127.0.0.1") && !strings.Contains(err.Error(), "localhost")):
				t.Errorf("the error is %v, without %q", err, tc.want)
			case err != nil && strings.Contains(err.Error(), "hidden"):
				t.Errorf("the error contains the password: %v", err)
			}
		})
	}
}

// TestCredentials connects with a credentials file, as created by an operator of
// accounts.
func TestCredentials(t *testing.T) {
	operator, account, system, user := newKey(t, nkeys.CreateOperator), newKey(t, nkeys.CreateAccount), newKey(t, nkeys.CreateAccount), newKey(t, nkeys.CreateUser)
	resolver := &server.MemAccResolver{}
	for _, key := range []nkeys.KeyPair{account, system} {
		claims := jwt.NewAccountClaims(public(t, key))
		if key == account {
			claims.Limits.JetStreamLimits = jwt.JetStreamLimits{MemoryStorage: -1, DiskStorage: -1}
		}
		token, err := claims.Encode(operator)
		if err == nil {
			err = resolver.Store(public(t, key), token)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	userToken, err := jwt.NewUserClaims(public(t, user)).Encode(account)
	if err != nil {
		t.Fatal(err)
	}
	s := listen(t, server.Options{TrustedKeys: []string{public(t, operator)}, AccountResolver: resolver, SystemAccount: public(t, system)})
	seed, err := user.Seed()
	if err != nil {
		t.Fatal(err)
	}
	content, err := jwt.FormatUserConfig(userToken, seed)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "gateway.creds")
	if err := os.WriteFile(file, content, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := connect(patience.Context(t), t, "gateway", s.ClientURL(), func(c *bus.Config) { c.Credentials = file }); err != nil {
		t.Error(err)
	}
	if _, err := connect(patience.Context(t), t, "gateway", s.ClientURL(), nil); err == nil || !strings.Contains(err.Error(), "NATS_CREDENTIALS") {
		t.Errorf("without credentials the error is %v", err)
	}
}

func newKey(t *testing.T, create func() (nkeys.KeyPair, error)) nkeys.KeyPair {
	t.Helper()
	key, err := create()
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func public(t *testing.T, key nkeys.KeyPair) string {
	t.Helper()
	name, err := key.PublicKey()
	if err != nil {
		t.Fatal(err)
	}
	return name
}

// TestConfigValidate checks that all problems are reported at once, without secrets.
func TestConfigValidate(t *testing.T) {
	if problems := bustest.Config().Validate(); len(problems) > 0 {
		t.Errorf("a valid configuration has the problems %v", problems)
	}
	good := bustest.Config()
	good.URL = "nats://a, tls://b:4223,c,[::1]:4222"
	if problems := good.Validate(); len(problems) > 0 {
		t.Errorf("a valid list of servers has the problems %v", problems)
	}
	notPEM := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(notPEM, []byte("no certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	bad := bus.Config{
		URL:  "nats://fine:4222,http://me:hidden@b:4222,nats://me:hidden@[c:4222,,nats://d:99999",
		User: "gateway", Credentials: filepath.Join(t.TempDir(), "absent.creds"), CAFile: notPEM, CertFile: "cert.pem", Replicas: 2,
	}
	var all []string
	for _, problem := range bad.Validate() {
		all = append(all, problem.Error())
	}
	text := strings.Join(all, "\n")
	for _, want := range []string{
		`NATS_URL: "http://b:4222"`, `NATS_URL: "nats://[c:4222"`, `NATS_URL: ""`, `NATS_URL: "nats://d:99999"`, "NATS_USER and NATS_PASSWORD", "mutually exclusive",
		"NATS_CREDENTIALS: open", "NATS_CA_FILE: " + notPEM, "NATS_CERT_FILE and NATS_KEY_FILE", "NATS_CLAIM_BYTES", "NATS_REPLICAS must be 1, 3 or 5",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is not among\n%s", want, text)
		}
	}
	if strings.Contains(text, "hidden") || strings.Contains(text, "fine") {
		t.Errorf("a secret, or a valid server, is repeated:\n%s", text)
	}
}
