package dataplane

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/vishvananda/netlink"

	"uelink/dataplane/model"
)

// The sockets get larger chunks and the program stays; the capture goes on.
func TestEnlarge(t *testing.T) {
	b, s := newHostBed(t), nearLink()
	s.Capture, s.CaptureLimit = filepath.Join(t.TempDir(), "near.pcapng"), 1<<20
	before := b.state()
	h := b.open(s, 0)
	program := b.program()
	b.send(0x0800, 1000)
	b.receives(h, 1000)
	for _, name := range []string{"near", "far"} {
		b.must(netlink.LinkSetMTU(b.link(name), 3000))
	}
	if !h.outgrown(3000) {
		t.Fatal("an MTU of 3000 fits the chunks")
	}
	b.must(h.enlarge(3000, fewChunks))
	b.send(0x0800, 3014)
	b.receives(h, 3014)
	if now := b.program(); now != program {
		t.Errorf("program %d came in the place of %d", now, program)
	}
	if h.mtu != 3000 || h.chunk != 4096 || h.outgrown(3000) || len(h.devices) != 1 ||
		h.sockets[0].Geometry().ChunkSize != 4096 {
		t.Errorf("%+v", h)
	}
	capture := h.recording.capture
	h.close()
	if n := capture.Counts().Frames; n != 2 {
		t.Errorf("%d frames were captured", n)
	}
	for _, name := range []string{"near", "far"} {
		b.must(netlink.LinkSetMTU(b.link(name), 1500))
	}
	if after := b.state(); after != before {
		t.Errorf("afterwards it is\n%s\nnot\n%s", after, before)
	}
}

// A frame that has outgrown its chunk takes several of them, and the program stays.
func TestEnlargeToSeveralChunks(t *testing.T) {
	b, s := newHostBed(t), nearLink()
	h := b.open(s, 0)
	defer h.close()
	b.needPieces()
	program := b.program()
	for _, name := range []string{"near", "far"} {
		b.must(netlink.LinkSetMTU(b.link(name), 9000))
	}
	if !h.outgrown(9000) {
		t.Fatal("an MTU of 9000 fits the chunks")
	}
	b.must(h.enlarge(9000, fewChunks))
	b.send(0x0800, 9014)
	b.receives(h, 9014)
	b.send(0x0800, 60)
	b.receives(h, 60)
	if now := b.program(); now != program || h.pieces != 3 || h.outgrown(9000) || h.sockets[0].Geometry().Pieces != 3 {
		t.Errorf("program %d was %d; %+v", now, program, h)
	}
}

// Frames get larger chunks, or more of them, only where the settings and the interface allow it: else
// an interface that works would be given up.
func TestChunksThatAreOutgrown(t *testing.T) {
	cannot := errors.New("it takes no more than one chunk")
	for _, c := range []struct {
		chunkSize, mtu, after int
		oneChunk              error
		chunk, pieces         int
		want                  bool
	}{
		{0, 1500, 1774, nil, 2048, 1, false},
		{0, 1500, 1775, nil, 2048, 1, true},
		{0, 1500, 3822, cannot, 2048, 1, true},
		{0, 1500, 3823, cannot, 2048, 1, false},
		{0, 1500, 9000, nil, 2048, 1, true},
		{0, 3000, 3822, nil, 4096, 1, false},
		{0, 3000, 9000, nil, 4096, 1, true},
		{0, 3000, 9000, cannot, 4096, 1, false},
		{0, 3823, 8174, nil, 4096, 2, false},
		{0, 3823, 8175, nil, 4096, 2, true},
		{0, 9000, 12270, nil, 4096, 3, false},
		{0, 9000, 16366, nil, 4096, 3, true},
		{0, 9000, 16367, nil, 4096, 3, false},
		{2048, 1500, 3000, nil, 2048, 1, true},
		{2048, 1500, 3000, cannot, 2048, 1, false},
		{2048, 3000, 8174, nil, 2048, 2, true},
		{2048, 3000, 8175, nil, 2048, 2, false},
	} {
		h := &host{settings: model.PortSettings{ChunkSize: c.chunkSize}, mtu: c.mtu, oneChunk: c.oneChunk}
		if err := h.chooseChunk(0); err != nil || h.chunk != c.chunk || h.pieces != c.pieces {
			t.Errorf("%+v: %d chunks of %d, %v", c, h.pieces, h.chunk, err)
		}
		if got := h.outgrown(c.after); got != c.want {
			t.Errorf("%+v: outgrown %v", c, got)
		}
	}
	h := &host{settings: model.PortSettings{Name: "p", Interface: "i", ChunkSize: 2048}, mtu: 8175}
	if err := h.chooseChunk(0); err == nil {
		t.Error("chunks of 2048 were taken for an MTU of 8175")
	}
}

// The error of an MTU that the edge needs names what the link can have, and why not more.
func TestMTUThatALinkCannotHave(t *testing.T) {
	h := &host{settings: model.PortSettings{Name: "p", Interface: "i"}, mtu: 3000, oneChunk: errors.New("no rx-sg")}
	for need, want := range map[int]string{
		9014: "port p: the edge port needs an MTU of 9014 octets on i, and one chunk of 4096 carries 3822: " +
			"no rx-sg: lower the MTU of the edge port, or set xdp: generic",
		16380: "port p: the 16380 octets of MTU that the edge port needs on i do not fit 4 chunks of a chunk_size of 4096, " +
			"which carry up to 16366: lower the MTU of the edge port",
	} {
		if err := h.chooseChunk(0); err != nil {
			t.Fatal(err)
		}
		if err := h.fitMTU(need); err == nil || err.Error() != want {
			t.Errorf("%d: %v, want %s", need, err, want)
		}
	}
}
