package natsperm

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/rectohq/recto/libs/testkit/patience"
	"github.com/rectohq/recto/tests/harness"
)

// users are the users whose permissions are tested. The user system is not among them:
// it has its own account.
var users = []string{"gateway", "document", "conversion", "annotation", "insight", "admin"}

// right lists the users who may publish and subscribe to a subject. No other user may.
type right struct{ publish, subscribe []string }

// rights holds the rights to every kind of subject on the bus.
type rights map[string]right

// may adds rights to some subjects. Users are separated by spaces.
func (r rights) may(publish, subscribe string, subjects ...string) {
	for _, subject := range subjects {
		r[subject] = right{strings.Fields(publish), strings.Fields(subscribe)}
	}
}

// all returns the rights to all subjects. TestContractsAreCovered fails if a subject of
// the contracts is missing.
func all() rights {
	r := rights{}
	r.endpoints()
	r.notices()
	r.inboxes()
	r.streams()
	r.consumers()
	r.may("", "", ">", "*", "$SYS.>", "$SYS.ACCOUNT.RECTO.CONNECT", "$JS.>", "anything", "$O.CLAIMS.C.x", "$KV.x.y")
	r.may("admin", "", "$JS.API.INFO", "$JS.API.STREAM.NAMES", "$JS.API.STREAM.LIST", "$JS.API.ACCOUNT.PURGE.RECTO")
	r.may("", "admin", "$JS.EVENT.ADVISORY.CONSUMER.MAX_DELIVERIES.EVENTS.gateway")
	return r
}

// endpoints adds endpoints: their service subscribes, and its callers publish.
func (r rights) endpoints() {
	r.may("gateway", "document", "document.list", "document.create", "document.update", "document.delete",
		"document.create_version", "document.list_versions", "document.uploads", "document.stage", "document.discard")
	r.may("gateway insight", "document", "document.get")
	r.may("conversion annotation insight", "document", "document.contents", "document.status")
	r.may("gateway", "conversion", "conversion.submit", "conversion.job", "conversion.cancel", "conversion.jobs", "conversion.sign", "conversion.pages", "conversion.page_image", "conversion.page_words")
	r.may("conversion", "conversion", "conversion.derive")
	r.may("gateway insight", "conversion", "conversion.stored")
	r.may("gateway annotation insight", "conversion", "conversion.inline")
	r.may("gateway", "annotation", "annotation.annotate", "annotation.submit", "annotation.job", "annotation.cancel", "annotation.jobs", "annotation.sign", "annotation.put_fields")
	r.may("gateway insight", "annotation", "annotation.fields")
	r.may("gateway", "insight", "insight.create", "insight.begin", "insight.submit", "insight.job", "insight.cancel", "insight.jobs", "insight.sign")
	r.may("", "", "document.>", "document.anything", "conversion.>", "conversion.anything", "annotation.>", "annotation.anything", "insight.>", "insight.anything")
	for _, verb := range []string{"PING", "INFO", "STATS"} {
		r.may("admin", "document conversion annotation insight", "$SRV."+verb)
		for _, service := range []string{"document", "conversion", "annotation", "insight"} {
			r.may("admin", service, "$SRV."+verb+"."+service, "$SRV."+verb+"."+service+".id")
		}
	}
}

