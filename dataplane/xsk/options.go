package xsk

import (
	"fmt"
	"math"
	"math/bits"

	"golang.org/x/sys/unix"

	"uelink/dataplane/attach"
	"uelink/dataplane/frame"
)

// Options is the settings of a socket.
type Options struct {
	Opener   attach.Opener
	RingSize int            // frames that the TX ring holds; a power of two
	RxRing   int            // entries of the RX ring, a power of two; 0: RingSize
	Geometry frame.Geometry // of the UMEM: chunks of 2048 or 4096 octets; Pieces above 1 needs Linux 6.6
	Bind     attach.Bind
	// Live readies the socket for live frames: the TX slots lie in a BPF array. Only the native opener can do this, in
	// copy mode, and for frames of one chunk. Otherwise, and where the kernel refuses, the socket opens without live
	// frames.
	Live bool
	// BoundQueue bounds the queue of received frames to BoundedQueue while more frames arrive than are forwarded,
	// in copy mode, for frames of one chunk and RX rings of at least twice as many entries.
	BoundQueue bool
}

// MostPieces is the most chunks that a frame may take. Some drivers support no more.
const MostPieces = 4

// ringSizes is the number of entries of each ring, all powers of two.
type ringSizes struct {
	fill       int // twice the RX chunks, see fillRing
	rx         int // as the options ask for
	tx         int // RingSize, times the chunks of a frame rounded up to a power of two
	completion int // the entries of the TX ring, and as many again in the driver
}

// sizes returns the numbers of ring entries, powers of two. A frame of several chunks needs as many TX entries, and
// each of them completes on its own.
func (o Options) sizes() ringSizes {
	tx := o.RingSize
	if o.several() {
		tx <<= bits.Len(uint(o.Geometry.Pieces - 1))
	}
	return ringSizes{
		fill:       1 << bits.Len(uint(2*o.Geometry.RX-1)),
		rx:         o.rxRing(),
		tx:         tx,
		completion: 2 * tx,
	}
}

// rxRing returns the number of entries of the RX ring that the options ask for.
func (o Options) rxRing() int {
	if o.RxRing == 0 {
		return o.RingSize
	}
	return o.RxRing
}

// several reports whether the options allow frames of more than one chunk.
func (o Options) several() bool { return o.Geometry.Pieces > 1 }

// flags returns the flags of the bind call. Need-wakeup (Linux 5.4) lets the kernel say when a system call is
// wanted.
func (o Options) flags() uint16 {
	flags := uint16(unix.XDP_USE_NEED_WAKEUP)
	if o.several() {
		flags |= unix.XDP_USE_SG
	}
	if o.Bind == attach.BindZeroCopy {
		return flags | unix.XDP_ZEROCOPY
	}
	return flags | unix.XDP_COPY
}

// mostEntries is the most entries that a ring may have.
const mostEntries = 1 << 20

// isRing reports whether the kernel allows a ring of n entries.
func isRing(n int) bool { return n >= 1 && n <= mostEntries && n&(n-1) == 0 }

// check returns an error for options that the kernel would refuse.
func (o *Options) check() error {
	g := o.Geometry
	switch {
	case o.Opener != attach.OpenerAsavie && o.Opener != attach.OpenerNative:
		return fmt.Errorf("opener: %v is not possible for a socket", o.Opener)
	case o.Bind != attach.BindCopy && o.Bind != attach.BindZeroCopy:
		return fmt.Errorf("bind mode %v is not possible for a socket: want copy or zerocopy", o.Bind)
	case !isRing(o.RingSize):
		return fmt.Errorf("ring size %d is no power of two up to %d", o.RingSize, mostEntries)
	case !isRing(o.rxRing()):
		return fmt.Errorf("RX ring size %d is no power of two up to %d", o.RxRing, mostEntries)
	case g.ChunkSize != 2048 && g.ChunkSize != 4096:
		return fmt.Errorf("chunk size %d is neither 2048 nor 4096", g.ChunkSize)
	case g.Pieces < 0 || g.Pieces > MostPieces || g.Places < 0 || o.several() && g.Places == 0:
		return fmt.Errorf("%d chunks a frame and %d places (buffers for joined frames): want 1 to %d chunks, "+
			"and at least one place if a frame may take several chunks",
			g.Pieces, g.Places, MostPieces)
	case g.RX < 1 || g.RX > 1<<20 || g.TX < 1 || g.Size() > math.MaxUint32:
		return fmt.Errorf("%d RX and %d TX chunks: want at least one of each and less than 4 GiB in all", g.RX, g.TX)
	}
	return nil
}
