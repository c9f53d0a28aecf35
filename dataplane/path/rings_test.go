package path

import (
	"testing"

	"uelink/dataplane/model"
	"uelink/dataplane/netif"
)

// tcpWindow is how many frames of 1448 octets Linux sends in a burst: 4 MB (net.ipv4.tcp_wmem).
const tcpWindow = 4 << 20 / 1448

// An edge with the default rings has room for what TCP sends in a burst, wherever the frames wait: all of them in the
// RX ring, and all of them in the queue of a bridge that one egress may take most of.
func TestAnEdgeHoldsABurstOfTCP(t *testing.T) {
	s := model.PortSettings{Role: model.RoleEdge, RingSize: 1024, RxRingSize: model.DefaultRxRing(model.RoleEdge, 1024)}
	g := s.Geometry(0, 0)
	if s.RxRing() < tcpWindow {
		t.Errorf("the RX ring holds %d frames of %d", s.RxRing(), tcpWindow)
	}
	queued := 0
	for queued < shareOfRoom*(g.Spare-queued) {
		queued++
	}
	if queued < tcpWindow {
		t.Errorf("a queue of a bridge holds %d frames of %d", queued, tcpWindow)
	}
	if fill := g.RX - g.Spare; fill < s.RingSize {
		t.Errorf("%d chunks are left for what arrives while all others wait, want %d", fill, s.RingSize)
	}
}

// What OPERATING.md says of the memory of a port.
func TestMemoryOfAPort(t *testing.T) {
	for _, c := range []struct {
		role                      model.Role
		ring, rxRing              int
		mtu, window, reorder, all int // all: in kB
	}{
		{model.RoleEdge, 1024, 4096, 1500, 0, 0, 11010},
		{model.RoleLink, 1024, 1024, 1514, 512, 0, 5767},
		{model.RoleLink, 1024, 1024, 1514, 512, 512, 6815},
		{model.RoleEdge, 1024, 4096, 2000, 0, 0, 22020},
		{model.RoleEdge, 1024, 4096, 9000, 0, 0, 42463},
		{model.RoleLink, 1024, 1024, 9014, 512, 0, 31981},
		{model.RoleLink, 1024, 1024, 9014, 512, 512, 40370},
		{model.RoleEdge, 4096, 4096, 1500, 0, 0, 17301},
		{model.RoleEdge, 4096, 4096, 9000, 0, 0, 88604}, // as before RX rings had a size of their own
	} {
		s := model.PortSettings{Role: c.role, RingSize: c.ring, RxRingSize: c.rxRing}
		g := s.Geometry(c.window, c.reorder)
		g.ChunkSize = netif.ChunkFor(c.mtu)
		g = s.InPieces(g, netif.PiecesFor(c.mtu, g.ChunkSize))
		if kB := g.Size() / 1000; kB != c.all {
			t.Errorf("%+v: %d kB", c, kB)
		}
		if g.Pieces > 1 && g.Places < g.Spare+g.Kept {
			t.Errorf("%+v: %d frames may wait, and there are %d places", c, g.Spare, g.Places)
		}
	}
}
