package webpage_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rectohq/recto/services/conversion/internal/webpage"
)

// hide returns the content of a file after HidePictures, with runs of spaces as one.
func hide(t testing.TB, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := webpage.HidePictures(f); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != len(content) {
		t.Errorf("the length of %q has changed to %d", content, len(got))
	}
	return strings.Join(strings.FieldsFunc(string(got), func(r rune) bool { return r == ' ' }), " ")
}

// TestHidePictures shows which pictures are removed, and that nothing else is.
func TestHidePictures(t *testing.T) {
	for in, want := range map[string]string{
		`<body style="background:url(logo.png)"><p>x`:                            `<body style="background: "><p>x`,
		`<BODY STYLE='background: #ffffff URL( "a b.png" ) no-repeat'>x`:         `<BODY STYLE='background: #ffffff no-repeat'>x`,
		`<body style="background-image:url(&quot;https://a/b.png&quot;)">`:       `<body style="background-image: ">`,
		"<body bgcolor=red background=bg.gif>":                                   "<body bgcolor=red data-image=bg.gif>",
		"<body\nBackground = 'bg.gif'>":                                          "<body\ndata-image = 'bg.gif'>",
		`<body background="data:image/png;base64,AA">`:                           `<body background="data:image/png;base64,AA">`,
		`<style>body{background:white url(a.png)} p{color:red}</style><p>url(x)`: `<style>body{background:white } p{color:red}</style><p>url(x)`,
		`<style><!-- p{background:url('a')} --></style>`:                         `<style><!-- p{background: } --></style>`,
		`<p style="background:url( 'DATA:image/png;base64,AA')">`:                `<p style="background:url( 'DATA:image/png;base64,AA')">`,
		`<circle fill="url(#g)"/>`:                                               `<circle fill="url(#g)"/>`,
		`<p title="a > background=x">background=y url(z)</p>`:                    `<p title="a > background=x">background=y url(z)</p>`,
		`<!-- <p title="x --><p style="x:url(y)">`:                               `<!-- <p title="x --><p style="x: ">`,
		`<script>if (a<b) c='<p style="url(d)">'</script><p style="url(e)">`:     `<script>if (a<b) c='<p style="url(d)">'</script><p style=" ">`,
		`<p style="background:url(x">(see y)</p>`:                                `<p style="background:url(x">(see y)</p>`,
		`<p style="a:url(b url(c) url(d)">`:                                      `<p style="a: ">`,
		`a < b url(c)`:                                                           `a < b url(c)`, `<p style="url(`: `<p style="url(`, `<`: `<`, ``: ``,
	} {
		if got := hide(t, in); got != want {
			t.Errorf("%s\n got %s\nwant %s", in, got, want)
		}
	}
	long := `<p style="background:url(` + strings.Repeat("a", 10_000) + `)">`
	if got := hide(t, long); got != long {
		t.Error("a long URL is removed")
	}
	far := strings.Repeat("<p>x", 50_000) + `<body style="background:url(logo.png)">`
	if got := hide(t, far); strings.Contains(got, "logo") {
		t.Error("a picture far from the beginning stays")
	}
}

func FuzzHidePictures(f *testing.F) {
	f.Add(`<body style="background:url(logo.png)" background=x><style>url(y)</style><script></script><!-- -->`)
	f.Fuzz(func(t *testing.T, content string) { hide(t, content) })
}
