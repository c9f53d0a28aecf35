package pcap

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gopacket/gopacket/pcapgo"
)

// A recorder's frames are in the file in their order, with interface, direction, time and comment.
func TestRecorder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.pcapng")
	c, err := CreateNew(path, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	r, at := c.Recorder("wa", "wb"), time.Unix(1_700_000_000, 123)
	r.Received(0, []byte("one"), at, []byte("r1 drop"))
	r.Sent(1, []byte("two"), at.Add(1), nil)
	r.Noted(1, []byte("three"), at.Add(2), []byte(strings.Repeat("x", 2*MaxComment)))
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, mode %v", err, info.Mode())
	}
	ng, err := pcapgo.NewNgReader(f, pcapgo.NgReaderOptions{WantMixedLinkType: true})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct {
		octets, comment string
		intf            int
		direction       pcapgo.NgEpbFlag
	}{{"one", "r1 drop", 0, pcapgo.NgEpbFlagDirectionInbound}, {"two", "", 1, pcapgo.NgEpbFlagDirectionOutbound},
		{"three", strings.Repeat("x", MaxComment), 1, pcapgo.NgEpbFlagDirectionUnknown}} {
		octets, info, options, err := ng.ReadPacketDataWithOptions()
		if err != nil {
			t.Fatal(err)
		}
		comment := strings.Join(options.Comments, "|")
		if string(octets) != want.octets || comment != want.comment || info.InterfaceIndex != want.intf ||
			options.Flags.Direction != want.direction || !info.Timestamp.Equal(at.Add(time.Duration(i))) {
			t.Errorf("%q at %v of %d, %+v, comment %.20q", octets, info.Timestamp, info.InterfaceIndex, options.Flags, comment)
		}
	}
}

// A new capture never takes the place of anything.
func TestCreateNewRefusesWhatExists(t *testing.T) {
	dir := t.TempDir()
	path, link := filepath.Join(dir, "old"), filepath.Join(dir, "link")
	err := errors.Join(os.WriteFile(path, []byte("old"), 0o644), os.Symlink(filepath.Join(dir, "new"), link))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []string{path, link, dir} {
		if _, err := CreateNew(p, 100); err == nil || !strings.Contains(err.Error(), "exists: remove it") {
			t.Errorf("%s: %v", p, err)
		}
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "old" {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := CreateNew(filepath.Join(dir, "none", "c"), 100); err == nil {
		t.Error("a folder that is missing is made")
	}
}

func TestARecordedFrameAllocatesNothing(t *testing.T) {
	c := New(&file{}, "nowhere", 1<<40)
	defer c.Close()
	r, octets, comment := c.Recorder("wa", "wb"), make([]byte, 100), []byte("r1 drop")
	if n := testing.AllocsPerRun(1000, func() { r.Received(1, octets, time.Time{}, comment) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
