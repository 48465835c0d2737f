package fonts

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Bounds of the configuration. What exceeds them is an error, because then the answers would
// differ from those of fontconfig.
const (
	maxConfigFile  = 4 << 20
	maxConfigFiles = 1000
	maxIncludes    = 8
	maxRules       = 20_000
)

// rule changes the list of families that stand in for a font, if the list passes the tests.
type rule struct {
	tests []test
	edits []edit
}

// test compares the families of a list with some names.
type test struct {
	keys []string
	// not inverts the comparison, and all requires it of all families of the list instead
	// of one.
	not, all bool
}

// edit adds names to a list of families.
type edit struct {
	mode, binding string
	names         []string
}

// config is the part of fontconfig's configuration that chooses families.
type config struct {
	dirs  []string
	rules []rule
	files int
}

// xmlAlias and xmlMatch are the two forms of rules in the files.
type xmlAlias struct {
	Binding  string     `xml:"binding,attr"`
	Families []string   `xml:"family"`
	Prefer   []string   `xml:"prefer>family"`
	Accept   []string   `xml:"accept>family"`
	Default  []string   `xml:"default>family"`
	Tests    []struct{} `xml:"test"`
}

type xmlMatch struct {
	Target string `xml:"target,attr"`
	Tests  []struct {
		Name    string   `xml:"name,attr"`
		Qual    string   `xml:"qual,attr"`
		Compare string   `xml:"compare,attr"`
		Strings []string `xml:"string"`
	} `xml:"test"`
	Edits []struct {
		Name    string   `xml:"name,attr"`
		Mode    string   `xml:"mode,attr"`
		Binding string   `xml:"binding,attr"`
		Strings []string `xml:"string"`
	} `xml:"edit"`
}

// read reads a configuration file, and those that it includes. depth counts includes.
func (c *config) read(name string, depth int) error {
	if c.files++; c.files > maxConfigFiles || depth > maxIncludes {
		return fmt.Errorf("%s: too many configuration files of fontconfig", name)
	}
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	d := xml.NewDecoder(io.LimitReader(f, maxConfigFile))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			if start, ok := token.(xml.StartElement); ok {
				err = c.element(d, start, name, depth)
			}
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
}

// element reads one element of the file called name.
func (c *config) element(d *xml.Decoder, start xml.StartElement, name string, depth int) error {
	if len(c.rules) > maxRules {
		return errors.New("too many rules")
	}
	switch start.Name.Local {
	case "dir":
		if path, ok, err := decodePath(d, start); err != nil || !ok {
			return err
		} else if filepath.IsAbs(path) {
			c.dirs = append(c.dirs, path)
		}
	case "include":
		path, ok, err := decodePath(d, start)
		if err != nil || !ok {
			return err
		}
		if !filepath.IsAbs(path) {
			path = filepath.Join(filepath.Dir(name), path)
		}
		return c.include(path, depth+1)
	case "alias":
		var a xmlAlias
		if err := d.DecodeElement(&a, &start); err != nil {
			return err
		}
		c.addAlias(a)
	case "match":
		var m xmlMatch
		if err := d.DecodeElement(&m, &start); err != nil {
			return err
		}
		c.addMatch(m)
	}
	return nil
}

// decodePath returns the path in an element. It returns false for one that depends on the
// user, who has no fonts of their own.
func decodePath(d *xml.Decoder, start xml.StartElement) (string, bool, error) {
	var element struct {
		Prefix string `xml:"prefix,attr"`
		Path   string `xml:",chardata"`
	}
	err := d.DecodeElement(&element, &start)
	path := strings.TrimSpace(element.Path)
	return path, element.Prefix == "" && path != "" && path[0] != '~', err
}

// include reads a file, or those of a folder whose names begin with a digit, in order. It is
// not an error if the path does not exist.
func (c *config) include(path string, depth int) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return c.read(path, depth)
	}
	files, err := filepath.Glob(filepath.Join(path, "[0-9]*.conf"))
	if err != nil {
		return err
	}
	slices.Sort(files)
	for _, file := range files {
		if err := c.read(file, depth); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// addAlias adds a rule that names the families before, after and far after others.
func (c *config) addAlias(a xmlAlias) {
	if len(a.Families) == 0 || len(a.Tests) > 0 {
		return
	}
	r := rule{tests: []test{{keys: keys(a.Families)}}}
	for _, e := range []edit{
		{"prepend", a.Binding, trimmed(a.Prefer)}, {"append", a.Binding, trimmed(a.Accept)}, {"append_last", a.Binding, trimmed(a.Default)},
	} {
		if len(e.names) > 0 {
			r.edits = append(r.edits, e)
		}
	}
	c.rules = append(c.rules, r)
}

// addMatch adds a rule unless it depends on something else than families, such as a
// language or a size, which the names in a document do not tell.
func (c *config) addMatch(m xmlMatch) {
	if m.Target != "" && m.Target != "pattern" || len(m.Tests) == 0 {
		return
	}
	var r rule
	for _, t := range m.Tests {
		known := t.Compare == "" || t.Compare == "eq" || t.Compare == "not_eq"
		if t.Name != "family" || len(t.Strings) == 0 || !known {
			return
		}
		r.tests = append(r.tests, test{keys: keys(t.Strings), not: t.Compare == "not_eq", all: t.Qual == "all"})
	}
	for _, e := range m.Edits {
		if e.Name == "family" && len(e.Strings) > 0 {
			r.edits = append(r.edits, edit{e.Mode, e.Binding, trimmed(e.Strings)})
		}
	}
	if len(r.edits) > 0 {
		c.rules = append(c.rules, r)
	}
}

func keys(names []string) []string {
	all := trimmed(names)
	for i, name := range all {
		all[i] = key(name)
	}
	return all
}

func trimmed(names []string) []string {
	all := make([]string, len(names))
	for i, name := range names {
		all[i] = strings.TrimSpace(name)
	}
	return all
}
