package docs

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
)

// link is a link or a picture of Markdown.
var link = regexp.MustCompile(`\]\(([^)\s]+)\)`)

// TestLinks follows every link of a document to a file of the tree, and to a heading in it.
func TestLinks(t *testing.T) {
	tree := os.DirFS("..")
	eachText(t, func(name, text string) {
		if path.Ext(name) != ".md" {
			return
		}
		for _, to := range link.FindAllStringSubmatch(withoutCode(text), -1) {
			if problem := broken(tree, name, to[1]); problem != "" {
				t.Errorf("%s: the link %s: %s", name, to[1], problem)
			}
		}
	})
}

// broken tells what is wrong with a link in a document; "" where nothing is. Other sites are not asked.
func broken(tree fs.FS, name, to string) string {
	if strings.Contains(to, "://") || strings.HasPrefix(to, "mailto:") {
		return ""
	}
	file, heading, _ := strings.Cut(to, "#")
	target := name
	if file != "" {
		target = path.Join(path.Dir(name), file)
	}
	if heading == "" {
		if _, err := fs.Stat(tree, target); err != nil {
			return "there is no such file"
		}
		return ""
	}
	text, err := fs.ReadFile(tree, target)
	switch {
	case err != nil:
		return "there is no such file"
	case !headings(string(text))[heading]:
		return "there is no such heading"
	}
	return ""
}

// withoutCode is a document without what stands between fences.
func withoutCode(text string) string {
	parts := strings.Split("\n"+text, "\n```")
	var b strings.Builder
	for i := 0; i < len(parts); i += 2 {
		b.WriteString(parts[i])
	}
	return b.String()
}

// headings is the headings of a document as links name them.
func headings(text string) map[string]bool {
	all := map[string]bool{}
	dropped := regexp.MustCompile(`[^\p{L}\p{N}\s_-]`)
	for line := range strings.SplitSeq(withoutCode(text), "\n") {
		if title := strings.TrimLeft(line, "#"); title != line && strings.HasPrefix(title, " ") {
			title = dropped.ReplaceAllString(strings.ToLower(strings.TrimSpace(title)), "")
			all[strings.ReplaceAll(title, " ", "-")] = true
		}
	}
	return all
}

// Links that lead nowhere are told.
func TestLinksThatLeadNowhere(t *testing.T) {
	tree := os.DirFS("..")
	for to, want := range map[string]string{
		"ARCHITECTURE.md":                    "",
		"ARCHITECTURE.md#how-to-add-":        "",
		"ARCHITECTURE.md#how-to-take-away":   "there is no such heading",
		"../README.md":                       "",
		"README.md":                          "there is no such file",
		"NONE.md#words":                      "there is no such file",
		"https://example.org/anything":       "",
		"OPERATING.md#changes-on-interfaces": "",
	} {
		if got := broken(tree, "docs/LESSONS.md", to); got != want {
			t.Errorf("%s: %q, want %q", to, got, want)
		}
	}
}
