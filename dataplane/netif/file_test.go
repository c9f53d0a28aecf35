package netif

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

func TestClaimTakesPlainFilesOnly(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	must(t, os.WriteFile(in("file"), nil, 0o600))
	must(t, os.Symlink(in("file"), in("symlink")))
	must(t, os.Mkdir(in("directory"), 0o700))
	must(t, unix.Mkfifo(in("fifo"), 0o600))
	for _, name := range []string{"symlink", "directory", "fifo", "none"} {
		f, err := claim(in(name))
		if err == nil {
			t.Errorf("%s was taken", name)
			f.Close()
		}
		if errors.Is(err, fs.ErrNotExist) != (name == "none") || errors.Is(err, ErrHeld) {
			t.Errorf("%s: %v", name, err)
		}
	}
	f, err := claim(in("file"))
	must(t, err)
	if _, err := claim(in("file")); !errors.Is(err, ErrHeld) {
		t.Errorf("a second claim: %v", err)
	}
	must(t, f.Close())
	f, err = claim(in("file"))
	must(t, err)
	f.Close()
}

func TestPutKeepsTheLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "record")
	f, err := put(path, []byte("one"), nil)
	must(t, err)
	if _, err := put(path, []byte("another's"), nil); !errors.Is(err, ErrHeld) {
		t.Errorf("another one put a file there: %v", err)
	}
	f, err = put(path, []byte("two"), f)
	must(t, err)
	if _, err := claim(path); !errors.Is(err, ErrHeld) {
		t.Errorf("the lock was lost: %v", err)
	}
	if text, err := contents(f); err != nil || string(text) != "two" {
		t.Errorf("%q, %v", text, err)
	}
	if entries, _ := os.ReadDir(filepath.Dir(path)); len(entries) != 1 {
		t.Errorf("there is %v", entries)
	}
}

// A process may be killed while it writes a file.
func TestUnfinishedFilesAreRemoved(t *testing.T) {
	w := newWorld(t)
	must(t, os.MkdirAll(w.dir, 0o700))
	must(t, os.WriteFile(filepath.Join(w.dir, unfixed+"1"), []byte("{"), 0o600))
	w.do(func() { OpenRecords(w.dir, w.log).PutBack() })
	w.noFiles()
	if w.logs.Len() > 0 {
		t.Errorf("%v", w.logs.All())
	}
}

// A path that holds no record, where a record belongs, is replaced or logged.
func TestBadFileAtThePlaceOfARecord(t *testing.T) {
	for _, c := range []struct {
		name, text string
		put        func(path string) error
	}{
		{"damaged", "is overwritten", func(path string) error { return os.WriteFile(path, []byte("{"), 0o600) }},
		{"symlink", "is ignored", func(path string) error { return os.Symlink("/etc/hostname", path) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			before := w.state()
			w.do(func() {
				path := w.mustOwn().path
				must(t, os.MkdirAll(w.dir, 0o700))
				must(t, c.put(path))
				w.changed().Release()
			})
			w.expect(before, "after Release")
			if w.countLogged(c.text) != 1 {
				t.Errorf("%v", w.logs.All())
			}
		})
	}
}

// Whatever a file holds, reading it ends in a usable record or an error.
func FuzzParseRecord(f *testing.F) {
	good := record{
		Version: recordVersion, Process: 1, Interface: Identity{"boot", "cookie-1", 2, "02:00:00:00:00:01", "eth0"},
		MTU: &mtu{1500, 1514}, Offloads: []string{"rx-gro"},
	}
	name := good.Interface.file()
	text, err := good.text()
	if err != nil {
		f.Fatal(err)
	}
	if _, err := parseRecord(name, text); err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add(text[:20])
	for _, seed := range []string{"", "[]", "null", `{"version":1}`, `{"version":1,"mtu":{}}`, `{"mtu":7}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := parseRecord(name, text)
		if err != nil {
			return
		}
		if r.Interface.Index <= 0 || r.Interface.file() != name || r.MTU != nil && r.MTU.Set <= 0 {
			t.Errorf("%+v", r)
		}
		if _, err := json.Marshal(r); err != nil {
			t.Error(err)
		}
	})
}
