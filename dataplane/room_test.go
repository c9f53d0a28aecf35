package dataplane

import (
	"os"
	"path/filepath"
	"testing"

	"uelink/dataplane/model"
	"uelink/llr"
)

// autoBed is a link whose window follows the loop time at end a, with frames that LLR holds there because the partner
// does not run: goOn lets it.
func autoBed(t *testing.T) (l *linkBed, goOn func()) {
	t.Helper()
	l = newLinkBed(t, func(*model.PortSettings) {})
	s := l.a.changed(func(_, _ *model.PortSettings) {})
	p := s.Profiles["p"]
	p.MaxOutstandingFrames = 0
	s.Profiles["p"] = p
	l.must(l.a.Reload(s))
	return l, l.holdFrames(40)
}

// enlarge has end a ask for more room, as its watch does.
func (l *linkBed) enlarge(frames int) {
	l.a.mu.Lock()
	defer l.a.mu.Unlock()
	g, a := l.a.find("la")
	a.room.enlarge(g, a, frames)
}

// More room for a long loop costs no frame, and what LLR holds goes on; what a later reload opens has the room, too.
func TestRoomGrowsWithoutLoss(t *testing.T) {
	l, goOn := autoBed(t)
	events, end := l.a.Subscribe()
	defer end()
	l.enlarge(4096)
	l.expectEvent(events, model.EventNotice, "reopened with room for 4096 outstanding frames, which takes 4 MB of "+
		"memory more")
	goOn()
	l.send(20)
	l.whole()
	l.must(l.a.Reload(l.a.changed(func(lnk, _ *model.PortSettings) { lnk.RingSize = 128 })))
	_, a := l.a.find("la")
	if n := a.host.sockets[0].Geometry().TX; n < 4096 {
		t.Errorf("%d slots", n)
	}
	st := l.state(l.a, "la")
	if c := st.LLR.Counters; c.TxFlush+c.TxReinit+c.TxFlushedFrames != 0 || st.LLR.TxStatus != llr.TxAdvance {
		t.Errorf("%v, %+v", st.LLR.TxStatus, c)
	}
}

// A host with little memory keeps its window, and says so once.
func TestRoomNeedsMemory(t *testing.T) {
	l, goOn := autoBed(t)
	file := memoryFile
	t.Cleanup(func() { memoryFile = file })
	memoryFile = filepath.Join(t.TempDir(), "memory")
	l.must(os.WriteFile(memoryFile, []byte("MemAvailable: 15000 kB\n"), 0o600)) // a quarter is too little
	events, end := l.a.Subscribe()
	defer end()
	before := l.identity(l.a)
	l.enlarge(4096)
	l.expectEvent(events, model.EventNotice, "room for 4096 would take 4 MB of memory more, and only a quarter of the "+
		"14 MB")
	l.enlarge(4096)
	if len(events) > 0 {
		t.Errorf("told again: %+v", <-events)
	}
	if after := l.identity(l.a); after != before {
		t.Errorf("%+v before, %+v now", before, after)
	}
	memoryFile = file
	l.enlarge(4096)
	l.expectEvent(events, model.EventNotice, "reopened with room for 4096 outstanding frames")
	goOn()
	l.whole()
}

func TestRoomGrowsOnlyAfterLooksInARow(t *testing.T) {
	var r replayRoom
	for i, c := range []struct {
		wanted int
		due    bool
	}{{4096, false}, {4096, false}, {0, false}, {4096, false}, {4096, false}, {8192, true}, {8192, false}} {
		if due := r.update(c.wanted); due != c.due {
			t.Errorf("look %d: %v", i, due)
		}
	}
	r.failed = true
	for range 2 * roomLooks {
		if r.update(4096) {
			t.Error("another attempt after a failure")
		}
	}
}

// Only a link that speaks LLR has memory for its window, and for the frames of selective replay.
func TestRoomOfReplay(t *testing.T) {
	p := llr.Profile{MaxOutstandingFrames: 100, Replay: llr.Selective}
	for _, c := range []struct {
		s             model.PortSettings
		slots, chunks int
	}{
		{model.PortSettings{Role: model.RoleLink, Protocol: model.LLR}, 100, 128},
		{model.PortSettings{Role: model.RoleLink, Protocol: model.HIPPI6400}, 0, 0},
		{model.PortSettings{Role: model.RoleEdge}, 0, 0},
	} {
		if slots, chunks := roomFor(&c.s, p); slots != c.slots || chunks != c.chunks {
			t.Errorf("%v, %v: room for %d frames, and %d kept", c.s.Role, c.s.Protocol, slots, chunks)
		}
	}
}
