package structure

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"unicode"

	"github.com/rectohq/recto/tests/harness"
)

// TestLinks checks every relative link in the documentation: its file or folder must
// exist and, if it has an anchor, so must the heading.
func TestLinks(t *testing.T) {
	root := os.DirFS(harness.Root())
	pages, err := fs.Glob(root, "docs/*.md")
	if err != nil || len(pages) == 0 {
		t.Fatalf("docs has %d pages, %v", len(pages), err)
	}
	links := 0
	for _, page := range append(pages, "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "k8s/README.md") {
		broken, n, err := brokenLinks(root, page)
		if err != nil {
			t.Fatal(err)
		}
		for _, problem := range broken {
			t.Error(problem)
		}
		links += n
	}
	if links < 20 {
		t.Errorf("the documentation has %d relative links; does the checker miss some?", links)
	}
}

// link matches an inline link or image and captures its target. A title in quotes may
// follow the target.
var link = regexp.MustCompile(`\[[^\[\]]*\]\(<?([^()<>\s]+)>?(?:\s+"[^"]*")?\)`)

// brokenLinks returns a problem for each broken relative link of a page, and the number of
// relative links. It skips links to other sites.
func brokenLinks(root fs.FS, page string) (problems []string, links int, err error) {
	content, err := fs.ReadFile(root, page)
	if err != nil {
		return nil, 0, err
	}
	for number, line := range prose(string(content)) {
		for _, match := range link.FindAllStringSubmatch(line, -1) {
			target := match[1]
			if strings.Contains(target, "://") || strings.HasPrefix(target, "mailto:") {
				continue
			}
			links++
			if problem := checkLink(root, page, target); problem != "" {
				problems = append(problems, fmt.Sprintf("%s:%d: %s: %s", page, number+1, target, problem))
			}
		}
	}
	return problems, links, nil
}

// checkLink returns what is wrong with a relative link on a page, or "".
func checkLink(root fs.FS, page, target string) string {
	name, anchor, hasAnchor := strings.Cut(target, "#")
	file := page
	if name != "" {
		file = path.Join(path.Dir(page), name)
	}
	if _, err := fs.Stat(root, file); err != nil {
		return "there is no such file in the repository"
	}
	if !hasAnchor {
		return ""
	}
	content, err := fs.ReadFile(root, file)
	if err != nil || path.Ext(file) != ".md" {
		return "only a Markdown file has anchors"
	}
	if !slices.Contains(anchors(string(content)), anchor) {
		return file + " has no such heading"
	}
	return ""
}

// code matches a span of code within a line.
var code = regexp.MustCompile("`[^`]*`")

// prose returns the lines of a Markdown file. Lines of code blocks are empty, and spans
// of code are removed.
func prose(content string) []string {
	lines := strings.Split(content, "\n")
	fenced := false
	for i, line := range lines {
		fence := strings.HasPrefix(strings.TrimSpace(line), "```")
		if fenced || fence {
			lines[i] = ""
		} else {
			lines[i] = code.ReplaceAllString(line, "")
		}
		fenced = fenced != fence
	}
	return lines
}

var (
	heading = regexp.MustCompile(`^#{1,6} +(.*?) *#*$`)
	// linkText matches a link and captures its text.
	linkText = regexp.MustCompile(`\[([^\[\]]*)\]\([^()]*\)`)
)

// anchors returns the anchors of the headings of a Markdown file, as GitHub generates
// them.
func anchors(content string) []string {
	var all []string
	seen := map[string]int{}
	fenced := false
	for line := range strings.Lines(content) {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fenced = !fenced
		}
		match := heading.FindStringSubmatch(strings.TrimRight(line, "\r\n"))
		if fenced || match == nil {
			continue
		}
		anchor := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
				return unicode.ToLower(r)
			}
			return -1
		}, linkText.ReplaceAllString(match[1], "$1"))
		if n := seen[anchor]; n > 0 {
			all = append(all, fmt.Sprintf("%s-%d", anchor, n))
		} else {
			all = append(all, anchor)
		}
		seen[anchor]++
	}
	return all
}

// TestLinkChecker checks that the checker finds broken links and accepts correct ones.
func TestLinkChecker(t *testing.T) {
	page := strings.Join([]string{
		"# Title of *this* page: `recto up`, and more",
		"[a page](other.md), [its heading](other.md#two-words), [above](../README.md), [folder](../libs)",
		"[here](#title-of-this-page-recto-up-and-more), [again](other.md#two-words-1), ![image](a.png \"A\")",
		"[another site](https://example.com/missing.md#x), [mail](mailto:a@example.com)",
		"`[code](missing.md)`",
		"```sh", "# Not a heading", "[code](missing.md)", "```",
	}, "\n")
	root := fstest.MapFS{
		"README.md":     {Data: []byte("# Recto")},
		"libs/go.mod":   {},
		"docs/a.png":    {},
		"docs/other.md": {Data: []byte("# Other\n\n## Two words\n\n### Two words\n")},
		"docs/page.md":  {Data: []byte(page)},
	}
	if broken, links, err := brokenLinks(root, "docs/page.md"); err != nil || len(broken) != 0 || links != 7 {
		t.Errorf("correct links: got %q, %d links, %v; want none and 7 links", broken, links, err)
	}
	for target, want := range map[string]string{
		"missing.md":                 "no such file",
		"other":                      "no such file",
		"../../outside.md":           "no such file",
		"Other.md":                   "no such file",
		"other.md#three-words":       "docs/other.md has no such heading",
		"other.md#Two-words":         "docs/other.md has no such heading",
		"other.md#two-words-2":       "docs/other.md has no such heading",
		"#other":                     "docs/page.md has no such heading",
		"#not-a-heading":             "docs/page.md has no such heading",
		"a.png#other":                "only a Markdown file has anchors",
		"../libs#other":              "only a Markdown file has anchors",
		"missing.md#two-words":       "no such file",
		"../README.md#documentation": "README.md has no such heading",
	} {
		root["docs/page.md"] = &fstest.MapFile{Data: []byte("# Page\n\n```\n# Not a heading\n```\n\nSee [this](" + target + ").\n")}
		broken, _, err := brokenLinks(root, "docs/page.md")
		if err != nil || len(broken) != 1 || !strings.Contains(broken[0], want) || !strings.HasPrefix(broken[0], "docs/page.md:7: ") {
			t.Errorf("%s: got %q, %v, want one problem with %q in line 7", target, broken, err, want)
		}
	}
}
