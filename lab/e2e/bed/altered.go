package bed

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Crashing builds a uelinkd whose worker panics in its next round after SIGUSR1, and returns its path. The files of the
// tree stay as they are: the compiler is given others in their place.
func Crashing(t testing.TB) string {
	t.Helper()
	// round is the beginning of the method behind which the panic goes; panics is a file with the signal's handler.
	const round = "(worked int, deadline wire.Time) {\n\tdeadline = wire.Never\n"
	const panics = `package path

import (
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
)

var panicking atomic.Bool

func init() {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGUSR1)
	go func() { <-signals; panicking.Store(true) }()
}
`
	const file = "dataplane/path/worker.go"
	worker, err := os.ReadFile(filepath.Join(root, file))
	Must(t, err)
	text := strings.Replace(string(worker), round, round+"\tif panicking.Load() { panic(\"asked to\") }\n", 1)
	if text == string(worker) {
		t.Fatal("worker.go has no method round as this test expects it: adapt the constant round")
	}
	return Altered(t, "uelinkd", map[string]string{file: text, "dataplane/path/panicking.go": panics})
}

// root is the path of the tree's root folder, relative to the folder of a package of tests.
const root = "../../.."

// Altered builds a uelinkd from this tree with other contents for some files, given by their paths in the tree, and
// returns the program's path, which ends in name.
func Altered(t testing.TB, name string, files map[string]string) (binary string) {
	t.Helper()
	tree, err := filepath.Abs(root)
	Must(t, err)
	dir, replaced := t.TempDir(), map[string]string{}
	for file, text := range files {
		replacement := filepath.Join(dir, filepath.Base(file))
		Must(t, os.WriteFile(replacement, []byte(text), 0o600))
		replaced[filepath.Join(tree, file)] = replacement
	}
	overlay := filepath.Join(dir, "overlay.json")
	list, err := json.Marshal(map[string]map[string]string{"Replace": replaced})
	Must(t, err)
	Must(t, os.WriteFile(overlay, list, 0o600))
	binary = filepath.Join(dir, name)
	build := exec.Command("go", "build", "-trimpath", "-overlay", overlay, "-o", binary, "./cmd/uelinkd")
	build.Dir, build.Env = tree, append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build %s: %v\n%s", name, err, out)
	}
	return binary
}
