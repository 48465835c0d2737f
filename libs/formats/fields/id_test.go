package fields_test

import (
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/formats/fields"
)

func TestIDOf(t *testing.T) {
	if got := fields.IDOf("agreementinput-a-1"); got != "agreementinput-a-1" {
		t.Errorf("a valid ID became %s", got)
	}
	seen := map[string]string{}
	for _, name := range []string{"", "party.name", "party name", "Party name", "名前", "…", strings.Repeat("x", 10_000), "agreementinput-", "agreementinput-a b"} {
		id := fields.IDOf(name)
		if !fields.ValidID(id) || id != fields.IDOf(name) {
			t.Errorf("%.20q: %s", name, id)
		}
		if other, there := seen[id]; there {
			t.Errorf("%q and %q share the ID %s", name, other, id)
		}
		seen[id] = name
	}
}