// notices adds notifications and events, which are published once for all subscribers.
func (r rights) notices() {
	r.may("gateway", "gateway", "gateway.keys.changed")
	r.may("conversion", "conversion", "jobs.convert.wakeup", "jobs.done.convert.org_1.job_1", "wakeup.requests.conversion.inline", "wakeup.requests.conversion.derive")
	r.may("annotation", "annotation", "jobs.annotate.wakeup", "jobs.done.annotate.org_1.job_1")
	r.may("insight", "insight", "jobs.analyze.wakeup", "jobs.done.analyze.org_1.job_1")
	r.may("", "", "jobs.>", "jobs.done.>", "wakeup.>", "jobs.other.wakeup", "jobs.done.other.org_1.job_1")
	// Messages in streams are published, but only consumers read them.
	r.may("conversion", "", "jobs.convert.interactive.org_1.job_1", "jobs.convert.bulk.org_1.job_1", "requests.conversion.inline", "requests.conversion.derive")
	r.may("annotation", "", "jobs.annotate.interactive.org_1.job_1", "jobs.annotate.bulk.org_1.job_1")
	r.may("insight", "", "jobs.analyze.interactive.org_1.job_1", "jobs.analyze.bulk.org_1.job_1", "log.insight.org_1.job_1")
	r.may("", "", "log.>", "log.insight.>", "log.insight.org_1", "log.other.org_1.job_1")
	for _, service := range users[1:5] {
		r.may(service, "", "events."+service+".completed.org_1.doc_1")
	}
	for _, kind := range []string{"created", "sealed", "versioned", "updated", "deleted", "purged"} {
		r.may("document", "", "events.document."+kind+".org_1.doc_1")
	}
	r.may("", "", "events.>", "events.gateway.anything.org_1.x", "requests.>")
}

// inboxes adds inboxes, where replies arrive, and claim checks.
func (r rights) inboxes() {
	r.may("document conversion annotation insight", "gateway", "_INBOX_gateway.x.y")
	r.may("document conversion annotation insight", "admin", "_INBOX.x.y")
	r.may("document conversion annotation insight", "", "claims.gateway.random.0")
	r.may("gateway", "", "claims.document.random.0")
	r.may("", "document", "_INBOX_document.x.y")
	r.may("document conversion", "conversion", "_INBOX_conversion.x.y") // its own workers reply to it
	r.may("document conversion", "annotation", "_INBOX_annotation.x.y")
	r.may("document conversion annotation", "insight", "_INBOX_insight.x.y")
	r.may("gateway document annotation insight", "", "claims.conversion.random.0")
	r.may("gateway document conversion", "", "claims.annotation.random.0")
	r.may("gateway document conversion annotation", "", "claims.insight.random.0")
	r.may("", "", "_INBOX_>", "_INBOX_admin.x", "_INBOX_*.x.y", "claims.>", "claims.admin.random.0")
}

// streams adds the administration of streams: all users of a stream may look at it, one
// service maintains it, and everything else is left to the operator.
func (r rights) streams() {
	for stream, use := range map[string]struct{ look, keep, purge string }{
		"CLAIMS":                     {"gateway document conversion annotation insight admin", "document admin", "gateway document conversion annotation insight admin"},
		"EVENTS":                     {"gateway document conversion annotation insight admin", "document admin", "document admin"},
		"JOBS-CONVERT":               {"conversion admin", "conversion admin", "admin"},
		"JOBS-ANNOTATE":              {"annotation admin", "annotation admin", "admin"},
		"JOBS-ANALYZE":               {"insight admin", "insight admin", "admin"},
		"LOG-INSIGHT":                {"insight admin", "insight admin", "insight admin"},
		"REQUESTS-CONVERSION-INLINE": {"conversion admin", "conversion admin", "admin"},
		"REQUESTS-CONVERSION-DERIVE": {"conversion admin", "conversion admin", "admin"},
		"OTHER":                      {"admin", "admin", "admin"},
	} {
		r.may(use.look, "", "$JS.API.STREAM.INFO."+stream)
		r.may(use.keep, "", "$JS.API.STREAM.CREATE."+stream, "$JS.API.STREAM.UPDATE."+stream)
		r.may(use.purge, "", "$JS.API.STREAM.PURGE."+stream)
		for _, verb := range []string{"DELETE", "MSG.GET", "MSG.DELETE", "SNAPSHOT", "RESTORE", "LEADER.STEPDOWN", "PEER.REMOVE"} {
			r.may("admin", "", "$JS.API.STREAM."+verb+"."+stream)
		}
		// Only the receiver of a claim check may read its body.
		r.may("admin", "", "$JS.API.DIRECT.GET."+stream, "$JS.API.DIRECT.GET."+stream+".anything")
	}
	for _, receiver := range users[:5] {
		r.may(receiver+" admin", "", "$JS.API.DIRECT.GET.CLAIMS.claims."+receiver+".random.0")
	}
}

