package dataplane

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/gopacket/gopacket/pcapgo"

	"uelink/dataplane/model"
)

// frames returns how many frames a capture file has.
func (b networkBed) frames(path string) (n int) {
	b.t.Helper()
	f, err := os.Open(path)
	b.must(err)
	defer f.Close()
	r, err := pcapgo.NewNgReader(f, pcapgo.DefaultNgReaderOptions)
	b.must(err)
	for {
		if _, _, err := r.ReadPacketData(); err != nil {
			return n
		}
		n++
	}
}

// A reload begins, moves, bounds and ends captures, and no socket is closed: LLR and the counters go on, and each frame
// arrives.
func TestCapturesBeginAndEndInPlace(t *testing.T) {
	l := newLinkBed(t, func(*model.PortSettings) {})
	folder := t.TempDir()
	first, second, other := filepath.Join(folder, "first"), filepath.Join(folder, "second"), filepath.Join(folder, "other")
	before := l.identity(l.a)
	for _, step := range []struct {
		lnk, edge string
		limit     int64
	}{{first, "", 1 << 20}, {second, other, 1 << 20}, {second, other, 1 << 21}, {"", other, 1 << 20}, {"", "", 0}} {
		l.must(l.a.Reload(l.a.changed(func(lnk, edge *model.PortSettings) {
			lnk.Capture, lnk.CaptureLimit = step.lnk, step.limit
			edge.Capture, edge.CaptureLimit = step.edge, step.limit
		})))
		if after := l.identity(l.a); after != before {
			t.Fatalf("%+v: %+v before, %+v now", step, before, after)
		}
		l.send(40)
		l.whole()
		l.sent = 0
	}
	if n := l.frames(first); n < 40 {
		t.Errorf("%d frames are in the first file", n)
	}
	if n := l.frames(second); n < 80 {
		t.Errorf("%d frames are in the second file", n)
	}
	if n := l.frames(other); n != 120 {
		t.Errorf("%d frames are in the file of the edge", n)
	}
	if st := l.state(l.a, "ea"); st.Counters.RxFrames != 200 {
		t.Errorf("the edge has received %d frames of 200", st.Counters.RxFrames)
	}
}
