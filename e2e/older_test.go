package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// olderCommit is the last commit whose uelinkd does not know STATION.
const olderCommit = "bd55ba834e85937a4196ff49dd6ce271aea49dd5"

// older builds uelinkd as it was before STATION, out of the history of this repository.
func older(t testing.TB) (binary string) {
	t.Helper()
	if err := exec.Command("git", "-C", "..", "cat-file", "-e", olderCommit).Run(); err != nil {
		t.Skipf("the history of this repository does not go back to %s, which is a feature of a full clone: %v",
			olderCommit, err)
	}
	dir := t.TempDir()
	binary = filepath.Join(dir, "uelinkd")
	build := exec.Command("sh", "-c", `git -C "$1" archive "$2" | tar -x -C "$3" &&
		cd "$3" && go build -o "$4" ./cmd/uelinkd`,
		"sh", "..", olderCommit, dir, binary)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build the older uelinkd: %v\n%s", err, out)
	}
	return binary
}

// A daemon of before STATION at the other end still works: over a bad wire, and when either
// end is killed and started again.
func TestOlderPartner(t *testing.T) {
	binary := older(t)
	top := cabled(t)
	top.cable("--loss", "0.01", "--corrupt", "0.001", "--duplicate", "0.001", "--reorder", "0.001")
	p := pair{newDaemon(t, top.A, "A", lossless), newDaemon(t, top.B, "B, older", lossless)}
	p.b.binary = binary
	p.a.start()
	p.b.start()
	p.advance()
	c := top.between()
	c.Frames, c.Size = 50_000, "imix"
	untouched(t, c)
	for _, victim := range []*daemon{p.b, p.a} {
		l := top.load(t, 50*time.Millisecond)
		victim.kill()
		p.resume(t, victim.name+" was ready again", victim.start())
		neverTwice(t, l.end())
	}
	untouched(t, c)
	if l := p.a.llr(); l.PartnerProblem != "" || l.Counters.PartnerRestart != 0 {
		t.Errorf("%q, %d restarts", l.PartnerProblem, l.Counters.PartnerRestart)
	}
	if n := p.b.link().Counters.RxControlType; n == 0 {
		t.Error("the older end has not passed over a STATION")
	}
}

// A partner that is replaced by a newer version, or by an older one again, is known again.
func TestPartnerThatIsReplacedByAnother(t *testing.T) {
	binary := older(t)
	top := direct(t)
	p := pair{newDaemon(t, top.A, "A", settings{}), newDaemon(t, top.B, "B", settings{})}
	p.b.binary = binary
	p.a.start()
	p.b.start()
	p.advance()
	for _, next := range []string{"", binary, ""} {
		l := top.load(t, 50*time.Millisecond)
		p.b.kill()
		p.b.binary = next
		p.b.start()
		p.advance()
		eventually(t, "frames of both", func() string { return p.a.advances() + p.b.advances() })
		neverTwice(t, l.end())
		c := top.between()
		c.Frames = 10_000
		untouched(t, c)
	}
}
