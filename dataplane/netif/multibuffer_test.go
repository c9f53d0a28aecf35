package netif

import (
	"errors"
	"strings"
	"testing"

	"github.com/vishvananda/netlink"

	"uelink/dataplane/attach"
	"uelink/dataplane/xsk"
	"uelink/internal/netns"
	"uelink/internal/netns/nstest"
)

// A veth takes frames in several buffers in the driver, the loopback interface only in generic mode.
func TestMultiBuffer(t *testing.T) {
	if err := xsk.MultiBuffer(); err != nil {
		nstest.Missing(t, "a kernel and a driver with frames in several chunks (AF_XDP multi-buffer): "+err.Error())
	}
	ns := nstest.New(t, "pieces")
	if err := netns.Veth(ns, "one", ns, "two", 1500); err != nil {
		t.Fatal(err)
	}
	err := ns.Do(func() error {
		veth, err := netlink.LinkByName("one")
		if err != nil {
			return err
		}
		for _, mode := range []attach.Mode{attach.ModeDriver, attach.ModeGeneric} {
			if err := MultiBuffer(veth.Attrs().Index, mode); err != nil {
				t.Errorf("veth, %v mode: %v", mode, err)
			}
		}
		if err := MultiBuffer(1, attach.ModeGeneric); err != nil {
			t.Errorf("loopback, generic mode: %v", err)
		}
		err = MultiBuffer(1, attach.ModeDriver)
		if !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), "the driver has none, and not rx-sg") {
			t.Errorf("loopback, in the driver: %v", err)
		}
		if err := MultiBuffer(9999, attach.ModeDriver); err == nil || errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("an interface that is not there: %v", err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestPiecesFor(t *testing.T) {
	for _, c := range []struct{ mtu, chunk, want int }{
		{1500, SmallChunk, 1}, {1774, SmallChunk, 1}, {1775, SmallChunk, 2}, {3822, LargeChunk, 1},
		{3823, LargeChunk, 2}, {8174, LargeChunk, 2}, {8175, LargeChunk, 3}, {9014, LargeChunk, 3}, {16366, LargeChunk, 4},
		{16367, LargeChunk, 5},
	} {
		got := PiecesFor(c.mtu, c.chunk)
		if got != c.want {
			t.Errorf("an MTU of %d takes %d chunks of %d, want %d", c.mtu, got, c.chunk, c.want)
		}
		if c.mtu > FitsPieces(c.chunk, got) || got > 1 && c.mtu <= FitsPieces(c.chunk, got-1) {
			t.Errorf("an MTU of %d takes %d chunks of %d, which carry up to %d", c.mtu, got, c.chunk, FitsPieces(c.chunk, got))
		}
	}
}
