// Package place keeps how far the receivers of links have come where the next process finds it, though this one is
// killed: in memory that is shared with a file. To note a frame is one store.
package place

import (
	"fmt"
	"os"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"

	"uelink/llr"
)

// valid is the first word of a place that has a bookmark: what it is, and the version of the layout.
const valid = 0x75656C01

// words is the layout of a place, each word in the order of octets of this machine.
type words struct {
	valid  uint32 // 0: there is no bookmark
	origin uint32
	next   uint32
}

// octets is the length of a place.
const octets = int(unsafe.Sizeof(words{}))

// Place is the bookmark of one link. One goroutine at a time uses it.
type Place struct {
	*words
	shared []byte // nil: the words are this process's alone
}

// Private returns a place that nobody else finds.
func Private() *Place { return &Place{words: &words{}} }

// Open returns the place that a file keeps: one of tmpfs or a memfd, so that no store waits for a disk. The file may be
// closed afterwards.
func Open(file *os.File) (*Place, error) {
	if err := file.Truncate(int64(octets)); err != nil {
		return nil, fmt.Errorf("bookmark of a link: %w", err)
	}
	shared, err := unix.Mmap(int(file.Fd()), 0, octets, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("bookmark of a link: map %s: %w", file.Name(), err)
	}
	return &Place{words: (*words)(unsafe.Pointer(&shared[0])), shared: shared}, nil
}

// Bookmark returns what the place keeps; ok is false if that is nothing.
func (p *Place) Bookmark() (b llr.Bookmark, ok bool) {
	return llr.Bookmark{Origin: p.origin, Next: p.next}, p.valid == valid
}

// Begin keeps the bookmark of a receiver that an LLR_INIT has set. It is whole at any time.
func (p *Place) Begin(b llr.Bookmark) {
	atomic.StoreUint32(&p.valid, 0)
	atomic.StoreUint32(&p.origin, b.Origin)
	atomic.StoreUint32(&p.next, b.Next)
	atomic.StoreUint32(&p.valid, valid)
}

// Advance notes next_rx_seq of the receiver. To be called before a frame that was accepted goes any further.
func (p *Place) Advance(next uint32) { p.next = next }

// Close lets go of the place, which keeps what it has.
func (p *Place) Close() error {
	if p.shared == nil {
		return nil
	}
	shared := p.shared
	p.words, p.shared = &words{}, nil
	return unix.Munmap(shared)
}
