package docs

import (
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
)

// placed is a declaration with its file in ARCHITECTURE.md: `Link.send` (`tx_link.go`), or `notCarried`, `forward.go`.
var placed = regexp.MustCompile("`([A-Za-z.]+)(?:\\(\\))?`(?:,|\\s\\()\\s?`([a-z_/0-9]+\\.go)`")

// walkedFolders are the folders of a file that ARCHITECTURE.md names without its folder.
var walkedFolders = []string{"", "dataplane/path", "dataplane"}

// TestDeclarationsOfTheArchitecture looks each declaration that ARCHITECTURE.md names with its file up in the file.
func TestDeclarationsOfTheArchitecture(t *testing.T) {
	text, err := os.ReadFile("ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	found := placed.FindAllStringSubmatch(string(text), -1)
	for _, m := range found {
		name, file := m[1], m[2]
		if !declaredIn(name, file) {
			t.Errorf("ARCHITECTURE.md: %s is not declared in %s: name the file that has it", name, file)
		}
	}
	if len(found) < 20 {
		t.Errorf("%d declarations are found in ARCHITECTURE.md: the test does not understand the document", len(found))
	}
}

// declaredIn reports whether the file, in the tree or in one of walkedFolders, declares a function, method, type or
// variable with the last part of name.
func declaredIn(name, file string) bool {
	last := name[strings.LastIndex(name, ".")+1:]
	declaration := regexp.MustCompile(`(?m)^(?:func (?:\([^)]*\) )?|type |var |const |\t)` + last + `\b`)
	for _, folder := range walkedFolders {
		if code, err := os.ReadFile(path.Join("..", folder, file)); err == nil && declaration.Match(code) {
			return true
		}
	}
	return false
}
