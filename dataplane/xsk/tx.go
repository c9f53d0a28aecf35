package xsk

import (
	"sync/atomic"

	"golang.org/x/sys/unix"

	"uelink/dataplane/frame"
)

// txRing is the ring by which frames go to the kernel to be sent.
type txRing struct{ producer[frame.Desc] }

// post puts as many frames as fit on the TX ring and returns their number.
func (t *txRing) post(tx []frame.Desc) int {
	n := min(len(tx), t.room(len(tx)))
	if n > 0 {
		t.write(tx[:n])
	}
	return n
}

// wantsWakeup reports whether the kernel reads the TX ring only when kicked. In copy mode that is always so.
func (t *txRing) wantsWakeup() bool {
	return atomic.LoadUint32(t.flags)&unix.XDP_RING_NEED_WAKEUP != 0
}
