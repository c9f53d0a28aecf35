package e2e

import (
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// uelink watch frames shows what a port sends and takes while it does so, as lines and as pcapng that
// tshark reads. Nothing is lost meanwhile, and a second watch of the port is refused.
func TestWatchFrames(t *testing.T) {
	top := cabled(t)
	a, b := newDaemon(t, top.A, "A", lossless), newDaemon(t, top.B, "B", lossless)
	top.cable()
	a.start()
	b.start()
	pair{a, b}.advance()
	file := filepath.Join(t.TempDir(), "watched.pcapng")
	watch := exec.Command(program("uelink"), "--socket", a.socket, "watch", "frames", "link0", "-w", file)
	lines := exec.Command(program("uelink"), "--socket", b.socket, "watch", "frames", "link0")
	var shown output
	lines.Stdout = &shown
	must(t, watch.Start())
	must(t, lines.Start())
	eventually(t, "frames are shown", func() string {
		if !strings.Contains(shown.String(), "STATION") {
			return "no STATION in: " + shown.String()
		}
		return ""
	})
	if again := b.tool("watch", "frames", "link0"); again.code != 1 || !strings.Contains(again.stderr, "watched already") {
		t.Errorf("a second watch: exit %d, %s", again.code, again.stderr)
	}
	c := top.between()
	c.Frames, c.Size, c.Rate = 1_000, "imix", 2_000
	untouched(t, c)
	time.Sleep(200 * time.Millisecond)
	for _, cmd := range []*exec.Cmd{watch, lines} {
		must(t, cmd.Process.Signal(syscall.SIGINT))
		if err := cmd.Wait(); err != nil {
			t.Errorf("an interrupted watch ends with %v", err)
		}
	}
	if n := strings.Count(tshark(t, file, "-Y", "eth.type == 0x88b5"), "\n"); n < 1_000 {
		t.Errorf("tshark finds %d data frames of 2,000", n)
	}
	if !strings.Contains(shown.String(), "UELLR") {
		t.Error("no data frame was shown")
	}
}
