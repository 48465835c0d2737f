package annotationapi_test

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/rectohq/recto/libs/contract/annotationapi"
)

// TestOptions sends fields over the bus and to a client: those without options
// stay so.
func TestOptions(t *testing.T) {
	for want, options := range map[string]annotationapi.Options{`"options":null`: nil, `"options":[]`: {}, `"options":["<A>","B"]`: {"<A>", "B"}} {
		data, err := json.Marshal(annotationapi.Field{Options: options})
		if err != nil || !strings.Contains(string(data), want) {
			t.Errorf("%v becomes %s, %v", options, data, err)
		}
		var again annotationapi.Field
		if err := json.Unmarshal(data, &again); err != nil {
			t.Fatal(err)
		}
		if (again.Options == nil) != (options == nil) || len(again.Options) != len(options) {
			t.Errorf("%v comes back as %v", options, again.Options)
		}
	}
}
