package place

import (
	"os"
	"path/filepath"
	"testing"

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
	if got, is := p.Bookmark(); got != mark || is != ok {
		t.Errorf("bookmark %+v, %v; want %+v, %v", got, is, mark, ok)
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
	defer f.Close()
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
