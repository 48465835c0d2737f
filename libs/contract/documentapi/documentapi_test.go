package documentapi_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/problem"
)

// list parses a query and formats the result for comparison.
func list(t *testing.T, query string) string {
	t.Helper()
	r, err := documentapi.ParseList(query)
	if err != nil {
		return err.Error()
	}
	text := fmt.Sprintf("%d/%d", r.Page, r.Size)
	for _, o := range r.Order {
		text += fmt.Sprintf(" %s:%v", o.Field, o.Descending)
	}
	for _, c := range r.Where {
		text += fmt.Sprintf(" %s %s %q%v", c.Field, c.Op, c.Values, c.Times)
	}
	return text
}

func TestParseList(t *testing.T) {
	for query, want := range map[string]string{
		"":                                     "1/100 created_at:true",
		"&&":                                   "1/100 created_at:true",
		"page=2&size=7":                        "2/7 created_at:true",
		"order_by=name":                        "1/100 name:false",
		"order_by=name+desc%2Cstate":           "1/100 name:true state:false",
		"order_by=%20updated_at%20%20AsC":      "1/100 updated_at:false",
		"state=draft":                          `1/100 created_at:true state in ["draft"][]`,
		"state=draft,agreement":                `1/100 created_at:true state in ["draft" "agreement"][]`,
		"state=draft%2cagreement":              `1/100 created_at:true state in ["draft" "agreement"][]`,
		"state=draft+draft":                    `1/100 created_at:true state in ["draft"][]`,
		"state=draft+agreement":                `1/100 created_at:true state in [][]`,
		"state=a%2Ba,b%20c,d":                  `1/100 created_at:true state in ["a" "d"][]`,
		"state=a&state=b":                      `1/100 created_at:true state in ["a"][] state in ["b"][]`,
		"created_by=%E2%82%AC":                 `1/100 created_at:true created_by in ["€"][]`,
		"created_at=1,-2,3+3,4+5":              "1/100 created_at:true created_at in [][1 -2 3]",
		"created_at=007+7":                     "1/100 created_at:true created_at in [][7]",
		"updated_at%5Bgte%5D=5":                "1/100 created_at:true updated_at gte [][5]",
		"created_at[lt]=99999999999999999999":  "1/100 created_at:true created_at lt [][9223372036854775807]",
		"created_at[gt]=-99999999999999999999": "1/100 created_at:true created_at gt [][-9223372036854775808]",
	} {
		if got := list(t, query); got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", query, got, want)
		}
	}
}

func TestValidateList(t *testing.T) {
	good, err := documentapi.ParseList("state=a&order_by=name")
	if err != nil || good.Validate() != nil {
		t.Fatalf("%v, %v", err, good.Validate())
	}
	for name, change := range map[string]func(*documentapi.ListRequest){
		"size": func(r *documentapi.ListRequest) { r.Size = 501 }, "page": func(r *documentapi.ListRequest) { r.Page = 0 },
		"no order": func(r *documentapi.ListRequest) { r.Order = nil }, "order": func(r *documentapi.ListRequest) { r.Order[0].Field = "id" },
		"breadth": func(r *documentapi.ListRequest) { r.Where = make([]documentapi.Condition, 51) },
	} {
		bad := good
		bad.Order = append([]documentapi.Order{}, good.Order...)
		change(&bad)
		if bad.Validate() == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}

// TestListBreadth shows that the error names the parameter that exceeds the limit.
func TestListBreadth(t *testing.T) {
	for query, want := range map[string]string{
		"state=a&created_at=" + strings.Repeat("1,", 1000) + "1":            "created_at",
		strings.Repeat("state=a&", 50) + "created_by=b":                     "created_by",
		strings.Repeat("created_at[gte]=1&", 51):                            "created_at[gte]",
		strings.Repeat("state=a&", 50) + "size=1":                           "",
		"state=" + strings.Repeat("a,", 999) + "a&organization_id=b&page=2": "organization_id",
	} {
		_, err := documentapi.ParseList(query)
		var got string
		if err != nil {
			e := problem.Of(err).Entries[0]
			got = e.Path
			if e.Code != problem.CodeFilterInvalid || len(problem.Of(err).Entries) != 1 {
				t.Errorf("%.40s: %v", query, err)
			}
		}
		if got != want {
			t.Errorf("%.40s: the path is %q, want %q", query, got, want)
		}
	}
}

// FuzzParseList checks that every accepted query is valid and can be encoded, and that
// every refusal is the client's fault.
func FuzzParseList(f *testing.F) {
	for _, seed := range []string{
		"size=1&page=2", "order_by=name%20DESC,state&order_by=x", "state=a,b+c&state=", "created_at[gte]=1&created_at%5Blt%5D=x",
		"created_by=%ff%2C%2B", "=&==&%=%", "updated_at=-9223372036854775809", strings.Repeat("state=a,", 300), "size=%31&page=%",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, query string) {
		r, err := documentapi.ParseList(query)
		if err != nil {
			if e := problem.Of(err); e.Code == problem.Internal || len(e.Entries) == 0 {
				t.Errorf("%q: %v", query, err)
			}
			return
		}
		if err := r.Validate(); err != nil {
			t.Errorf("%q is accepted but not valid: %v", query, err)
		}
		if _, err := json.Marshal(r); err != nil {
			t.Errorf("%q: %v", query, err)
		}
	})
}

