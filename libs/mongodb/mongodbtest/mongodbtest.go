// Package mongodbtest gives tests databases of their own on a real server that
// speaks the MongoDB protocol: the one that RECTO_TEST_MONGODB_URL names.
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

// Variable holds the URL of the server, without the name of a database.
const Variable = "RECTO_TEST_MONGODB_URL"

// Server returns the URL of the server. Where there is none the test is skipped,
// but for CI=true, where it fails: there the server is never left out.
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

// URL returns the URL of a database that nobody else uses. It is empty, and
// dropped at the end of the test.
func URL(t testing.TB) string {
	t.Helper()
	// Cut by hand: a URL of several hosts is none to net/url.
	base, query, _ := strings.Cut(Server(t), "?")
	name := "test_" + strings.ToLower(rand.Text())
	url := strings.TrimRight(base, "/") + "/" + name + "?" + query
	if strings.Contains(base, "@") && !strings.Contains(query, "authSource=") {
		url += "&authSource=admin" // as it is for a URL without a database
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
