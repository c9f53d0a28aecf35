package cable

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"uelink/internal/netns/nstest"
)

// A file that exists is left as it is, and no interface is touched.
func TestCaptureThatExists(t *testing.T) {
	b := newBench(t, 1500)
	path := filepath.Join(t.TempDir(), "c")
	must(t, os.WriteFile(path, []byte("mine"), 0o600))
	p := b.start("a b --capture " + path)
	if line := p.line(t); !strings.Contains(line, "exists: remove it, or name another file") {
		t.Errorf("said %q", line)
	}
	if p.Wait() == nil {
		t.Error("exit status 0")
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "mine" {
		t.Errorf("%q, %v", text, err)
	}
	b.clean()
}

// A cable that cannot be plugged in leaves no capture behind.
func TestCaptureOfNoCable(t *testing.T) {
	b := newBench(t, 1500)
	path := filepath.Join(t.TempDir(), "c")
	p := b.start("a none --capture " + path)
	p.line(t)
	if p.Wait() == nil {
		t.Error("exit status 0")
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("the file is left: %v", err)
	}
}

// A capture ends at its limit, and when the disk is full. Both are said at once, frames go on, and the file stays whole
// up to there; the full disk is the error of the cable at the end.
func TestCaptureEnds(t *testing.T) {
	small := t.TempDir()
	if err := unix.Mount("none", small, "tmpfs", 0, "size=64k"); err != nil {
		nstest.Missing(t, "the right to mount a tmpfs: "+err.Error())
	}
	t.Cleanup(func() { must(t, unix.Unmount(small, 0)) })
	for name, want := range map[string]struct {
		path, limit, reason string
		fails               bool
	}{
		"limit": {filepath.Join(t.TempDir(), "c"), "64KiB", "limit", false},
		"disk":  {filepath.Join(small, "c"), "1GiB", "no space left on device", true},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, 1500)
			p := b.start("-o json a b --capture " + want.path + " --capture-limit " + want.limit)
			p.line(t)
			sent := uint64(0)
			for range 10 {
				for range 10 {
					b.hosts[0].send(append(numbered(sent, 60), make([]byte, 900)...))
					sent++
				}
				b.hosts[1].receive(10)
			}
			if line := p.line(t); !strings.Contains(line, `"event":"capture"`) {
				t.Errorf("said %q", line)
			}
			b.hosts[0].send(append(numbered(sent, 60), make([]byte, 900)...))
			if got := b.hosts[1].receive(1); len(got) != 1 {
				t.Error("frames do not go on")
			}
			must(t, p.Process.Signal(syscall.SIGTERM))
			if err := p.Wait(); (err != nil) != want.fails {
				t.Errorf("exit: %v", err)
			}
			var r Report
			must(t, json.Unmarshal(p.out.Bytes(), &r))
			if c := r.Capture; c.Full == want.fails || (c.Error != "") != want.fails || r.Directions[0].Forwarded != sent+1 ||
				c.Frames == 0 && c.Full || !strings.Contains(c.ended(), want.reason) {
				t.Errorf("%+v, %+v", c, r.Directions[0])
			}
			info, err := os.Stat(want.path)
			must(t, err)
			if info.Size() == 0 || info.Size() > 64<<10 || info.Mode().Perm() != 0o600 {
				t.Errorf("%d octets, %v", info.Size(), info.Mode())
			}
		})
	}
}

// When an interface is gone, the report and the whole capture are there, and the exit status is not 0.
func TestAnalyzedWireIsGone(t *testing.T) {
	b := newBench(t, 1500)
	path := filepath.Join(t.TempDir(), "c")
	p := b.start("-o json a b --analyze --capture " + path)
	p.line(t)
	b.hosts[0].send(sequenced(7))
	b.hosts[1].receive(1)
	must(t, b.middle.DeleteLink("a"))
	if p.Wait() == nil {
		t.Error("exit status 0")
	}
	var r Report
	must(t, json.Unmarshal(p.out.Bytes(), &r))
	if r.Directions[0].Analysis.LLR.Frames != 1 || r.Capture.Frames != 2 {
		t.Errorf("%+v, %+v", r.Directions[0].Analysis.LLR, r.Capture)
	}
}
