package frame

import (
	"testing"
	"unsafe"
)

// The rings of AF_XDP are read and written as Desc.
func TestDescHasTheLayoutOfXdpDesc(t *testing.T) {
	var d Desc
	if unsafe.Sizeof(d) != 16 || unsafe.Offsetof(d.Addr) != 0 || unsafe.Offsetof(d.Len) != 8 ||
		unsafe.Offsetof(d.Options) != 12 {
		t.Errorf("struct xdp_desc is addr u64, len u32, options u32, not %d octets at %d, %d, %d",
			unsafe.Sizeof(d), unsafe.Offsetof(d.Addr), unsafe.Offsetof(d.Len), unsafe.Offsetof(d.Options))
	}
}

func TestGeometry(t *testing.T) {
	for _, c := range []struct {
		g         Geometry
		size      int
		firstSlot uint64
	}{
		{Geometry{ChunkSize: 2048, RX: 4, TX: 3}, 7 * 2048, 4 * 2048},
		{Geometry{ChunkSize: 4096, RX: 0, TX: 2}, 2 * 4096, 0},
		{Geometry{ChunkSize: 4096, RX: 2, TX: 0}, 2 * 4096, 2 * 4096},
		{Geometry{ChunkSize: 4096, RX: 1 << 20, TX: 1 << 20}, 1 << 33, 1 << 32}, // beyond 32 bits
	} {
		if got := c.g.Size(); got != c.size {
			t.Errorf("%+v: size %d, want %d", c.g, got, c.size)
		}
		if got := c.g.SlotAddr(0); got != c.firstSlot {
			t.Errorf("%+v: slot 0 at %d, want %d", c.g, got, c.firstSlot)
		}
		for _, slot := range []uint32{0, 1, uint32(max(c.g.TX, 1) - 1)} {
			addr := c.g.SlotAddr(slot)
			for _, offset := range []uint64{0, 1, uint64(c.g.ChunkSize) - 1} {
				if got := c.g.Slot(addr + offset); got != slot {
					t.Errorf("%+v: octet %d of slot %d is in slot %d", c.g, offset, slot, got)
				}
			}
		}
	}
}
