package packages

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"uelink/lab/e2e/bed"
)

// fakeGo is the go command of a toolchain module for tests: it says who it is.
const fakeGo = `#!/bin/sh
echo "fetched go" "$@"
`

// toolchainModule returns the zip of a toolchain module, without the mode of its files, as the go command makes it.
func toolchainModule(t *testing.T) []byte {
	t.Helper()
	var octets bytes.Buffer
	archive := zip.NewWriter(&octets)
	for name, text := range map[string]string{"bin/go": fakeGo, "src/_go.mod": "module std\n", "VERSION": ""} {
		file, err := archive.Create("golang.org/toolchain@v0.0.1-go9.9.9.linux-amd64/" + name)
		bed.Must(t, err)
		_, err = file.Write([]byte(text))
		bed.Must(t, err)
	}
	bed.Must(t, archive.Close())
	return octets.Bytes()
}

// bare is a tree with deploy/go.sh on a machine that has little else, in folders with blanks.
type bare struct {
	t                *testing.T
	tree, home, path string
}

// newBare makes the tree, whose Go is go9.9.9 with the given checksum, and a PATH with the named programs.
func newBare(t *testing.T, sum string, programs ...string) bare {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "of a user")
	b := bare{t, dir + "/ue link", dir + "/home", dir + "/bin"}
	for _, folder := range []string{b.tree + "/deploy", b.home, b.path} {
		bed.Must(t, os.MkdirAll(folder, 0o755))
	}
	script, err := os.ReadFile("../../../deploy/go.sh")
	bed.Must(t, err)
	text := strings.Replace(string(script), "checksums='\n", "checksums='\ngo9.9.9.linux-amd64 "+sum+"\n", 1)
	bed.Must(t, os.WriteFile(b.tree+"/deploy/go.sh", []byte(text), 0o755))
	bed.Must(t, os.WriteFile(b.tree+"/go.mod", []byte("module x\n\ngo 9.9.9\n"), 0o644))
	b.program("uname", "#!/bin/sh\necho x86_64\n")
	tools := []string{"sh", "dirname", "sed", "tr", "mkdir", "mktemp", "mv", "rm", "sha256sum"}
	for _, name := range append(tools, programs...) {
		file, err := exec.LookPath(name)
		bed.Must(t, err)
		bed.Must(t, os.Symlink(file, b.path+"/"+name))
	}
	return b
}

// program puts a script into the PATH.
func (b bare) program(name, text string) {
	b.t.Helper()
	bed.Must(b.t, os.WriteFile(b.path+"/"+name, []byte(text), 0o755))
}

// run runs deploy/go.sh, and returns its output.
func (b bare) run(proxies string, args ...string) (string, error) {
	cmd := exec.Command(b.tree+"/deploy/go.sh", args...)
	cmd.Env = []string{"PATH=" + b.path, "HOME=" + b.home, "GOPROXY=" + proxies}
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// left returns the names in the cache folder.
func (b bare) left() (names []string) {
	files, _ := os.ReadDir(b.home + "/.cache/uelink")
	for _, file := range files {
		names = append(names, file.Name())
	}
	return names
}

// A machine without Go, or with one that cannot build the tree, fetches the Go that go.mod names once, by curl or by
// what apt has. The proxies are asked in turn.
func TestGoComesFromTheProxy(t *testing.T) {
	t.Parallel()
	module := toolchainModule(t)
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/good/golang.org/toolchain/@v/v0.0.1-go9.9.9.linux-amd64.zip" {
			http.NotFound(w, r)
			return
		}
		w.Write(module)
	}))
	defer proxy.Close()
	proxies := proxy.URL + "/empty," + proxy.URL + "/good/|direct"
	for name, programs := range map[string][]string{"curl": {"perl", "curl"}, "apt": {"perl"}} {
		t.Run(name, func(t *testing.T) {
			if _, err := os.Stat("/usr/lib/apt/apt-helper"); err != nil && name == "apt" {
				t.Skip("apt-helper is of Debian")
			}
			b := newBare(t, fmt.Sprintf("%x", sha256.Sum256(module)), programs...)
			b.program("go", "#!/bin/sh\n[ \"$1\" = env ] || { echo 'go: invalid go version 9.9.9'; exit 1; }\n")
			out, err := b.run(proxies, "test", "./a b")
			if err != nil || !strings.HasSuffix(out, "\nfetched go test ./a b\n") {
				t.Fatalf("the first call says %q, %v", out, err)
			}
			if names := b.left(); len(names) != 1 || names[0] != "go9.9.9.linux-amd64" {
				t.Errorf("the cache folder has %q", names)
			}
			if _, err := os.Stat(b.home + "/.cache/uelink/go9.9.9.linux-amd64/src/go.mod"); err != nil {
				t.Error(err)
			}
			if out, err := b.run("off", "vet"); err != nil || out != "fetched go vet\n" {
				t.Errorf("the second call says %q, %v", out, err)
			}
			b.program("go", "#!/bin/sh\necho \"own go\" \"$@\"\n")
			if out, err := b.run("off", "vet"); err != nil || out != "own go vet\n" {
				t.Errorf("a machine with Go says %q, %v", out, err)
			}
		})
	}
}

