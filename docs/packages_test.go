package docs

import (
	"fmt"
	"go/build"
	"go/doc"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestPackagesOfTheArchitecture holds the list of packages in ARCHITECTURE.md to the comments of the packages:
// their first sentences, without "Package NAME" or "Command NAME".
func TestPackagesOfTheArchitecture(t *testing.T) {
	var b strings.Builder
	b.WriteString("\n| package | what it is |\n|---|---|\n")
	for _, dir := range slices.Sorted(maps.Keys(imports(t))) {
		p, err := build.Default.ImportDir(filepath.Join("..", dir), 0)
		if err != nil || len(p.GoFiles) == 0 {
			continue // nothing but tests
		}
		words := strings.Fields(new(doc.Package).Synopsis(p.Doc))
		if len(words) < 3 || words[0] != "Package" && words[0] != "Command" {
			t.Errorf("%s: no comment of the package begins with Package %s: say what it is in a sentence", dir, p.Name)
			continue
		}
		fmt.Fprintf(&b, "| `%s` | %s |\n", dir, strings.Join(words[2:], " "))
	}
	generated(t, "ARCHITECTURE.md", "packages", b.String()+"\n")
}
