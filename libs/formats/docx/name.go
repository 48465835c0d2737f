package docx

import (
	"net/url"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

// contentTypesKey is the key of the part that lists the content types.
const contentTypesKey = "[content_types].xml"

// setName sets the part's name from the raw name of the entry. A leading slash and
// backslashes as separators are wrong, but some programs write them (Evernote on Windows)
// and Word reads such files. They are harmless here because nothing is ever unpacked to
// disk.
func (e *entry) setName(limits Limits) error {
	if len(e.raw) > limits.NameBytes {
		return refuse("", "has an entry with a name of more than %s", amount(int64(limits.NameBytes)))
	}
	e.name = strings.TrimLeft(strings.ReplaceAll(e.raw, `\`, "/"), "/")
	e.folder = strings.HasSuffix(e.name, "/")
	e.key = keyOf(e.name)
	if !isPrintable(e.raw) {
		return refuse(e.name, "has an entry with a name that is not UTF-8 text (%s)", shown(e.raw))
	}
	if !isPath(strings.TrimSuffix(e.name, "/")) || !isPath(strings.TrimSuffix(e.key, "/")) || strings.Count(e.name, "/") != strings.Count(e.key, "/") {
		return refuse(e.name, "has an entry with a name that is not a plain path (%s)", shown(e.raw))
	}
	return nil
}

// isPrintable reports whether s is UTF-8 without control characters.
func isPrintable(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, unicode.IsControl)
}

// isPath reports whether name leads down from the root and nowhere else.
func isPath(name string) bool {
	if len(name) > 1 && name[1] == ':' {
		return false // a Windows drive
	}
	return name != "" && isPrintable(name) && path.Clean("/"+name) == "/"+name && !strings.Contains(name, `\`)
}

// keyOf returns the key of a part name, which is the same for all equivalent names:
// letter case and percent-encoding make no difference.
func keyOf(name string) string {
	if plain, err := url.PathUnescape(name); err == nil {
		name = plain
	}
	return strings.ToLower(name)
}

// extensionOf returns the extension of a key without its dot.
func extensionOf(key string) string {
	return strings.TrimPrefix(path.Ext(key), ".")
}

// isRelationships reports whether the key is that of a relationship part.
func isRelationships(key string) bool {
	dir, _ := path.Split(key)
	return extensionOf(key) == "rels" && (dir == "_rels/" || strings.HasSuffix(dir, "/_rels/"))
}

// relationshipsKey returns the key of the part that holds the relationships of the part
// with the key, or of the package if key is "".
func relationshipsKey(key string) string {
	dir, file := path.Split(key)
	return dir + "_rels/" + file + ".rels"
}

// resolve returns the name of the part that target, a relative reference in the part
// called base, points to, and whether it points to a part at all. A target with a scheme
// or a host is external, whatever its mode says. The fragment, which names a place inside
// a part, is dropped.
func resolve(base, target string) (name string, inside bool) {
	target, _, _ = strings.Cut(target, "#")
	target, _, _ = strings.Cut(target, "?")
	target = strings.ReplaceAll(target, `\`, "/")
	first, _, _ := strings.Cut(target, "/")
	switch {
	case strings.HasPrefix(target, "//"), strings.Contains(first, ":"):
		return "", false
	case target == "":
		return base, true
	case !strings.HasPrefix(target, "/"):
		target = path.Dir("/"+base) + "/" + target
	}
	return strings.TrimPrefix(path.Clean(target), "/"), true
}
