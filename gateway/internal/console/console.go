// Package console owns the web pages of the console, the paths below which the gateway
// serves them and their API, and the rules by which a browser may use that API.
package console

import (
	"bytes"
	"strings"
)

// Paths of the console. Everything else below Root is the page.
const (
	Root    = "/console"
	Session = Root + "/session"
	Assets  = Root + "/assets"
	// api mirrors served, for people who signed in.
	api    = Root + "/api"
	served = "/v2"
)

// Within reports whether a path is root or below it.
func Within(path, root string) bool {
	rest, ok := strings.CutPrefix(path, root)
	return ok && (rest == "" || rest[0] == '/')
}

// Rewrite returns the request target of the API that a target below /console/api stands
// for. It reports whether the target is below /console/api. A target may be a path or a
// URL, each with a query.
func Rewrite(target []byte) ([]byte, bool) {
	begin := 0
	if _, rest, ok := bytes.Cut(target, []byte("://")); ok && target[0] != '/' {
		begin = len(target) - len(rest)
		slash := bytes.IndexByte(rest, '/')
		if slash < 0 {
			return target, false
		}
		begin += slash
	}
	p, _, _ := bytes.Cut(target[begin:], []byte("?"))
	if !Within(string(p), api) {
		return target, false
	}
	return bytes.Join([][]byte{target[:begin], []byte(served), target[begin+len(api):]}, nil), true
}

// Public returns the path below /console/api of a path of the API.
func Public(path string) string {
	if !Within(path, served) {
		return path
	}
	return api + strings.TrimPrefix(path, served)
}
