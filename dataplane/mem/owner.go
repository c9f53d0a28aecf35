package mem

import (
	"fmt"
	"hash/crc32"

	"uelink/dataplane/frame"
)

// chunks records for every RX chunk whether Receive has handed it out.
type chunks []bool

func (c chunks) handOut(chunk uint32) { c[chunk] = true }

// takeBack records that the caller has recycled an RX chunk, and panics unless the chunk was handed out.
func (c chunks) takeBack(chunk uint32) {
	if int(chunk) >= len(c) {
		panic(fmt.Sprintf("mem: chunk %d was recycled, but it is no RX chunk", chunk))
	}
	if !c[chunk] {
		panic(fmt.Sprintf("mem: chunk %d was recycled, but it was not handed out", chunk))
	}
	c[chunk] = false
}

// posting is a descriptor in the TX ring or the completion ring. With WatchSlots, sum is the checksum of the octets
// at the time of posting.
type posting struct {
	desc frame.Desc
	sum  uint32
}

// HandedOut returns how many RX chunks Receive has handed out that Recycle has not taken back yet.
func (d *Device) HandedOut() (n int) {
	for _, out := range d.chunks {
		if out {
			n++
		}
	}
	return n
}

func (d *Device) chunkOf(addr uint64) uint32 {
	return uint32(addr / uint64(d.geometry.ChunkSize))
}

func (d *Device) octets(desc frame.Desc) []byte {
	return d.area[desc.Addr:][:desc.Len:desc.Len]
}

// post checks a descriptor that the caller transmits, and panics if it is not within one TX slot. With watch it notes
// the checksum, to find octets that change before the frame has left.
func (d *Device) post(desc frame.Desc) posting {
	switch {
	case desc.Addr < d.slots || desc.Addr >= uint64(len(d.area)):
		panic(fmt.Sprintf("mem: address %d was posted, but it is in no TX slot", desc.Addr))
	case desc.Len == 0:
		panic(fmt.Sprintf("mem: slot %d was posted with no octets", d.geometry.Slot(desc.Addr)))
	case (desc.Addr-d.slots)%d.slotSize+uint64(desc.Len) > d.slotSize:
		panic(fmt.Sprintf("mem: slot %d was posted with %d octets, which end behind the slot",
			d.geometry.Slot(desc.Addr), desc.Len))
	}
	p := posting{desc: desc}
	if d.watch {
		p.sum = crc32.ChecksumIEEE(d.octets(desc))
	}
	return p
}

// checkUnchanged panics if a TX slot was written to between its posting and its completion.
func (d *Device) checkUnchanged(p posting) {
	if d.watch && p.sum != crc32.ChecksumIEEE(d.octets(p.desc)) {
		panic(fmt.Sprintf("mem: slot %d was written to between its posting and its completion", d.geometry.Slot(p.desc.Addr)))
	}
}

// spoil overwrites a recycled RX chunk, so that a late reader notices.
func (d *Device) spoil(chunk uint32) {
	b := d.area[int(chunk)*d.geometry.ChunkSize:][:d.geometry.ChunkSize]
	for i := range b {
		b[i] = 0xDE
	}
}
