package place

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"uelink/llr"
)

func take(t *testing.T, s Shelf, port string) *Place {
	t.Helper()
	p, err := OpenFor(s, port, "eth0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	return p
}

func want(t *testing.T, p *Place, mark llr.Bookmark, ok bool) {
	t.Helper()
	if got, valid := p.Bookmark(); got != mark || valid != ok {
		t.Errorf("bookmark %+v, %v; want %+v, %v", got, valid, mark, ok)
	}
}

// What one process has noted, without closing anything, the next one finds.
func TestTheNextProcessFindsTheBookmark(t *testing.T) {
	s := Directory(filepath.Join(t.TempDir(), "new"))
	first := take(t, s, "link0")
	want(t, first, llr.Bookmark{}, false)
	first.Write(llr.Bookmark{Origin: 500, Next: 500})
	first.Advance(507)
	want(t, take(t, s, "link0"), llr.Bookmark{Origin: 500, Next: 507}, true)
	want(t, take(t, s, "link1"), llr.Bookmark{}, false)
	Forget(s, "link0", "eth0")
	want(t, take(t, s, "link0"), llr.Bookmark{}, false)
}

// A place that was closed is used no more, and what it keeps stays.
func TestClosedPlaceKeepsWhatItHas(t *testing.T) {
	s := Directory(t.TempDir())
	p := take(t, s, "link0")
	p.Write(llr.Bookmark{Origin: 1, Next: 2})
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	p.Advance(9)
	want(t, take(t, s, "link0"), llr.Bookmark{Origin: 1, Next: 2}, true)
}

// A file that is something else has no bookmark.
func TestForeignFile(t *testing.T) {
	f, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("something else, and longer than a place is"); err != nil {
		t.Fatal(err)
	}
	p, err := Open(f)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := p.Bookmark(); ok {
		t.Error("it is taken for a bookmark")
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

// cut opens a place of link0 on a shelf, and cuts its file to a length.
func cut(t *testing.T, s Directory, length int64) *Place {
	t.Helper()
	p := take(t, s, "link0")
	p.Write(llr.Bookmark{Origin: 1, Next: 2})
	if err := os.Truncate(p.file.Name(), length); err != nil {
		t.Fatal(err)
	}
	return p
}

// A file that somebody has cut ends no process, and the place goes on in memory of its own.
func TestCutFile(t *testing.T) {
	s := Directory(t.TempDir())
	for name, store := range map[string]func(p *Place){
		"advance": func(p *Place) { p.Advance(3); p.Advance(4) },
		"write":   func(p *Place) { p.Write(llr.Bookmark{Origin: 1, Next: 4}) },
	} {
		t.Run(name, func(t *testing.T) {
			ToleratesCuts() // this goroutine, which ends with the test
			p := cut(t, s, 0)
			store(p)
			want(t, p, llr.Bookmark{Origin: 1, Next: 4}, true)
			want(t, take(t, s, "link0"), llr.Bookmark{}, false) // makes the file long enough again
			if !p.Lost() {
				t.Error("the next process does not find the bookmark, and nobody says so")
			}
		})
	}
}

// A part of a bookmark is none: the stores into the rest of the page go nowhere.
func TestPartOfABookmark(t *testing.T) {
	s := Directory(t.TempDir())
	for length := range int64(octets) {
		p := cut(t, s, length)
		if !p.Lost() {
			t.Errorf("a file of %d octets is not lost", length)
		}
		want(t, take(t, s, "link0"), llr.Bookmark{}, false)
	}
}

func TestRemovedFile(t *testing.T) {
	s := Directory(t.TempDir())
	p := take(t, s, "link0")
	if p.Lost() {
		t.Error("it is lost")
	}
	Forget(s, "link0", "eth0")
	if !p.Lost() {
		t.Error("it is not lost")
	}
}

// A file in memory (memfd) has no name, and cannot be cut once it is a place.
func TestFileInMemory(t *testing.T) {
	fd, err := unix.MemfdCreate("place", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Open(os.NewFile(uintptr(fd), "place"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	if err := p.file.Truncate(0); !errors.Is(err, unix.EPERM) {
		t.Errorf("cut: %v", err)
	}
	if p.Lost() || Private().Lost() {
		t.Error("it is lost")
	}
}

// A file system without fallocate gets zeros. A full one is an error, and the bookmark in the file stays.
func TestReservation(t *testing.T) {
	t.Cleanup(func() { allocate = unix.Fallocate })
	s := Directory(t.TempDir())
	allocate = func(int, uint32, int64, int64) error { return unix.EOPNOTSUPP }
	first := take(t, s, "link0")
	if st, err := first.file.Stat(); err != nil || st.Size() != int64(octets) {
		t.Fatalf("%v, %v", st, err)
	}
	first.Write(llr.Bookmark{Origin: 1, Next: 2})
	want(t, take(t, s, "link0"), llr.Bookmark{Origin: 1, Next: 2}, true)
	allocate = func(int, uint32, int64, int64) error { return unix.ENOSPC }
	if _, err := OpenFor(s, "link0", "eth0"); !errors.Is(err, unix.ENOSPC) {
		t.Errorf("a full file system: %v", err)
	}
	allocate = unix.Fallocate
	want(t, take(t, s, "link0"), llr.Bookmark{Origin: 1, Next: 2}, true)
}

func TestPlaceThatCannotBeMade(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenFor(Directory(file), "link0", "eth0"); err == nil {
		t.Error("a file is taken for a directory")
	}
}

func TestNothingAllocates(t *testing.T) {
	p := take(t, Directory(t.TempDir()), "link0")
	if n := testing.AllocsPerRun(100, func() { p.Advance(7) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkAdvance(b *testing.B) {
	p, err := OpenFor(Directory(b.TempDir()), "link0", "eth0")
	if err != nil {
		b.Fatal(err)
	}
	defer p.Close()
	for i := range b.N {
		p.Advance(uint32(i))
	}
}
