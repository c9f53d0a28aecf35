package vnet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// ring is the memory of a packet socket that the kernel writes received frames to (PACKET_RX_RING, TPACKET_V2): a look
// at the ring costs no system call. A frame that is longer than a slot also waits in the receive queue of the socket,
// in the order of the slots (PACKET_COPY_THRESH), and the slot has only its first octets.
//
//	slot   struct tpacket2_hdr | … | virtio_net_hdr | frame
//	                                                ^ tp_mac
type ring struct {
	memory []byte
	next   int // slot
}

// Sizes of the ring: a slot holds a frame of an MTU of up to 1,900 octets, so that only super-frames and longer frames
// take a system call each.
const (
	slotLen  = 2048
	blockLen = 1 << 16 // octets allocated together by the kernel
	slots    = 8192
)

// Offsets in struct tpacket2_hdr (linux/if_packet.h).
const (
	slotStatus   = 0
	slotFrameLen = 4 // offset of the length of the frame (tp_len)
	slotSnapLen  = 8 // offset of the length of the part of the frame that lies in the slot (tp_snaplen)
	slotMAC      = 12
	slotTCI      = 24
	slotTPID     = 26
)

// openRing makes the ring of a packet socket, and maps it.
func openRing(fd int) (r ring, err error) {
	request := unix.TpacketReq{Block_size: blockLen, Block_nr: slots * slotLen / blockLen, Frame_size: slotLen,
		Frame_nr: slots}
	err = errors.Join(unix.SetsockoptInt(fd, unix.SOL_PACKET, unix.PACKET_VERSION, unix.TPACKET_V2),
		unix.SetsockoptInt(fd, unix.SOL_PACKET, unix.PACKET_COPY_THRESH, 1),
		unix.SetsockoptTpacketReq(fd, unix.SOL_PACKET, unix.PACKET_RX_RING, &request))
	if err != nil {
		return r, fmt.Errorf("make the ring of a packet socket: %w", err)
	}
	r.memory, err = unix.Mmap(fd, 0, slots*slotLen, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return r, fmt.Errorf("map the ring of a packet socket: %w", err)
	}
	return r, nil
}

// slot returns the next slot; ok is false if the kernel has written none.
func (r *ring) slot() (s []byte, status uint32, ok bool) {
	s = r.memory[r.next*slotLen : (r.next+1)*slotLen]
	status = atomic.LoadUint32(statusOf(s))
	return s, status, status&unix.TP_STATUS_USER != 0
}

// free gives the next slot back to the kernel.
func (r *ring) free() {
	atomic.StoreUint32(statusOf(r.memory[r.next*slotLen:]), unix.TP_STATUS_KERNEL)
	r.next = (r.next + 1) % slots
}

// slotWritten reports whether the kernel has written the slot that is n behind the next one.
func (r *ring) slotWritten(n int) bool {
	at := (r.next + n) % slots * slotLen
	return atomic.LoadUint32(statusOf(r.memory[at:]))&unix.TP_STATUS_USER != 0
}

func statusOf(slot []byte) *uint32 { return (*uint32)(unsafe.Pointer(&slot[slotStatus])) }

// lengths returns the length of a slot's frame, how many of its octets the slot has, and where in the slot.
func lengths(slot []byte) (frame, snap, at int) {
	return int(binary.NativeEndian.Uint32(slot[slotFrameLen:])), int(binary.NativeEndian.Uint32(slot[slotSnapLen:])),
		int(binary.NativeEndian.Uint16(slot[slotMAC:]))
}

// tag returns the VLAN tag that the kernel has taken out of the frame of a slot.
func tag(slot []byte, status uint32) (tci, tpid uint16, ok bool) {
	if status&unix.TP_STATUS_VLAN_VALID == 0 {
		return 0, 0, false
	}
	tci, tpid = binary.NativeEndian.Uint16(slot[slotTCI:]), unix.ETH_P_8021Q
	if status&unix.TP_STATUS_VLAN_TPID_VALID != 0 {
		tpid = binary.NativeEndian.Uint16(slot[slotTPID:])
	}
	return tci, tpid, true
}
