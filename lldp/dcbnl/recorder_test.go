package dcbnl

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

// recordedNIC is a NIC in memory with one value.
type recordedNIC struct {
	mode     uint8
	restored int
}

func (n *recordedNIC) Read(string, Settings) (*Former, error) {
	return &Former{HasMode: true, Mode: n.mode, App: [][]byte{{1, 2, 3}}}, nil
}

func (n *recordedNIC) Apply(string, Settings, *Former) error { n.mode = 9; return nil }

func (n *recordedNIC) Restore(_ string, f *Former) error {
	n.mode = f.Mode
	n.restored++
	return nil
}

// files returns the names in the folder of the records.
func files(t *testing.T, r *Recorder) (list []string) {
	t.Helper()
	entries, err := os.ReadDir(r.Dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

// A process that is killed leaves a record: the next one restores what the NIC had before the first.
func TestRecordOutlivesAKill(t *testing.T) {
	n := &recordedNIC{mode: 4}
	next := func() *Recorder {
		return &Recorder{Dir: filepath.Join(t.TempDir(), "dcb"), Boot: "b", Place: "n", kernel: n,
			Warn: func(ifname string, err error) { t.Errorf("%s: %v", ifname, err) }}
	}
	killed := next()
	f, err := killed.Read("lo", Settings{})
	if err != nil || killed.Apply("lo", Settings{}, f) != nil || len(files(t, killed)) != 1 {
		t.Fatalf("%v, files %v", err, files(t, killed))
	}
	second := next()
	second.Dir = killed.Dir
	second.PutBack(func(string) bool { return true }) // it programs the same interface
	again, err := second.Read("lo", Settings{})
	if err != nil || !reflect.DeepEqual(again, f) {
		t.Errorf("%v: the second process restores %+v, not %+v", err, again, f)
	}
	if err := second.Restore("lo", again); err != nil || n.mode != 4 || len(files(t, second)) != 0 {
		t.Errorf("%v: mode %d, files %v", err, n.mode, files(t, second))
	}
}

// An interface that no port programs any more is restored at the next start, one of an earlier boot or of another
// network namespace is not.
func TestRecordsArePutBack(t *testing.T) {
	for _, c := range []struct {
		name, boot, place string
		restored, left    int
	}{
		{"the same place", "b", "n", 1, 0}, {"an earlier boot", "a", "n", 0, 0}, {"another namespace", "b", "m", 0, 1},
	} {
		n := &recordedNIC{mode: 4}
		dir := t.TempDir()
		killed := &Recorder{Dir: dir, Boot: c.boot, Place: c.place, kernel: n}
		if _, err := killed.Read("lo", Settings{}); err != nil {
			t.Fatal(err)
		}
		next := &Recorder{Dir: dir, Boot: "b", Place: "n", kernel: n,
			Warn: func(ifname string, err error) { t.Errorf("%s: %s: %v", c.name, ifname, err) }}
		next.PutBack(func(string) bool { return false })
		if n.restored != c.restored || len(files(t, next)) != c.left {
			t.Errorf("%s: restored %d times, %v left", c.name, n.restored, files(t, next))
		}
	}
}

// A file that is no record is told of and left; a folder that cannot be written to does not keep a NIC from being
// programmed.
func TestUnusableRecords(t *testing.T) {
	dir, reported := t.TempDir(), 0
	r := &Recorder{Dir: dir, Boot: "b", Place: "n", kernel: &recordedNIC{mode: 4}}
	r.Warn = func(string, error) { reported++ }
	if err := os.WriteFile(r.file("lo"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	r.PutBack(func(string) bool { return false })
	if reported != 1 || len(files(t, r)) != 1 {
		t.Errorf("told %d times, %v left", reported, files(t, r))
	}
	r.Dir = r.file("lo") // a file
	if f, err := r.Read("lo", Settings{}); err != nil || f.Mode != 4 || reported != 2 {
		t.Errorf("%+v, %v, told %d times", f, err, reported)
	}
}