// consumers adds consumers: the service that a consumer is named after creates and reads
// it.
func (r rights) consumers() {
	for _, stream := range []string{"EVENTS", "CLAIMS", "JOBS-CONVERT", "JOBS-ANNOTATE", "JOBS-ANALYZE", "LOG-INSIGHT", "REQUESTS-CONVERSION-INLINE", "REQUESTS-CONVERSION-DERIVE"} {
		names, info := "admin", "admin"
		if stream == "EVENTS" {
			names, info = "document admin", "document admin" // document checks whether all consumers have handled a purge
		}
		r.may(names, "", "$JS.API.CONSUMER.NAMES."+stream)
		r.may("admin", "", "$JS.API.CONSUMER.LIST."+stream, "$JS.API.CONSUMER.CREATE."+stream)
		for _, consumer := range []string{"gateway", "document", "conversion", "annotation", "insight", "interactive", "bulk", "workers", "other"} {
			r.may(info, "", "$JS.API.CONSUMER.INFO."+stream+"."+consumer)
			for _, verb := range []string{"CREATE", "DURABLE.CREATE", "DELETE", "PAUSE", "LEADER.STEPDOWN", "MSG.NEXT"} {
				r.may("admin", "", "$JS.API.CONSUMER."+verb+"."+stream+"."+consumer)
			}
			r.may("", "", "$JS.ACK."+stream+"."+consumer+".1.2.3.4.5")
			r.may("admin", "", "$JS.API.CONSUMER.CREATE."+stream+"."+consumer+".events.>")
		}
	}
	for _, service := range []string{"gateway", "conversion", "annotation", "insight"} {
		r.may(service+" admin", "", "$JS.API.CONSUMER.CREATE.EVENTS."+service+".events.document.purged.>", "$JS.API.CONSUMER.MSG.NEXT.EVENTS."+service)
		r.may("admin", "", "$JS.API.CONSUMER.CREATE.EVENTS."+service+".events.document.created.>")
		r.may(service, "", "$JS.ACK.EVENTS."+service+".1.2.3.4.5")
	}
	for _, service := range []string{"conversion", "annotation", "insight"} {
		name := service + "-deleted" // each event type has its own consumer
		r.may(service+" admin", "", "$JS.API.CONSUMER.CREATE.EVENTS."+name+".events.document.deleted.>", "$JS.API.CONSUMER.MSG.NEXT.EVENTS."+name)
		r.may("admin", "", "$JS.API.CONSUMER.CREATE.EVENTS."+name, "$JS.API.CONSUMER.CREATE.EVENTS."+name+".events.>",
			"$JS.API.CONSUMER.CREATE.EVENTS."+service+".events.document.deleted.>")
		r.may(service, "", "$JS.ACK.EVENTS."+name+".1.2.3.4.5")
	}
	r.may("insight admin", "", "$JS.API.CONSUMER.CREATE.EVENTS.insight-sealed.events.document.sealed.>", "$JS.API.CONSUMER.MSG.NEXT.EVENTS.insight-sealed")
	r.may("admin", "", "$JS.API.CONSUMER.CREATE.EVENTS.insight-sealed", "$JS.API.CONSUMER.CREATE.EVENTS.insight-sealed.events.>",
		"$JS.API.CONSUMER.CREATE.EVENTS.insight-sealed.events.document.deleted.>")
	r.may("insight", "", "$JS.ACK.EVENTS.insight-sealed.1.2.3.4.5")
	for _, lane := range []string{"interactive", "bulk"} {
		r.may("conversion admin", "", "$JS.API.CONSUMER.CREATE.JOBS-CONVERT."+lane+".jobs.convert."+lane+".>")
		r.may("annotation admin", "", "$JS.API.CONSUMER.CREATE.JOBS-ANNOTATE."+lane+".jobs.annotate."+lane+".>")
		r.may("insight admin", "", "$JS.API.CONSUMER.CREATE.JOBS-ANALYZE."+lane+".jobs.analyze."+lane+".>")
	}
	for _, consumer := range []string{"gateway", "document", "conversion", "annotation", "insight", "interactive", "bulk", "workers", "other"} {
		r.may("conversion admin", "", "$JS.API.CONSUMER.MSG.NEXT.JOBS-CONVERT."+consumer) // both of its consumers belong to the service
		r.may("annotation admin", "", "$JS.API.CONSUMER.MSG.NEXT.JOBS-ANNOTATE."+consumer)
		r.may("annotation", "", "$JS.ACK.JOBS-ANNOTATE."+consumer+".1.2.3.4.5")
		r.may("insight admin", "", "$JS.API.CONSUMER.MSG.NEXT.JOBS-ANALYZE."+consumer)
		r.may("insight", "", "$JS.ACK.JOBS-ANALYZE."+consumer+".1.2.3.4.5")
		// Followers of a log have a new name each time, and read only the log of one job.
		r.may("gateway admin", "", "$JS.API.CONSUMER.CREATE.LOG-INSIGHT."+consumer+".log.insight.org_1.job_1",
			"$JS.API.CONSUMER.MSG.NEXT.LOG-INSIGHT."+consumer, "$JS.API.CONSUMER.DELETE.LOG-INSIGHT."+consumer)
		r.may("conversion", "", "$JS.ACK.JOBS-CONVERT."+consumer+".1.2.3.4.5", "$JS.ACK.REQUESTS-CONVERSION-INLINE."+consumer+".1.2.3.4.5",
			"$JS.ACK.REQUESTS-CONVERSION-DERIVE."+consumer+".1.2.3.4.5")
	}
	for _, queue := range []string{"REQUESTS-CONVERSION-INLINE", "REQUESTS-CONVERSION-DERIVE"} {
		r.may("conversion admin", "", "$JS.API.CONSUMER.CREATE."+queue+".workers", "$JS.API.CONSUMER.MSG.NEXT."+queue+".workers")
	}
}

