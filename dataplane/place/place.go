// Package place keeps the bookmark of each link's receiver for the next process, even if this process is killed: in
// memory shared with a file. A frame costs one store.
package place

import (
	"fmt"
	"os"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"

	"uelink/llr"
)

// valid is the first word of a place with a bookmark: a magic number with the version of the layout.
const valid = 0x75656C01

// words is the layout of a place, each word in the order of octets of this machine.
type words struct {
	valid  uint32 // 0: no bookmark
	origin uint32
	next   uint32
}

// octets is the length of a place.
const octets = int(unsafe.Sizeof(words{}))

// Place is the bookmark of one link. One goroutine at a time uses it.
type Place struct {
	*words
	shared []byte // nil: private memory of this process
}

// Private returns a place for a link's bookmark in memory of this process alone.
func Private() *Place { return &Place{words: &words{}} }

// Open maps a place, the memory of a link's bookmark, from a file of tmpfs or a memfd: there a store never waits
// for a disk. The caller may close the file afterwards.
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

// Bookmark returns the stored bookmark, the position of LLR's receiver; ok is false if none is stored.
func (p *Place) Bookmark() (b llr.Bookmark, ok bool) {
	return llr.Bookmark{Origin: p.origin, Next: p.next}, p.valid == valid
}

// Write stores a bookmark, the position of LLR's receiver, after an LLR_INIT. A process killed meanwhile leaves
// the whole bookmark or none.
func (p *Place) Write(b llr.Bookmark) {
	atomic.StoreUint32(&p.valid, 0)
	atomic.StoreUint32(&p.origin, b.Origin)
	atomic.StoreUint32(&p.next, b.Next)
	atomic.StoreUint32(&p.valid, valid)
}

// Advance stores next_rx_seq in the bookmark. The caller must store before it forwards the accepted frame.
func (p *Place) Advance(next uint32) { p.next = next }

// Close unmaps the memory of the bookmark. The file keeps the bookmark.
func (p *Place) Close() error {
	if p.shared == nil {
		return nil
	}
	shared := p.shared
	p.words, p.shared = &words{}, nil
	return unix.Munmap(shared)
}
