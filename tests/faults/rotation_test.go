package faults

import (
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"golang.org/x/crypto/bcrypt"

	"github.com/rectohq/recto/libs/testkit/patience"
	"github.com/rectohq/recto/libs/testkit/pkitest"
	"github.com/rectohq/recto/tests/harness"
)

// rotation is a system under a steady load, and the secrets that are replaced in it.
type rotation struct {
	t       *testing.T
	system  *harness.System
	cluster *harness.Cluster
	steady  *steady

	mongodb, redis, objects *harness.Container
	mongoDBPort             string // where it checks passwords
	// old and renewed are the authorities of the certificates before and after.
	old  string
	next *pkitest.Authority
	// peppers are the values of GATEWAY_KEY_PEPPERS with one pepper: before and after.
	peppers [2]string
	// key is the id of the key of the load.
	key string
}

// TestRotation replaces the secrets of a deployment, as docs/operations.md says, while
// clients send requests. No request fails, and each old secret is refused at the end.
//
// The key of the language model is replaced in a test of the insight service.
func TestRotation(t *testing.T) {
	containers(t)
	r := &rotation{t: t, peppers: [2]string{newPepper("1"), newPepper("2")}}
	r.prepare()
	for _, step := range []struct {
		secret string
		rotate func()
	}{
		{"the API key", r.apiKey},
		{"the certificates and their authority", r.certificates},
		{"the password of Redis", r.redisPassword},
		{"the pepper", r.pepper},
		{"the passwords of NATS and of MongoDB", r.servicePasswords},
		{"the key of the object store", r.objectsKey},
	} {
		begin := time.Now()
		r.steady.during.Store(step.secret)
		step.rotate()
		r.steady.answered(t)
		t.Logf("%s: %.1f s", step.secret, time.Since(begin).Seconds())
	}
}