// TestPermissions tries every kind of subject as every user. The server must allow what
// the rights allow, and refuse everything else.
func TestPermissions(t *testing.T) {
	s := harness.NATS(t, "recto.conf")
	table := all()
	for _, user := range users {
		nc := connect(t, s.ClientURL(), user)
		for subject, right := range table {
			if may, want := mayPublish(t, nc, subject), slices.Contains(right.publish, user); may != want {
				t.Errorf("%s may publish to %s: %t, want %t", user, subject, may, want)
			}
			group := ""
			if endpoint.MatchString(subject) {
				group = "q"
			}
			if may, want := maySubscribe(t, nc, subject, group), slices.Contains(right.subscribe, user); may != want {
				t.Errorf("%s may subscribe to %s: %t, want %t", user, subject, may, want)
			}
		}
	}
	t.Logf("%d subjects as %d users", len(table), len(users))
}

// endpoint matches the subjects that services subscribe to in a queue group.
var endpoint = regexp.MustCompile(`^(document|conversion|annotation|insight)\.\w+$`)

func mayPublish(t *testing.T, nc *nats.Conn, subject string) bool {
	t.Helper()
	if err := nc.Publish(subject, nil); err != nil {
		t.Fatal(err)
	}
	return !refused(t, nc, "Publish", subject)
}

func maySubscribe(t *testing.T, nc *nats.Conn, subject, group string) bool {
	t.Helper()
	sub, err := nc.QueueSubscribeSync(subject, group) // "" is no group
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = sub.Unsubscribe() }()
	return !refused(t, nc, "Subscription", subject)
}

// refused reports whether the last operation violated the permissions. The server
// reports the violation before it answers the flush.
func refused(t *testing.T, nc *nats.Conn, what, subject string) bool {
	t.Helper()
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
	err := nc.LastError()
	return errors.Is(err, nats.ErrPermissionViolation) && strings.Contains(err.Error(), what+" to "+strconv.Quote(subject))
}