// FuzzParseOrder does the same only for order_by, which random queries rarely reach.
func FuzzParseOrder(f *testing.F) {
	for _, seed := range []string{"name", "name DESC,state asc", ",", "name,,", "NAME", "name\tDESC", "created_at  ASC , updated_at"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, order string) {
		r, err := documentapi.ParseList("order_by=" + strings.NewReplacer("%", "%25", "&", "%26", "+", "%2B").Replace(order))
		if err != nil {
			if !problem.Is(err, problem.InvalidRequest) {
				t.Errorf("%q: %v", order, err)
			}
			return
		}
		if err := r.Validate(); err != nil {
			t.Errorf("%q is accepted but not valid: %v", order, err)
		}
		if terms := strings.Count(order, ",") + 1; len(r.Order) != terms {
			t.Errorf("%q has %d terms, but %d were parsed", order, terms, len(r.Order))
		}
	})
}

// TestValidateCreate checks that the service applies the same rules as the gateway.
func TestValidateCreate(t *testing.T) {
	user := contract.User{ID: "u"}
	good := documentapi.CreateRequest{
		Name: "x", State: documentapi.Draft, CreatedBy: user, UpdatedBy: user, Files: []documentapi.NewFile{{Name: "a.docx", Type: "a/b"}},
	}
	if err := good.Validate(); err != nil {
		t.Fatal(err)
	}
	bad := documentapi.CreateRequest{Files: []documentapi.NewFile{{Name: "a", Type: "b"}, {}}}
	var got []string
	for _, e := range problem.Of(bad.Validate()).Entries {
		got = append(got, e.Path+" "+string(e.Code))
	}
	want := "name too_short,files.0.name invalid_file_name,files.0.type invalid_mime_type,files.1.name too_short,files.1.type invalid_mime_type,created_by too_short,updated_by too_short,state invalid_enum"
	if strings.Join(got, ",") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, ","), want)
	}
	good.Files = nil
	if good.Validate() == nil {
		t.Error("a request without files is accepted")
	}
}

// TestUploadWithoutFiles checks that the error for a form without files names the parts to send.
func TestUploadWithoutFiles(t *testing.T) {
	_, err := documentapi.ParseUpload([]byte(`{"name": "x"}`), nil)
	entries := problem.Of(err).Entries
	if len(entries) != 1 || entries[0].Path != "files" || entries[0].Code != problem.CodeTooShort || entries[0].Resolution != "Send 1 to 20 parts named files." {
		t.Errorf("got %+v", entries)
	}
}

// TestControlCharacters shows which characters are refused in names and ids, and which
// are allowed.
func TestControlCharacters(t *testing.T) {
	codes := func(text string) string {
		body, err := json.Marshal(map[string]any{
			"name": text, "created_by": text, "updated_by": text, "files": []any{map[string]any{"name": text + ".docx", "type": "a/b"}},
		})
		if err != nil {
			t.Fatal(err)
		}
		created, err := documentapi.ParseCreate(body)
		if err != nil && created.Validate() == nil {
			t.Errorf("ParseCreate refuses %q, but Validate accepts it", text)
		}
		_, updateErr := documentapi.ParseUpdate("doc_1", fmt.Appendf(nil, `{"name":%s,"updated_by":%[1]s}`, mustJSON(t, text)))
		_, versionErr := documentapi.ParseCreateVersion("doc_1", fmt.Appendf(nil, `{"files":[{"name":%s,"type":"a/b"}]}`, mustJSON(t, text+".docx")))
		var got []string
		for _, err := range []error{err, updateErr, versionErr} {
			if err == nil {
				continue
			}
			for _, e := range problem.Of(err).Entries {
				got = append(got, e.Path+" "+string(e.Code))
			}
		}
		return strings.Join(got, ",")
	}
	const refused = "name invalid_characters,files.0.name invalid_file_name,created_by invalid_characters,updated_by invalid_characters," +
		"name invalid_characters,updated_by invalid_characters,files.0.name invalid_file_name"
	for r := range rune(0xA0) {
		if want := map[bool]string{true: refused}[r < ' ' || r >= 0x7F]; r != '/' && r != '\\' {
			if got := codes("a" + string(r) + "b"); got != want {
				t.Errorf("%U: got %s, want %s", r, got, want)
			}
		}
	}
	for text, want := range map[string]string{
		"a\u2028b": refused, "a\u2029b": refused, "a\u202eb": refused, "a\u2066b": refused, "\x00": refused,
		"é 😀": "", "שלום\u200f": "", "\u200eא": "", "می\u200cخواهم": "", "👩\u200d💻": "", "a\u00a0b": "", "日本\u3000語": "", "a\ufeffb": "",
	} {
		if got := codes(text); got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
}

func mustJSON(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func FuzzParseCreate(f *testing.F) {
	for _, seed := range []string{
		`{"name":"x","files":[{"name":"a.docx","type":"a/b"}]}`, `{"name":" ","files":[{"id":1}],"state":"x","created_by":""}`, `{"files":7}`, `{`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		r, err := documentapi.ParseCreate(body)
		if err != nil {
			if problem.Of(err).Code == problem.Internal {
				t.Errorf("%q: %v", body, err)
			}
			return
		}
		r.CreatedBy.ID, r.UpdatedBy.ID = "u", "u"
		if err := r.Validate(); err != nil {
			t.Errorf("%q is accepted but not valid: %v", body, err)
		}
	})
}