// Where Go does not come, a single line says why, and nothing is left behind.
func TestGoThatDoesNotComeIsOneLine(t *testing.T) {
	t.Parallel()
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "a page") }))
	defer proxy.Close()
	sum := strings.Repeat("0", 64)
	tools := []string{"perl", "curl"}
	for _, c := range []struct {
		name, sum, proxies string
		programs           []string
		line               string
	}{
		{"offline", sum, "http://127.0.0.1:1", tools, "curl.*; connect this machine, name a Go proxy"},
		{"offline without curl", sum, "http://127.0.0.1:1", tools[:1], "127.0.0.1.*; connect this machine"},
		{"no proxy", sum, "off", tools, "no Go proxy is in use"},
		{"another file", sum, proxy.URL, tools, "has another checksum than this tree"},
		{"another machine", "", proxy.URL, tools, "this tree has no checksum of go9.9.9.linux-amd64"},
		{"no perl", sum, proxy.URL, []string{"curl", "cat"}, "install perl"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := os.Stat("/usr/lib/apt/apt-helper"); err != nil && len(c.programs) == 1 {
				t.Skip("apt-helper is of Debian")
			}
			b := newBare(t, c.sum, c.programs...)
			out, err := b.run(c.proxies, "version")
			lines := strings.Split(strings.TrimSpace(out), "\n")
			if strings.Contains(lines[0], ", once, into ") {
				lines = lines[1:]
			}
			if err == nil || len(lines) != 1 || !strings.HasPrefix(lines[0], "go9.9.9 is needed, and not here: ") ||
				!regexp.MustCompile(c.line).MatchString(lines[0]) {
				t.Errorf("deploy/go.sh says %q, %v; want one line with %q", out, err, c.line)
			}
			if names := b.left(); len(names) != 0 {
				t.Errorf("the cache folder has %q", names)
			}
		})
	}
}

// make build and make install work in a clone that belongs to somebody else, in folders with blanks, and the programs
// have the version of the tree.
func TestCloneOfSomebodyElse(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("needs root to give a clone to somebody else")
	}
	for _, tool := range []string{"git", "make"} {
		bed.RequireProgram(t, tool, tool)
	}
	dir := t.TempDir() + "/of a user"
	clone, root := dir+"/ue link", dir+"/a root"
	output(t, exec.Command("git", "clone", "-q", "--no-hardlinks", "../../..", clone))
	version := strings.TrimSpace(output(t, exec.Command("git", "-C", clone, "describe", "--tags", "--always", "--dirty")))
	bed.Must(t, filepath.WalkDir(clone, func(path string, _ os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, 65534, 65534)
	}))
	// The manuals, which take the longest, are others: -o manuals.
	for _, name := range []string{"man/uelink.1", "man/uelink.yaml.5", "man/uelinkd.8",
		"completion/uelink.bash", "completion/_uelink", "completion/uelink.fish"} {
		file := clone + "/bin/deb/" + name
		bed.Must(t, os.MkdirAll(filepath.Dir(file), 0o755))
		bed.Must(t, os.WriteFile(file, nil, 0o644))
	}
	build := exec.Command("make", "-o", "manuals", "install", "DESTDIR="+root)
	build.Dir, build.Env = clone, append(os.Environ(), "MAKEFLAGS=", "GOFLAGS=", "GOENV=off")
	output(t, build)
	if out := output(t, exec.Command(root+"/usr/local/bin/uelinkd", "--version")); out != "uelinkd "+version+"\n" {
		t.Errorf("the daemon's version is %q, the tree's %s", out, version)
	}
	for _, name := range []string{"/etc/systemd/system/uelinkd.service", "/etc/uelink/uelink.yaml",
		"/usr/local/share/man/man8/uelinkd.8", "/usr/local/share/fish/vendor_completions.d/uelinkd.fish"} {
		if _, err := os.Stat(root + name); err != nil {
			t.Error(err)
		}
	}
}
