package dataplane

import (
	"path/filepath"
	"testing"

	"github.com/vishvananda/netlink"
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
	capture := h.capture
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

// Chunks are made larger only where the MTU decides about them, and where larger ones hold
// its frames: else an interface that works would be given up.
func TestChunksThatAreOutgrown(t *testing.T) {
	for _, c := range []struct {
		chunkSize, mtu, then int
		chunk                int
		want                 bool
	}{
		{0, 1500, 1774, 2048, false},
		{0, 1500, 1775, 2048, true},
		{0, 1500, 3822, 2048, true},
		{0, 1500, 9000, 2048, false},
		{0, 3000, 3822, 4096, false},
		{0, 3000, 9000, 4096, false},
		{2048, 1500, 3000, 2048, false},
	} {
		h := &host{settings: PortSettings{ChunkSize: c.chunkSize}, mtu: c.mtu}
		if err := h.chooseChunk(0); err != nil || h.chunk != c.chunk {
			t.Errorf("%+v: chunks of %d, %v", c, h.chunk, err)
		}
		if got := h.outgrown(c.then); got != c.want {
			t.Errorf("%+v: outgrown %v", c, got)
		}
	}
	h := &host{settings: PortSettings{Name: "p", Interface: "i", ChunkSize: 2048}, mtu: 3000}
	if err := h.chooseChunk(0); err == nil {
		t.Error("chunks of 2048 were taken for an MTU of 3000")
	}
}
