package docs

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// copied is a clone of the tree, whose module has another path.
type copied struct {
	t   *testing.T
	dir string
}

// otherPath is the module path of a clone.
const otherPath = "example.org/ue/Link"

// newCopied clones the tree, and renames the module by make module.
func newCopied(t *testing.T) copied {
	t.Helper()
	if testing.Short() {
		t.Skip("-short: compiles packages once more")
	}
	for _, tool := range []string{"git", "make"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("needs %s to rename the module in a copy of the tree", tool)
		}
	}
	c := copied{t, filepath.Join(t.TempDir(), "copy")}
	c.runIn("..", "git", "clone", "-q", "--shared", ".", c.dir)
	c.run("make", "module", "MODULE="+otherPath)
	return c
}

// run runs a program in the clone, and returns its output; it must succeed.
func (c copied) run(name string, args ...string) string {
	c.t.Helper()
	return c.runIn(c.dir, name, args...)
}

// runIn runs a program in a folder, and returns its output; it must succeed.
func (c copied) runIn(dir, name string, args ...string) string {
	c.t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "MAKEFLAGS=")
	out, err := cmd.CombinedOutput()
	if err != nil {
		c.t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// A copy of the tree gets another module path by make module, and the daemon builds.
func TestModuleIsRenamed(t *testing.T) {
	c := newCopied(t)
	c.run("go", "build", "-o", os.DevNull, "./cmd/uelinkd")
	deps := c.run("go", "list", "-deps", "./...")
	for _, dep := range strings.Fields(deps) {
		if strings.HasPrefix(dep, "uelink/") {
			t.Errorf("%s is imported by its old path", dep)
		}
	}
}

// A program outside the tree imports the client from the folder that make release writes, without a network, and runs
// its example. The go command computes the same checksum of the zip as of the files of the commit.
func TestModuleIsReleased(t *testing.T) {
	c := newCopied(t)
	c.commit()
	c.run("git", "tag", "v0.1.0")
	c.run("make", "release-module", "TAG=v0.1.0")
	c.imports(filepath.Join(c.dir, "bin/release/proxy"))
}

// commit commits what make module has changed.
func (c copied) commit() {
	c.t.Helper()
	for _, who := range []string{"AUTHOR", "COMMITTER"} {
		c.t.Setenv("GIT_"+who+"_NAME", "release")
		c.t.Setenv("GIT_"+who+"_EMAIL", "release@example.org")
	}
	c.run("git", "commit", "-q", "-a", "-m", "another path")
}

// imports has a program outside the tree import the client from a folder for GOPROXY, and other modules from the cache
// of this machine.
func (c copied) imports(proxy string) {
	t := c.t
	t.Helper()
	cache := strings.TrimSpace(c.run("go", "env", "GOMODCACHE"))
	for key, value := range map[string]string{
		"GOPROXY": "file://" + proxy + ",file://" + cache + "/cache/download,off",
		"GOSUMDB": "off", "GOFLAGS": "-modcacherw", "GOWORK": "off", "GOMODCACHE": t.TempDir(),
	} {
		t.Setenv(key, value)
	}
	empty := t.TempDir()
	c.runIn(empty, "go", "mod", "init", "example.org/job")
	c.runIn(empty, "go", "get", otherPath+"/client@v0.1.0")
	example, err := os.ReadFile(filepath.Join(c.dir, "client/example_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(empty, "example_test.go"), example, 0o600); err != nil {
		t.Fatal(err)
	}
	c.runIn(empty, "go", "get", "-t", ".")
	out := c.runIn(empty, "go", "test", "-v", "-run", "^ExampleClient$", ".")
	if !strings.Contains(out, "--- PASS: ExampleClient") {
		t.Error(out)
	}
	if dir := c.runIn(empty, "go", "list", "-f", "{{.Dir}}", otherPath+"/client"); !strings.Contains(dir, "@v0.1.0") {
		t.Errorf("the client is that of %s", dir)
	}
	var module struct{ Sum string }
	if err := json.Unmarshal([]byte(c.runIn(empty, "go", "mod", "download", "-json", otherPath)), &module); err != nil {
		t.Fatal(err)
	}
	if want := c.moduleSum(); module.Sum != want {
		t.Errorf("the zip has the checksum %s, and the files of the commit %s", module.Sum, want)
	}
}

// moduleSum returns the checksum in go.sum of the files of the commit, by its definition (h1:, go help module-auth).
func (c copied) moduleSum() string {
	c.t.Helper()
	names := strings.Split(strings.TrimSuffix(c.run("git", "ls-files", "-z"), "\x00"), "\x00")
	slices.Sort(names)
	all := sha256.New()
	for _, name := range names {
		octets, err := os.ReadFile(filepath.Join(c.dir, name))
		if err != nil {
			c.t.Fatal(err)
		}
		fmt.Fprintf(all, "%x  %s@v0.1.0/%s\n", sha256.Sum256(octets), otherPath, name)
	}
	return "h1:" + base64.StdEncoding.EncodeToString(all.Sum(nil))
}
