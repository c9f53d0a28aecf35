package docs

import (
	"io/fs"
	"os"
	"path"
	"slices"
	"testing"
)

// eachText calls f for each file of the tree that people write.
func eachText(t *testing.T, f func(name, text string)) {
	t.Helper()
	tree := os.DirFS("..")
	err := fs.WalkDir(tree, ".", func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir():
			if base := e.Name(); base == "bin" || base == "fuzz" || len(base) > 1 && base[0] == '.' {
				return fs.SkipDir
			}
		case slices.Contains([]string{".go", ".c", ".h", ".md", ".yaml", ".txt", ".lua"}, path.Ext(name)):
			text, err := fs.ReadFile(tree, name)
			if err != nil {
				return err
			}
			f(name, string(text))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
