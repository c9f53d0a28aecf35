package bed

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Older builds uelinkd as it was at a commit, out of the history of this repository, and returns its path. A repository
// without that history skips the test.
func Older(t testing.TB, commit string) (binary string) {
	t.Helper()
	if err := exec.Command("git", "-C", root, "cat-file", "-e", commit).Run(); err != nil {
		t.Skipf("this repository has no commit %s: the test needs a full clone: %v", commit, err)
	}
	dir := t.TempDir()
	binary = filepath.Join(dir, "uelinkd")
	build := exec.Command("sh", "-c", `git -C "$1" archive "$2" | tar -x -C "$3" &&
		cd "$3" && go build -o "$4" ./cmd/uelinkd`,
		"sh", root, commit, dir, binary)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build the older uelinkd: %v\n%s", err, out)
	}
	return binary
}