// connect connects as a user. Tests check its errors with LastError.
func connect(t *testing.T, url, user string) *nats.Conn {
	t.Helper()
	nc, err := nats.Connect(url, nats.UserInfo(user, harness.NATSPassword(user)), nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	return nc
}

// TestNoCopiesOfRequests subscribes to endpoints outside their queue group, which would
// deliver a copy of every request. Not even the service of the endpoint may do so.
func TestNoCopiesOfRequests(t *testing.T) {
	s := harness.NATS(t, "recto.conf")
	for _, user := range users {
		nc := connect(t, s.ClientURL(), user)
		for _, subject := range []string{"document.get", "conversion.inline", "annotation.annotate", "insight.create"} {
			if maySubscribe(t, nc, subject, "") {
				t.Errorf("%s may subscribe to %s outside its queue group", user, subject)
			}
		}
	}
}

// TestAccounts checks that no one can connect without a valid password, and that the
// system account cannot reach the streams of the other account.
func TestAccounts(t *testing.T) {
	s := harness.NATS(t, "recto.conf")
	for _, option := range []nats.Option{nats.Name("nobody"), nats.UserInfo("gateway", harness.NATSPassword("document")), nats.UserInfo("root", "")} {
		if nc, err := nats.Connect(s.ClientURL(), option); !errors.Is(err, nats.ErrAuthorization) {
			nc.Close()
			t.Errorf("a connection with wrong credentials is accepted: %v", err)
		}
	}
	reply, err := connect(t, s.ClientURL(), "system").Request("$JS.API.STREAM.NAMES", nil, patience.Limit())
	if err != nil || !strings.Contains(string(reply.Data), "not enabled for account") {
		t.Errorf("the system account can reach streams: %v, %v", reply, err)
	}
}

// TestContractsAreCovered checks that the rights cover all endpoints, events and
// notifications of the contracts, so that a new one cannot be added without rights.
func TestContractsAreCovered(t *testing.T) {
	table, found := all(), 0
	err := filepath.WalkDir(filepath.Join(harness.Root(), "libs", "contract"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		for _, subject := range subjects(file) {
			found++
			if r, ok := table[subject]; !ok || len(r.publish) == 0 {
				t.Errorf("%s has the subject %s, which no user may publish to: extend all and deploy/nats/recto.conf", path, subject)
			}
		}
		return nil
	})
	if err != nil || found < 20 {
		t.Errorf("found %d subjects, want 20 or more; %v", found, err)
	}
}

// subjects returns the subjects that the source of a contract names: those of endpoints
// {Service: Service, Name: "x"}, and string constants with dots. Constants whose name
// begins with Event are event types.
func subjects(file *ast.File) (found []string) {
	service := strings.TrimSuffix(file.Name.Name, "api")
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CompositeLit:
			if name, ok := endpointName(n); ok {
				found = append(found, service+"."+name)
			}
		case *ast.ValueSpec:
			for i, value := range n.Values {
				text, ok := literal(value)
				switch {
				case !ok || !dotted.MatchString(text):
				case strings.HasPrefix(n.Names[i].Name, "Event"):
					found = append(found, fmt.Sprintf("events.%s.org_1.doc_1", text))
				default:
					found = append(found, text)
				}
			}
		}
		return true
	})
	return found
}

// dotted matches a subject.
var dotted = regexp.MustCompile(`^[a-z_]+(\.[a-z_]+)+$`)

// endpointName returns the name of a contract.Endpoint.
func endpointName(n *ast.CompositeLit) (string, bool) {
	list, ok := n.Type.(*ast.IndexListExpr)
	if !ok {
		return "", false
	}
	if selector, ok := list.X.(*ast.SelectorExpr); !ok || selector.Sel.Name != "Endpoint" {
		return "", false
	}
	for _, element := range n.Elts {
		if pair, ok := element.(*ast.KeyValueExpr); ok && fmt.Sprint(pair.Key) == "Name" {
			return literal(pair.Value)
		}
	}
	return "", false
}

func literal(e ast.Expr) (string, bool) {
	basic, ok := e.(*ast.BasicLit)
	if !ok || basic.Kind != token.STRING {
		return "", false
	}
	text, err := strconv.Unquote(basic.Value)
	return text, err == nil
}
