// Package mongodbtest gives tests databases of their own on a real server that speaks the
// MongoDB protocol. RECTO_TEST_MONGODB_URL names the server.
package mongodbtest

import (
	"context"
	"crypto/rand"
	"os"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/rectohq/recto/libs/testkit/patience"
)

// Variable holds the URL of the server, without a database name.
const Variable = "RECTO_TEST_MONGODB_URL"

// Server returns the URL of the server. Without a server it skips the test, or fails it
// if CI=true, where the server must always exist.
func Server(t testing.TB) string {
	t.Helper()
	server := os.Getenv(Variable)
	if server != "" {
		return server
	}
	const remedy = Variable + " is not set: NOTHING WAS TESTED AGAINST MONGODB. Set it to the URL of a server, for example mongodb://127.0.0.1:27017"
	if os.Getenv("CI") == "true" {
		t.Fatal(remedy)
	}
	t.Skip(remedy)
	return ""
}

// URL returns the URL of a new, empty database. The database is dropped when the test
// ends.
func URL(t testing.TB) string {
	t.Helper()
	// Cut by hand, because net/url cannot parse a URL with several hosts.
	base, query, _ := strings.Cut(Server(t), "?")
	name := "test_" + strings.ToLower(rand.Text())
	url := strings.TrimRight(base, "/") + "/" + name + "?" + query
	if strings.Contains(base, "@") && !strings.Contains(query, "authSource=") {
		url += "&authSource=admin" // the default for a URL without a database
	}
	t.Cleanup(func() { drop(t, url, name) })
	return url
}

// drop drops a database.
func drop(t testing.TB, url, name string) {
	ctx, cancel := context.WithTimeout(context.Background(), patience.Limit())
	defer cancel()
	client, err := mongo.Connect(options.Client().ApplyURI(url))
	if err != nil {
		t.Errorf("drop the database %s: %v", name, err)
		return
	}
	if err := client.Database(name).Drop(ctx); err != nil {
		t.Errorf("drop the database %s: %v", name, err)
	}
	if err := client.Disconnect(ctx); err != nil {
		t.Errorf("drop the database %s: %v", name, err)
	}
}
