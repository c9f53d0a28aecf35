package tools

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"uelink/internal/netns"
	"uelink/internal/netns/nstest"
	"uelink/lab/e2e/bed"
)

// analysed is what the dissector for Wireshark counts in a capture of a link port.
type analysed struct {
	Received                  uint64 // sequenced frames, those that LLR discards too
	Gaps, Duplicates, Replays uint64
}

// analyse has tshark read a capture with the dissector.
func analyse(t testing.TB, file string) (a analysed) {
	t.Helper()
	args := []string{"-X", "lua_script:../../../deploy/wireshark/uelink.lua", "-Y", "uellr.seq", "-T", "fields",
		"-E", "separator=,",
		"-e", "frame.packet_flags_direction", "-e", "uellr.analysis.gap", "-e", "uellr.analysis.duplicate",
		"-e", "uellr.analysis.replay"}
	for line := range strings.Lines(bed.Tshark(t, file, args...)) {
		words := strings.Split(strings.TrimSpace(line), ",")
		if len(words) != 4 {
			t.Fatalf("tshark says %q", line)
		}
		if inbound := strings.HasSuffix(words[0], "1"); !inbound {
			a.Replays += present(words[3])
			continue
		}
		a.Received++
		a.Gaps += present(words[1])
		a.Duplicates += present(words[2])
	}
	return a
}

// present counts a field that is there.
func present(field string) uint64 {
	if field == "" {
		return 0
	}
	return 1
}

// analysedBy returns the same counts by the counters of a daemon.
func analysedBy(d *bed.Daemon) analysed {
	d.T.Helper()
	n := d.LLRCounters()
	return analysed{n.RxOK + n.RxPoisoned + n.RxBad, n.RxMissingSeq, n.RxDuplicateSeq, n.TxReplay + n.TxTailProbe}
}

// The dissector counts in a capture what the daemon has counted: frames after a gap, frames that came twice, and
// except for a few (docs/wireshark.md) the replays and the copies of a last frame. On a busy machine a capture may miss
// frames, which the number of received frames shows; then the test makes another capture.
func TestDissectorCountsAsTheDaemonsDo(t *testing.T) {
	if _, err := exec.LookPath("tshark"); err != nil {
		nstest.Missing(t, "package tshark")
	}
	whole := false
	for i := 0; i < 5 && !whole; i++ {
		t.Run(fmt.Sprint(i), func(t *testing.T) { whole = compareAnalysis(t) })
	}
	if !whole {
		t.Error("five captures have missed frames")
	}
}

// compareAnalysis is false if one of the captures has missed frames.
func compareAnalysis(t *testing.T) bool {
	top := bed.Cabled(t)
	top.Cable("--loss", "0.01", "--corrupt", "0.002", "--duplicate", "0.002", "--reorder", "0.002")
	dir := t.TempDir()
	var daemons [2]*bed.Daemon
	var files [2]string
	for i, ns := range []*netns.NS{top.A, top.B} {
		files[i] = filepath.Join(dir, fmt.Sprintf("%d.pcapng", i))
		s := bed.Lossless
		s.Link = "fcs: true, capture: " + files[i]
		daemons[i] = bed.NewDaemon(t, ns, "AB"[i:i+1], s)
		daemons[i].Start()
	}
	bed.Pair{A: daemons[0], B: daemons[1]}.Advance()
	c := top.Between()
	c.Frames, c.Size, c.Rate = 2_000, "imix", 10_000 // closer than the copy of a last frame comes
	bed.Untouched(t, c)
	for i, d := range daemons {
		want := analysedBy(d)
		if code := d.Terminate(); code != 0 {
			t.Fatalf("%s: exit %d", d.Name, code)
		}
		switch got := analyse(t, files[i]); {
		case got.Received != want.Received:
			t.Logf("%s: the capture has %d of %d frames", d.Name, got.Received, want.Received)
			return false
		case got.Gaps != want.Gaps, got.Duplicates != want.Duplicates, !nearly(got.Replays, want.Replays),
			want.Gaps == 0, want.Replays == 0:
			t.Errorf("%s: the dissector counts %+v, the daemon %+v", d.Name, got, want)
		default:
			t.Logf("%s: %+v", d.Name, got)
		}
	}
	return true
}
