package docs

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A copy of the tree gets another module path by make module, and the daemon builds.
func TestModuleIsRenamed(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: compiles the daemon once more")
	}
	for _, tool := range []string{"git", "make"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("needs %s to rename the module in a copy of the tree", tool)
		}
	}
	tree := filepath.Join(t.TempDir(), "copy")
	run := func(dir, name string, args ...string) string {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "MAKEFLAGS=")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	run("..", "git", "clone", "-q", "--shared", ".", tree)
	run(tree, "make", "module", "MODULE=example.org/ue/link")
	run(tree, "go", "build", "-o", os.DevNull, "./cmd/uelinkd")
	deps := run(tree, "go", "list", "-deps", "./...")
	for _, dep := range strings.Fields(deps) {
		if strings.HasPrefix(dep, "uelink/") {
			t.Errorf("%s is imported by its old path", dep)
		}
	}
}