// must ends the test if an operation of the test itself fails.
func (r *rotation) must(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

// The names and passwords before and after, where the test chooses them.
const (
	first, second = "first-of-rotation", "second-of-rotation"
	redisUser     = "rotation"
)

// prepare gives Redis and the object store the first secrets, and starts the system and the
// load.
func (r *rotation) prepare() {
	var err error
	r.mongodb, r.redis, r.objects, err = harness.Servers()
	r.must(err)
	r.mongoDBPort, err = harness.MongoDBPasswords(r.t.Context(), r.mongodb)
	r.must(err)
	r.createMongoDBUser(first)
	patience.Until(r.t, "Redis answers", func() bool {
		_, err := r.redis.Run(r.t.Context(), "redis-cli", "ACL", "SETUSER", redisUser, "reset", "on", ">"+first, "~*", "&*", "+@all")
		return err == nil
	})
	r.must(harness.ObjectsAdmin(r.t.Context(), r.objects, "create-user", "--access", first, "--secret", first, "--role", "admin"))
	env := []string{
		"CONVERSION_WORKERS=1", "GATEWAY_DRAIN_DELAY=2s", "GATEWAY_KEY_PEPPERS=" + r.peppers[0], r.redisURL(first), "S3_ACCESS_KEY=" + first, "S3_SECRET_KEY=" + first,
	}
	for _, name := range allServices {
		env = append(env, r.databases(name, first)...)
	}
	r.system, r.cluster = harness.StartCluster(r.t, harness.Options{NATS: 3, Env: env})
	r.must(r.cluster.Scale("gateway", 2))
	r.must(r.cluster.WaitReady())
	r.old = r.read(r.system.CAFile)
	r.next, err = pkitest.Named(r.t.TempDir(), "Second test authority")
	r.must(err)
	made := r.recto("keys", "create", "--json", "--rate", "100000/min")
	r.key = made.ID
	r.steady = startSteady(r.t, r.system.BaseURL, made.APIKey, r.pool(r.old, r.read(r.next.File)))
}

// newPepper returns a pepper with an id.
func newPepper(id string) string {
	pepper := make([]byte, 32)
	_, _ = rand.Read(pepper)
	return id + ":" + base64.StdEncoding.EncodeToString(pepper)
}

func (r *rotation) redisURL(password string) string {
	return "GATEWAY_REDIS_URL=redis://" + redisUser + ":" + password + "@" + r.redis.Name + ":6379"
}

// pool returns a pool with the certificates in PEM.
func (r *rotation) pool(certificates ...string) *x509.CertPool {
	pool := x509.NewCertPool()
	for _, pem := range certificates {
		if !pool.AppendCertsFromPEM([]byte(pem)) {
			r.t.Fatalf("no certificate: %q", pem)
		}
	}
	return pool
}

func (r *rotation) read(file string) string {
	content, err := os.ReadFile(file)
	r.must(err)
	return string(content)
}

// madeKey is a key as keys create and keys rotate print it.
type madeKey struct {
	ID     string
	APIKey string `json:"api_key"`
}

// recto runs a command that prints a key, or nothing of interest.
func (r *rotation) recto(args ...string) (made madeKey) {
	r.t.Helper()
	out, err := r.system.Recto(r.t.Context(), args...)
	r.must(err)
	if slices.Contains(args, "--json") {
		r.must(json.Unmarshal([]byte(out), &made))
	}
	return made
}

// replaceKey rotates the key of the load with a grace period, and has the load use the new
// one. It returns the old one, which is still valid and which the load no longer uses.
func (r *rotation) replaceKey() (id, secret string) {
	id, secret = r.key, *r.steady.key.Load()
	made := r.recto("keys", "rotate", id, "--grace", "1h", "--json")
	r.key = made.ID
	r.steady.key.Store(&made.APIKey)
	r.steady.answered(r.t)
	for _, status := range r.statuses(secret) {
		if status != http.StatusOK {
			r.t.Errorf("the old key gets %d during its grace period", status)
		}
	}
	return id, secret
}

// statuses returns what each gateway answers to a key.
func (r *rotation) statuses(key string) (statuses []int) {
	for _, g := range r.cluster.Services["gateway"] {
		s := &steady{base: "https://" + g.Addr("8443") + "/v2", fresh: r.steady.fresh}
		s.key.Store(&key)
		statuses = append(statuses, s.send(s.fresh, http.MethodGet, "/me", nil).status)
	}
	return statuses
}

// refused waits until every gateway refuses a key.
func (r *rotation) refused(key string) {
	r.t.Helper()
	patience.Until(r.t, "every gateway refuses the old key", func() bool {
		return !slices.ContainsFunc(r.statuses(key), func(status int) bool { return status != http.StatusForbidden })
	})
}

// apiKey replaces the API key of the load.
func (r *rotation) apiKey() {
	id, old := r.replaceKey()
	r.recto("keys", "revoke", id)
	r.refused(old)
}

// certificates replaces the certificate of the gateway and of NATS, and their authority:
// services and the NATS servers trust both authorities for a while. Nothing is restarted.
func (r *rotation) certificates() {
	next := r.read(r.next.File)
	r.must(r.cluster.WriteCertificates(map[string]string{"ca.pem": r.old + next}))
	r.must(r.cluster.ReloadNATS(nil))
	names := []string{"localhost", "127.0.0.1"}
	for _, server := range r.cluster.NATS {
		names = append(names, server.Name)
	}
	certificate, key, err := r.next.Issue("server", names...)
	r.must(err)
	r.must(r.cluster.WriteCertificates(map[string]string{"server.pem": r.read(certificate), "server-key.pem": r.read(key)}))
	r.must(r.cluster.ReloadNATS(nil))
	r.must(r.cluster.WriteCertificates(map[string]string{"ca.pem": next}))
	r.must(r.cluster.ReloadNATS(nil))
	patience.Until(r.t, "the gateways and NATS serve the new certificate", func() bool {
		return !slices.ContainsFunc(r.served(r.pool(next)), func(err error) bool { return err != nil })
	})
	for _, err := range r.served(r.pool(r.old)) {
		if unknown := (x509.UnknownAuthorityError{}); !errors.As(err, &unknown) {
			r.t.Errorf("a client that trusts the old authority gets %v", err)
		}
	}
}

// served connects to the gateways and to NATS and returns why a client that trusts the pool
// cannot.
func (r *rotation) served(pool *x509.CertPool) (errs []error) {
	for _, g := range r.cluster.Services["gateway"] {
		conn, err := tls.Dial("tcp", g.Addr("8443"), &tls.Config{RootCAs: pool})
		if err == nil {
			_ = conn.Close()
		}
		errs = append(errs, err)
	}
	return append(errs, r.connects("admin", harness.NATSPassword("admin"), pool))
}

// connects returns why a user cannot connect to NATS.
func (r *rotation) connects(user, password string, pool *x509.CertPool) error {
	nc, err := nats.Connect("tls://"+r.cluster.NATS[0].Addr("4222"), nats.UserInfo(user, password), nats.Secure(&tls.Config{RootCAs: pool}), nats.IgnoreDiscoveredServers())
	if err == nil {
		nc.Close()
	}
	return err
}

// redisPassword gives the user of Redis a second password, restarts the gateways with it,
// and removes the first.
func (r *rotation) redisPassword() {
	acl := func(rule string) {
		_, err := r.redis.Run(r.t.Context(), "redis-cli", "ACL", "SETUSER", redisUser, rule)
		r.must(err)
	}
	acl(">" + second)
	r.must(r.cluster.Replace("gateway", r.redisURL(second)))
	acl("<" + first)
	for password, want := range map[string]string{first: "WRONGPASS", second: "OK"} {
		if out, err := r.redis.Run(r.t.Context(), "redis-cli", "AUTH", redisUser, password); err != nil || !strings.Contains(out, want) {
			r.t.Errorf("with the password %s, Redis answers %s, %v; want %s", password, out, err, want)
		}
	}
	sc := &scene{t: r.t, load: &load{system: r.system}}
	patience.Until(r.t, "the gateways count requests in Redis", func() bool {
		before := sc.fallen()
		r.steady.polled(r.t)
		return sc.fallen() == before
	})
}

// pepper adds a pepper, then makes it that of new keys, replaces the key of the load, and
// removes the old pepper. A key of the old pepper is refused, although it is valid.
func (r *rotation) pepper() {
	set := func(peppers ...string) {
		r.must(r.cluster.Replace("gateway", "GATEWAY_KEY_PEPPERS="+strings.Join(peppers, ",")))
	}
	set(r.peppers[0], r.peppers[1])
	set(r.peppers[1], r.peppers[0])
	_, old := r.replaceKey()
	out, err := r.system.Recto(r.t.Context(), "keys", "list", "--json")
	r.must(err)
	var keys []struct{ ID, Pepper string }
	r.must(json.Unmarshal([]byte(out), &keys))
	for _, k := range keys {
		if want := map[bool]string{true: "2", false: "1"}[k.ID == r.key]; k.Pepper != want {
			r.t.Errorf("the pepper of %s is %q, want %q", k.ID, k.Pepper, want)
		}
	}
	set(r.peppers[1])
	r.refused(old)
}

// createMongoDBUser creates a user of MongoDB whose password is its name.
func (r *rotation) createMongoDBUser(name string) {
	role := func(role string) bson.D { return bson.D{{Key: "role", Value: role}, {Key: "db", Value: "admin"}} }
	r.must(harness.MongoDBAdmin(r.t.Context(), r.mongodb, bson.D{
		{Key: "createUser", Value: name}, {Key: "pwd", Value: name}, {Key: "roles", Value: bson.A{role("readWriteAnyDatabase"), role("clusterAdmin")}},
	}))
}

// databases returns the variables with which a service uses MongoDB as a user.
func (r *rotation) databases(service, user string) []string {
	url := func(part string) string {
		return mongoDBURL(user, r.mongodb.Name+":"+r.mongoDBPort, "recto_rotation_"+part)
	}
	env := []string{strings.ToUpper(service) + "_DATABASE=" + url(service)}
	if service == "gateway" {
		env = append(env, "GATEWAY_IDEMPOTENCY_DATABASE="+url("idempotency"))
	}
	return env
}

func mongoDBURL(user, addr, database string) string {
	return "mongodb://" + user + ":" + user + "@" + addr + "/" + database + "?directConnection=true&authSource=admin"
}

// mongoDBRefuses reports whether MongoDB refuses a user.
func (r *rotation) mongoDBRefuses(user string) bool {
	client, err := mongo.Connect(options.Client().ApplyURI(mongoDBURL(user, r.mongodb.Addr(r.mongoDBPort), "recto_rotation_gateway")))
	r.must(err)
	_, err = client.Database("recto_rotation_gateway").ListCollectionNames(r.t.Context(), bson.D{})
	r.must(client.Disconnect(r.t.Context()))
	if err != nil && !strings.Contains(err.Error(), "auth") {
		r.t.Errorf("the user %s of MongoDB gets %v", user, err)
	}
	return err != nil
}

// servicePasswords gives each service a second user of NATS and of MongoDB, restarts the
// services with them, and removes the first ones.
func (r *rotation) servicePasswords() {
	r.createMongoDBUser(second)
	next := r.read(r.next.File)
	conf := r.read(filepath.Join(harness.Root(), "deploy", "nats", "recto.conf"))
	hash, err := bcrypt.GenerateFromPassword([]byte(second), bcrypt.MinCost)
	r.must(err)
	both, last := conf, conf
	for _, name := range allServices {
		line := fmt.Sprintf("{ user: %s, password: $NATS_%s_PASSWORD, permissions: $%[1]s_permissions }", name, strings.ToUpper(name))
		added := fmt.Sprintf("{ user: %s-2, password: %q, permissions: $%[1]s_permissions }", name, hash)
		both, last = strings.Replace(both, line, line+"\n"+added, 1), strings.Replace(last, line, added, 1)
	}
	r.must(r.cluster.ReloadNATS(map[string]string{"recto.conf": both}))
	connects := func(user, password string) func() bool {
		return func() bool { return r.connects(user, password, r.pool(next)) == nil }
	}
	for _, name := range allServices {
		patience.Until(r.t, "NATS knows the new user "+name, connects(name+"-2", second))
		if err := r.connects(name, harness.NATSPassword(name), r.pool(next)); err != nil {
			r.t.Errorf("the old user %s cannot connect while both are valid: %v", name, err)
		}
	}
	for _, name := range allServices {
		r.must(r.cluster.Replace(name, append(r.databases(name, second), "NATS_USER="+name+"-2", "NATS_PASSWORD="+second)...))
	}
	r.must(harness.MongoDBAdmin(r.t.Context(), r.mongodb, bson.D{{Key: "dropUser", Value: first}}))
	if !r.mongoDBRefuses(first) || r.mongoDBRefuses(second) {
		r.t.Error("MongoDB does not refuse the first user, or refuses the second one")
	}
	r.must(r.cluster.ReloadNATS(map[string]string{"recto.conf": last}))
	for _, name := range allServices {
		patience.Until(r.t, "NATS refuses the old user "+name, func() bool {
			return errors.Is(r.connects(name, harness.NATSPassword(name), r.pool(next)), nats.ErrAuthorization)
		})
	}
}

// allServices are the services, in the order in which they are restarted.
var allServices = []string{"document", "conversion", "annotation", "insight", "gateway"}

// objectsKey adds a key of the object store, restarts the services with it, and removes the
// first one. A URL that was signed with the first key works until then.
func (r *rotation) objectsKey() {
	sign := func() string {
		d, _ := r.steady.create(contractFile)
		if len(d.Files) != 1 {
			r.t.Fatalf("the document is %+v", d)
		}
		return d.Files[0].UploadURL
	}
	put := func(url string) int {
		return r.steady.send(r.steady.fresh, http.MethodPut, url, harness.Contract()).status
	}
	early, late := sign(), sign()
	r.must(harness.ObjectsAdmin(r.t.Context(), r.objects, "create-user", "--access", second, "--secret", second, "--role", "admin"))
	for _, name := range allServices[:4] {
		r.must(r.cluster.Replace(name, "S3_ACCESS_KEY="+second, "S3_SECRET_KEY="+second))
	}
	r.steady.answered(r.t) // all URLs of the load that the first key has signed were used
	if status := put(early); status != http.StatusOK {
		r.t.Errorf("an upload with a URL of the old key gets %d before the key is removed", status)
	}
	r.must(harness.ObjectsAdmin(r.t.Context(), r.objects, "delete-user", "--access", first))
	if status := put(late); status != http.StatusForbidden {
		r.t.Errorf("an upload with a URL of the removed key gets %d, want 403", status)
	}
}
