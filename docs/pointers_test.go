package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
)

var (
	// pointedFile is the name of a file of Go in prose, perhaps with folders.
	pointedFile = regexp.MustCompile(`[a-zA-Z_0-9./]*[a-zA-Z_0-9]\.go\b`)
	// pointedName is a name of a package in prose: wire.Time, wire.Time.Add.
	pointedName = regexp.MustCompile(`\b([a-z][a-z0-9]*)\.([A-Z][A-Za-z0-9]*)(?:\.([A-Za-z][A-Za-z0-9]*))?`)
	// example is a line of code in a comment.
	example = regexp.MustCompile(`(?m)^\t.*$`)
	// wholeSpan is a name of a package, exported or not, that fills a code span: `path.source`. In documents for
	// operators a span like it is a key of the configuration.
	wholeSpan = regexp.MustCompile("^`([a-z][a-z0-9]*)\\.([A-Za-z][A-Za-z0-9]*)`$")
	// inSpan is code in the prose of a document.
	inSpan = regexp.MustCompile("`[^`\n]+`")
)

// goTree holds the files of the tree, and the names that each package declares.
type goTree struct {
	files map[string]bool            // every path, and each of its ends: path/port.go, port.go
	names map[string]map[string]bool // by name of package: declarations, and methods and fields as Type.Name
	prose []prose

	parsed    map[string]*ast.File // by path
	positions *token.FileSet
}

// prose is a comment of a file.
type prose struct {
	file string
	text string
}

// readTree parses the Go files of the tree.
func readTree(t *testing.T) *goTree {
	t.Helper()
	g := &goTree{files: map[string]bool{}, names: map[string]map[string]bool{}, parsed: map[string]*ast.File{},
		positions: token.NewFileSet()}
	err := fs.WalkDir(os.DirFS(".."), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && name != "." && strings.HasPrefix(d.Name(), ".") {
			return fs.SkipDir
		}
		if path.Ext(name) == ".go" {
			for end := name; ; {
				g.files[end] = true
				_, rest, more := strings.Cut(end, "/")
				if !more {
					break
				}
				end = rest
			}
			return g.parse(name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// parse adds the declarations and comments of a file.
func (g *goTree) parse(name string) error {
	const mode = parser.ParseComments | parser.SkipObjectResolution
	file, err := parser.ParseFile(g.positions, path.Join("..", name), nil, mode)
	if err != nil {
		return err
	}
	g.parsed[name] = file
	names := g.names[file.Name.Name]
	if names == nil {
		names = map[string]bool{}
		g.names[file.Name.Name] = names
	}
	eachDeclared(file, func(n string) { names[n] = true })
	for _, c := range file.Comments {
		g.prose = append(g.prose, prose{name, c.Text()})
	}
	return nil
}

// missing returns the pointers of a text to files and names that the tree lacks. Examples, which begin with a tab in a
// comment, have variables that are called like packages.
func (g *goTree) missing(text string) (all []string) {
	text = example.ReplaceAllString(text, "")
	for _, f := range pointedFile.FindAllString(text, -1) {
		if !g.files[strings.TrimPrefix(f, "./")] {
			all = append(all, f)
		}
	}
	for _, m := range pointedName.FindAllStringSubmatch(text, -1) {
		names, known := g.names[m[1]]
		if member := m[2] + "." + m[3]; known && (!names[m[2]] || m[3] != "" && !names[member]) {
			all = append(all, m[0])
		}
	}
	return all
}

// has reports whether a package of the tree declares a name, or is none of the tree. A file is none.
func (g *goTree) has(pkg, name string) bool {
	return g.names[pkg] == nil || g.names[pkg][name] || name == "go"
}

// Each file and each name of a package that comments and documents name is in the tree.
func TestPointersInProse(t *testing.T) {
	g := readTree(t)
	for _, c := range g.prose {
		for _, what := range g.missing(c.text) {
			t.Errorf("%s: a comment names %s, which is not in the tree", c.file, what)
		}
	}
	eachText(t, func(name, text string) {
		if path.Ext(name) != ".md" {
			return
		}
		for _, span := range inSpan.FindAllString(text, -1) {
			for _, what := range g.missing(span) {
				t.Errorf("%s names %s, which is not in the tree", name, what)
			}
			if m := wholeSpan.FindStringSubmatch(span); name == "docs/ARCHITECTURE.md" && m != nil && !g.has(m[1], m[2]) {
				t.Errorf("%s names %s, which is not in the tree", name, span)
			}
		}
	})
}
