package tools

import (
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"uelink/lab/e2e/bed"
)

// uelink watch frames shows what a port sends and takes while it does so, as lines and as pcapng that
// tshark reads. Nothing is lost meanwhile, and a second watch of the port is refused.
func TestWatchFrames(t *testing.T) {
	top := bed.Cabled(t)
	a, b := bed.NewDaemon(t, top.A, "A", bed.Lossless), bed.NewDaemon(t, top.B, "B", bed.Lossless)
	top.Cable()
	a.Start()
	b.Start()
	bed.Pair{A: a, B: b}.Advance()
	file := filepath.Join(t.TempDir(), "watched.pcapng")
	watch := exec.Command(bed.Program("uelink"), "--socket", a.Socket, "watch", "frames", "link0", "-w", file)
	lines := exec.Command(bed.Program("uelink"), "--socket", b.Socket, "watch", "frames", "link0")
	var shown bed.Output
	lines.Stdout = &shown
	bed.Must(t, watch.Start())
	bed.Must(t, lines.Start())
	bed.Eventually(t, "frames are shown", func() string {
		if !strings.Contains(shown.String(), "STATION") {
			return "no STATION in: " + shown.String()
		}
		return ""
	})
	repeat := b.Tool("watch", "frames", "link0")
	if repeat.Code != 1 || !strings.Contains(repeat.Stderr, "watched already") {
		t.Errorf("a second watch: exit %d, %s", repeat.Code, repeat.Stderr)
	}
	c := top.Between()
	c.Frames, c.Size, c.Rate = 1_000, "imix", 2_000
	bed.Untouched(t, c)
	time.Sleep(200 * time.Millisecond)
	for _, cmd := range []*exec.Cmd{watch, lines} {
		bed.Must(t, cmd.Process.Signal(syscall.SIGINT))
		if err := cmd.Wait(); err != nil {
			t.Errorf("an interrupted watch ends with %v", err)
		}
	}
	if n := strings.Count(bed.Tshark(t, file, "-Y", "eth.type == 0x88b5"), "\n"); n < 1_000 {
		t.Errorf("tshark finds %d data frames of 2,000", n)
	}
	if !strings.Contains(shown.String(), "UELLR") {
		t.Error("no data frame was shown")
	}
}
