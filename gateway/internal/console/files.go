package console

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"html"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
)

//go:embed static
var static embed.FS

// File is a file of the console as it is served.
type File struct {
	// Name is unique among all files that the gateway serves.
	Name string
	// Type is its Content-Type.
	Type    string
	Content []byte
	// ETag is the entity tag of the content, with its quotes.
	ETag string
	// Forever is set if the address of the file changes with any file of the console, so that
	// clients can keep what they have.
	Forever bool
}

// ErrNotFound is returned for a file that does not exist.
var ErrNotFound = errors.New("no such file")

// types are the Content-Types of assets by the ends of their names. Other files below
// static are not served.
var types = map[string]string{
	".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml",
	".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
}

const (
	pageName = "index.html"
	typeHTML = "text/html; charset=utf-8"
)

// assets are the files that the page refers to.
type assets struct {
	files map[string]File // by their paths below static
	// version is a digest of all files. The page refers to files below Assets/version.
	version string
	page    File
}

// load returns the assets. It reads them once.
var load = sync.OnceValue(func() assets {
	a := assets{files: map[string]File{}}
	all := sha256.New()
	var page []byte
	_ = fs.WalkDir(static, "static", func(p string, _ fs.DirEntry, _ error) error { // reading embedded files cannot fail
		name := strings.TrimPrefix(p, "static/")
		contentType, ok := types[path.Ext(name)]
		if !ok && name != pageName {
			return nil
		}
		content, err := static.ReadFile(p)
		all.Write([]byte(name))
		all.Write(content)
		if ok {
			a.files[name] = newFile(name, contentType, content)
		} else {
			page = content
		}
		return err
	})
	a.version = hex.EncodeToString(all.Sum(nil)[:8])
	page = bytes.Replace(page, []byte("<!-- modules -->\n"), a.preloads(), 1)
	page = bytes.ReplaceAll(page, []byte(Assets+"/"), []byte(Assets+"/"+a.version+"/"))
	a.page = newFile(pageName, typeHTML, page)
	return a
})

func newFile(name, contentType string, content []byte) File {
	sum := sha256.Sum256(content)
	return File{Name: "console/" + name, Type: contentType, Content: content, ETag: `"` + hex.EncodeToString(sum[:16]) + `"`}
}

// preloads returns the elements that make browsers fetch all modules at once. Without them, a
// browser finds the imports of a module only when it has the module.
func (a assets) preloads() []byte {
	var out bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(a.files)) {
		if path.Ext(name) == ".js" {
			out.WriteString(`<link rel="modulepreload" href="` + Assets + "/" + html.EscapeString(name) + "\">\n")
		}
	}
	return out.Bytes()
}

// Page returns the page of the console. Its script shows what the path of the page names.
func Page() File { return load().page }

// Asset returns the file with that path below Assets, such as "js/main.js", or with the version
// before it, as the page refers to it. Another version means that the page came from another
// release; the file is then that of this one, which clients must not keep. It returns
// ErrNotFound if the file does not exist.
func Asset(name string) (File, error) {
	a := load()
	f, ok := a.files[name]
	if version, rest, cut := strings.Cut(name, "/"); !ok && cut && len(version) == len(a.version) {
		f, ok = a.files[rest]
		f.Forever = version == a.version
	}
	if !ok {
		return File{}, ErrNotFound
	}
	return f, nil
}
