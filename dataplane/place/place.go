// Package place keeps the bookmark of each link's receiver for the next process, even if this process is killed: in
// memory shared with a file. A frame costs one store.
package place

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"
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

// Place is the bookmark of one link. One goroutine at a time uses it, but for Lost.
//
// If somebody cuts the file (truncate(1)), the kernel answers the next store with SIGBUS. ToleratesCuts turns the
// signal into a panic, which ends here: from then on the stores go to memory of this process, Lost reports the cut, and
// a place opened again takes over.
type Place struct {
	*words
	bookmark llr.Bookmark // copy of the stored bookmark, so that nothing is read from the shared memory
	stored   bool         // there is a bookmark

	shared []byte      // nil: private memory of this process
	file   *os.File    // nil: private
	named  bool        // the file had a name when it was opened: it is not a memfd
	cut    atomic.Bool // a store has failed
	spare  words       // takes the stores after a cut
}

// Private returns a place for a link's bookmark in memory of this process alone.
func Private() *Place { return &Place{words: &words{}} }

// Open maps a place, the memory of a link's bookmark, from a file of tmpfs or a memfd: there a store never waits
// for a disk. The file's memory is reserved first, so that a full file system is an error here (ENOSPC). The place owns
// the file, also after an error.
func Open(file *os.File) (*Place, error) {
	p, err := open(file)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("bookmark of a link: %s: %w", file.Name(), err), file.Close())
	}
	return p, nil
}

// open maps a file of bookmarks into memory and reads the bookmark that the last process has left there.
func open(file *os.File) (*Place, error) {
	found, err := reserve(file)
	if err != nil {
		return nil, err
	}
	shared, err := unix.Mmap(int(file.Fd()), 0, octets, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("map: %w", err)
	}
	p := &Place{words: (*words)(unsafe.Pointer(&shared[0])), shared: shared, file: file, named: links(file) > 0}
	if p.stored = found.valid == valid; p.stored {
		p.bookmark = llr.Bookmark{Origin: found.origin, Next: found.next}
	}
	return p, nil
}

// ToleratesCuts makes the calling goroutine survive the cut of a file whose memory it stores into: a fault of memory
// becomes a panic, which a Place recovers. Elsewhere such a panic ends the process, as the fault would.
func ToleratesCuts() { debug.SetPanicOnFault(true) }

// Bookmark returns the stored bookmark, the position of LLR's receiver; ok is false if none is stored.
func (p *Place) Bookmark() (b llr.Bookmark, ok bool) { return p.bookmark, p.stored }

// Write stores a bookmark, the position of LLR's receiver, after an LLR_INIT. A process killed meanwhile leaves
// the whole bookmark or none.
func (p *Place) Write(b llr.Bookmark) {
	p.bookmark, p.stored = b, true
	fits := false
	defer func() {
		if !fits {
			p.recoverFrom(recover())
		}
	}()
	p.store(b)
	fits = true
}

func (p *Place) store(b llr.Bookmark) {
	atomic.StoreUint32(&p.words.valid, 0)
	atomic.StoreUint32(&p.words.origin, b.Origin)
	atomic.StoreUint32(&p.words.next, b.Next)
	atomic.StoreUint32(&p.words.valid, valid)
}

// Advance stores next_rx_seq in the bookmark. The caller must store before it forwards the accepted frame. The deferred
// function returns at once as a rule: so it costs 2 ns, where a call of recover for each frame costs 5.
func (p *Place) Advance(next uint32) {
	p.bookmark.Next = next
	fits := false
	defer func() {
		if !fits {
			p.recoverFrom(recover())
		}
	}()
	p.words.next = next
	fits = true
}

// recoverFrom handles the fault of a store into memory whose file somebody has cut.
func (p *Place) recoverFrom(fault any) {
	if p.shared == nil || p.words == &p.spare {
		panic(fault) // no fault of the file
	}
	p.words = &p.spare
	p.store(p.bookmark)
	p.cut.Store(true)
}

// Lost reports whether the next process will not find the bookmark: somebody has cut or removed the file. Any goroutine
// may ask.
func (p *Place) Lost() bool {
	if p.file == nil {
		return false
	}
	var st unix.Stat_t
	if err := unix.Fstat(int(p.file.Fd()), &st); err != nil {
		return false
	}
	return p.cut.Load() || st.Size < int64(octets) || p.named && st.Nlink == 0
}

// Close unmaps the memory of the bookmark. The file keeps the bookmark.
func (p *Place) Close() error {
	if p.shared == nil {
		return nil
	}
	shared := p.shared
	p.words, p.shared = &p.spare, nil
	return errors.Join(unix.Munmap(shared), p.file.Close())
}
