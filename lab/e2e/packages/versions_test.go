package packages

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"uelink/lab/e2e/bed"
)

// tree is the folder of the repository.
const tree = "../../.."

// former returns the last two commits whose daemon hands over another state than that of today: before a change of what
// is handed over. A repository without the history skips the test.
func former(t testing.TB) (commits []string) {
	t.Helper()
	const handed = `snapshot\.(Numbers?|Text|List)\(|PassState|s\.(Struct|Bool|Group|Bytes|Float)\(`
	git := exec.Command("git", "-c", "safe.directory=*", "log", "-2", "--format=%P", "-G"+handed, "--", "*.go",
		":!*_test.go")
	git.Dir = tree
	out, err := git.Output()
	if commits = strings.Fields(string(out)); err != nil || len(commits) != 2 {
		t.Skipf("this repository has too little history: the test needs a full clone: %q, %v", out, err)
	}
	return commits
}

// of returns the package of a commit, as the tree of that commit makes it, with a version below every other. Packages
// of both kinds are made once, and kept in the user's cache.
func (p packager) of(t testing.TB, commit string) (file, version string) {
	t.Helper()
	version = "0~" + commit[:8]
	dir := filepath.Join(kept(t), commit)
	pattern := filepath.Join(dir, strings.ReplaceAll(p.pattern, "VERSION", version))
	if files, _ := filepath.Glob(pattern); len(files) == 1 {
		return files[0], version
	}
	bed.Must(t, os.MkdirAll(dir, 0o755))
	clone := filepath.Join(t.TempDir(), "uelink")
	build := exec.Command("sh", "-ec", `git -c "safe.directory=*" clone -q --shared . "$1"
git -C "$1" checkout -q "$2"
make -C "$1" deb rpm "DEB_VERSION=$3"
mv "$1"/bin/*.deb "$1"/bin/*.rpm "$4"`, "sh", clone, commit, version, dir)
	build.Dir, build.Env = tree, append(os.Environ(), "MAKEFLAGS=")
	output(t, build)
	return only(t, pattern), version
}

// newest builds a uelinkd whose state has a value that no other version knows.
func newest(t testing.TB) (binary string) {
	t.Helper()
	const file, field = "dataplane/handover_state.go", "	s.Struct(\"trimmed\", &d.trimmed)\n"
	text, err := os.ReadFile(filepath.Join(tree, file))
	bed.Must(t, err)
	changed := strings.Replace(string(text), field, "	later := 7\n	snapshot.Number(s, \"later\", &later)\n"+field, 1)
	if changed == string(text) {
		t.Fatalf("%s has no %q", file, field)
	}
	return bed.Altered(t, "newest", map[string]string{file: changed})
}

// lossless is a link that never gives up a frame, and sends lost frames alone again: its state has the most values.
var lossless = bed.Settings{Profile: bed.Lossless.Profile + ", replay: auto"}

// Packages of the last two versions with another state are replaced by this one's, and back, by dpkg and by rpm, while
// frames go both ways over a wire that loses 1 %: none is lost. A new version takes over from an old one. An old one
// takes over, or refuses a value that it does not know in the words of the operator, and the running daemon goes on.
func TestPackagesOfOtherVersions(t *testing.T) {
	if !*debian {
		t.Skip("skipped, missing mmdebstrap: make test-all installs it (-packages.debian)")
	}
	commits, later := former(t), newest(t)
	for _, p := range packagers {
		present := p.make(t, "1.0")
		for _, commit := range commits {
			t.Run(p.kind+" of "+commit[:8], func(t *testing.T) {
				former, version := p.of(t, commit)
				top := bed.Cabled(t)
				cable := top.Cable("--loss", "0.01")
				partner := bed.NewDaemon(t, top.B, "B", lossless)
				partner.Start()
				h := newHost(t, top.A)
				old, next := h.put(former), h.put(present)
				h.sh(p.install + old)
				h.runs(lossless)
				h.sh("uelink llr interface --wait ADVANCE --timeout 20s")
				load := top.Load(t, bed.Patience)
				newer := func() {
					if !h.replacedBy(p, next, "1.0") {
						t.Error("the new version does not take over")
					}
				}
				for range 2 {
					newer()
					h.replacedBy(p, old, version)
				}
				newer()
				h.sh("install " + h.put(later) + " /usr/bin/later; mv /usr/bin/later /usr/bin/uelinkd; uelink upgrade")
				if h.replacedBy(p, old, version) {
					t.Error("an old version has taken over a state with a value that it does not know")
				}
				h.replacedBy(p, next, "1.0")
				bed.NothingLost(t, load.End())
				if c := partner.LLRCounters(); c.TxFlush+c.TxReinit != 0 || c.TxReplay == 0 {
					t.Errorf("the partner: %+v", c)
				}
				for _, d := range cable.Pull().Directions {
					t.Logf("the wire lost %d frames from %s", d.Dropped, d.From)
				}
			})
		}
	}
}

// replacedBy puts a package of a version in the place of the present one, and reports whether its daemon has taken
// over. Where not, the running one must go on, and the operator must know the choices.
func (h *host) replacedBy(p packager, file, version string) (takenOver bool) {
	h.t.Helper()
	from, before := h.running()
	text := h.sh(p.replace + file)
	now, pid := h.running()
	takenOver = strings.Contains(text, "has taken over")
	h.t.Logf("from %s to %s: taken over: %v", from, version, takenOver)
	if takenOver {
		if now != version || pid == before {
			h.t.Errorf("version %s runs as process %d, and %d ran before; want version %s", now, pid, before, version)
		}
		return true
	}
	h.t.Log(text)
	says(h.t, text, "version "+version+" is too old", "no frame is lost", "install it again", "counters begin at 0",
		"unknown field of a newer version", "goes on", "needs restart")
	h.stillRuns(from, before)
	return false
}
