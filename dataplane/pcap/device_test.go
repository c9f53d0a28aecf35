package pcap

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"uelink/dataplane/frame"
	"uelink/dataplane/frame/frametest"
	"uelink/dataplane/mem"
)

var (
	_        frame.Device = (*Device)(nil)
	geometry              = frame.Geometry{ChunkSize: 2048, RX: 16, TX: 16}
)

// packet is a frame as read from the file.
type packet struct {
	intf   uint32
	way    direction
	octets string
}

// readPackets parses a file by the format's own lengths.
func readPackets(t *testing.T, file []byte) (packets []packet, names []string) {
	t.Helper()
	for len(file) > 0 {
		if len(file) < 12 || firstBlock(file) > len(file) {
			t.Fatalf("the file ends within a block: % x", file)
		}
		b := file[:firstBlock(file)]
		switch binary.LittleEndian.Uint32(b) {
		case blockInterface:
			names = append(names, string(b[20:][:binary.LittleEndian.Uint16(b[18:])]))
		case blockPacket:
			n := int(binary.LittleEndian.Uint32(b[20:]))
			flags := b[28+(n+3)&^3+4:]
			packets = append(packets, packet{binary.LittleEndian.Uint32(b[8:]), direction(flags[0]), string(b[28:][:n])})
		}
		file = file[len(b):]
	}
	return packets, names
}

// file is a file in memory that can fail.
type file struct {
	mu     sync.Mutex
	data   bytes.Buffer
	err    error // of Write, once there are failAt octets
	failAt int
	writes int
	closed error
}

func (f *file) Write(b []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.writes++
	if f.err != nil && f.data.Len()+len(b) > f.failAt {
		return 0, f.err
	}
	return f.data.Write(b)
}

func (f *file) Close() error { return f.closed }

// transmit posts one frame on a device and kicks.
func transmit(t *testing.T, d frame.Device, octets string) {
	t.Helper()
	addr := d.Geometry().SlotAddr(0)
	copy(d.Area()[addr:], octets)
	if d.Transmit([]frame.Desc{{Addr: addr, Len: uint32(len(octets))}}) != 1 {
		t.Fatal("Transmit took nothing")
	}
	if err := d.Kick(); err != nil {
		t.Fatal(err)
	}
	d.Completed(make([]uint64, 1))
}

func receive(d frame.Device) string {
	var descs [1]frame.Desc
	if d.Receive(descs[:]) == 0 {
		return ""
	}
	octets := string(d.Area()[descs[0].Addr:][:descs[0].Len])
	d.Recycle(descs[:])
	return octets
}

func TestBothDirectionsOfEveryTapAreInTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "both.pcapng")
	capture, err := Create(path, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	a, b := mem.NewPair(geometry, geometry, 16)
	link, edge := capture.Tap(a, "link0"), capture.Tap(b, "edge0")
	transmit(t, link, "from link")
	if got := receive(edge); got != "from link" {
		t.Fatalf("edge received %q", got)
	}
	transmit(t, edge, "from edge")
	if got := receive(link); got != "from edge" {
		t.Fatalf("link received %q", got)
	}
	for _, c := range []io.Closer{link, edge, capture, capture} {
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	packets, names := readPackets(t, data)
	got := map[packet]bool{}
	for _, p := range packets {
		got[p] = true
	}
	for _, want := range []packet{{0, outbound, "from link"}, {1, inbound, "from link"}, {1, outbound, "from edge"},
		{0, inbound, "from edge"}} {
		if !got[want] {
			t.Errorf("%+v is missing in %+v", want, packets)
		}
	}
	if len(packets) != 4 || strings.Join(names, " ") != "link0 edge0" {
		t.Errorf("%d packets on %q", len(packets), names)
	}
	if got := capture.Counts(); got != (Counts{Frames: 4, Octets: int64(len(data))}) {
		t.Errorf("counts %+v of a file of %d octets", got, len(data))
	}
}

func TestFramesNotTakenAreNotCaptured(t *testing.T) {
	f := &file{}
	capture := New(f, "memory", 1<<20)
	a, _ := mem.NewPair(geometry, geometry, 2)
	tap := capture.Tap(a, "link0")
	desc := frame.Desc{Addr: geometry.SlotAddr(0), Len: 60}
	if n := tap.Transmit([]frame.Desc{desc, desc, desc}); n != 2 {
		t.Fatalf("Transmit took %d", n)
	}
	if err := errors.Join(tap.Close(), capture.Close()); err != nil {
		t.Fatal(err)
	}
	if packets, _ := readPackets(t, f.data.Bytes()); len(packets) != 2 {
		t.Errorf("%d packets", len(packets))
	}
}

func TestFileNeverGrowsBeyondItsLimit(t *testing.T) {
	empty := int64(len(appendInterface(section(), "link0")))
	for _, c := range []struct {
		limit  int64
		frames int
	}{{0, 0}, {empty, 0}, {empty + 99, 0}, {empty + int64(packetSize(60, 0)), 1}, {empty + 2*int64(packetSize(60, 0)) + 50, 2}} {
		f := &file{}
		capture := New(f, "memory", c.limit)
		a, _ := mem.NewPair(geometry, geometry, 16)
		tap := capture.Tap(a, "link0")
		desc := frame.Desc{Addr: geometry.SlotAddr(0), Len: 60}
		tap.Transmit([]frame.Desc{desc, desc, desc}) // one chunk, not all of which fits
		tap.Transmit([]frame.Desc{desc})             // and one that comes too late
		if err := errors.Join(tap.Close(), capture.Close()); err != nil {
			t.Fatal(err)
		}
		packets, _ := readPackets(t, f.data.Bytes())
		got := capture.Counts()
		if len(packets) != c.frames || !got.Full || got.Frames != uint64(c.frames) || got.Octets != int64(f.data.Len()) ||
			got.Octets > c.limit {
			t.Errorf("limit %d: %d packets, %+v", c.limit, len(packets), got)
		}
	}
}

func TestErrorOfTheFileStopsTheCaptureAndNotTheTraffic(t *testing.T) {
	diskFull := errors.New("disk full")
	f := &file{err: diskFull, failAt: 100}
	capture := New(f, "memory", 1<<20)
	a, b := mem.NewPair(geometry, geometry, 16)
	tap, host := capture.Tap(a, "link0"), mem.NewHost(b)
	for i := range 3 {
		transmit(t, tap, "frame")
		if got := string(host.Recv()); got != "frame" {
			t.Fatalf("frame %d came as %q", i, got)
		}
	}
	if err := tap.Close(); err != nil {
		t.Fatal(err)
	}
	if err := capture.Close(); !errors.Is(err, diskFull) ||
		!strings.Contains(err.Error(), "capture memory: write: disk full") {
		t.Errorf("Close: %v", err)
	}
	if err := capture.Err(); !errors.Is(err, diskFull) {
		t.Errorf("Err: %v", err)
	}
	if got := capture.Counts(); got.Frames != 0 || f.data.Len() > 100 {
		t.Errorf("counts %+v, %d octets", got, f.data.Len())
	}
}

func TestErrorsOfOpeningAndClosingAreNamed(t *testing.T) {
	if _, err := Create(filepath.Join(t.TempDir(), "absent", "x.pcapng"), 1); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Create: %v", err)
	}
	capture := New(&file{closed: errors.New("lost")}, "memory", 1<<20)
	if err := capture.Close(); err == nil || err.Error() != "capture memory: close: lost" {
		t.Errorf("Close: %v", err)
	}
}

// While a write hangs, the tap neither waits nor writes: it counts missed frames.
func TestSlowFileIsMissedFramesAndNothingElse(t *testing.T) {
	f := &file{}
	capture := New(f, "memory", 1<<30)
	a, b := mem.NewPair(geometry, geometry, 16)
	tap, host := capture.Tap(a, "link0"), mem.NewHost(b)
	f.mu.Lock() // the file hangs
	const sent = chunksPerTap*chunkSize/1024 + 100
	octets := strings.Repeat("x", 1024)
	for range sent {
		transmit(t, tap, octets)
		if host.Recv() == nil {
			t.Fatal("a frame was held up")
		}
	}
	f.mu.Unlock()
	if err := errors.Join(tap.Close(), capture.Close()); err != nil {
		t.Fatal(err)
	}
	got := capture.Counts()
	packets, _ := readPackets(t, f.data.Bytes())
	if got.Missed == 0 || got.Frames+got.Missed != sent || uint64(len(packets)) != got.Frames {
		t.Errorf("%+v of %d sent, %d in the file", got, sent, len(packets))
	}
	if full := uint64(chunkSize / packetSize(len(octets), 0)); got.Frames < (chunksPerTap-1)*full {
		t.Errorf("%d frames are in the file: the memory has room for %d", got.Frames, (chunksPerTap-1)*full)
	}
	if f.writes > 2+2*chunksPerTap {
		t.Errorf("%d writes for %d frames", f.writes, sent)
	}
}

func TestTapOutlivesTheCapture(t *testing.T) {
	capture := New(&file{}, "memory", 1<<20)
	a, _ := mem.NewPair(geometry, geometry, 16)
	tap := capture.Tap(a, "link0")
	if err := capture.Close(); err != nil {
		t.Fatal(err)
	}
	transmit(t, tap, "late")
	if err := tap.Close(); err != nil {
		t.Fatal(err)
	}
	if got := capture.Counts(); got.Frames != 0 {
		t.Errorf("counts %+v", got)
	}
}

func TestNoAllocationPerFrame(t *testing.T) {
	capture := New(&file{}, "memory", 1<<20)
	defer capture.Close()
	a, b := mem.NewPair(geometry, geometry, 16)
	tap, host := capture.Tap(a, "link0"), mem.NewHost(b)
	// The capture's goroutine is not measured: what it wants it gets late.
	capture.mu.Lock()
	defer capture.mu.Unlock()
	tx, rx, addrs := []frame.Desc{{Addr: geometry.SlotAddr(0), Len: 60}}, make([]frame.Desc, 4), make([]uint64, 4)
	octets := make([]byte, 60)
	n := testing.AllocsPerRun(200, func() {
		tap.Transmit(tx)
		_ = tap.Kick()
		tap.Completed(addrs)
		host.Recv()
		host.Send(octets)
		tap.Recycle(rx[:tap.Receive(rx)])
	})
	if n != 0 {
		t.Errorf("%v allocations per round", n)
	}
}

// A capture that has reached its limit goes on when the limit is raised, in the same file.
func TestARaisedLimit(t *testing.T) {
	f := &file{}
	empty := int64(len(appendInterface(section(), "link0")))
	capture := New(f, "memory", empty+int64(packetSize(60, 0)))
	a, _ := mem.NewPair(geometry, geometry, 16)
	tap := capture.Tap(a, "link0")
	desc := frame.Desc{Addr: geometry.SlotAddr(0), Len: 60}
	eventually := func(full bool) {
		t.Helper()
		for end := time.Now().Add(10 * time.Second); capture.Counts().Full != full; time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("%+v", capture.Counts())
			}
		}
	}
	tap.Transmit([]frame.Desc{desc, desc})
	eventually(true)
	capture.SetLimit(1 << 20)
	eventually(false)
	tap.Transmit([]frame.Desc{desc})
	tap.Detach()
	if err := capture.Close(); err != nil {
		t.Fatal(err)
	}
	if packets, _ := readPackets(t, f.data.Bytes()); len(packets) != 2 {
		t.Errorf("%d packets, want the one before the limit and the one after it was raised", len(packets))
	}
}

// A detached tap hands over its frames, and the device below it stays open.
func TestALeftTap(t *testing.T) {
	f := &file{}
	capture := New(f, "memory", 1<<20)
	a, b := mem.NewPair(geometry, geometry, 16)
	tap := capture.Tap(a, "link0")
	transmit(t, tap, "first")
	tap.Detach()
	transmit(t, a, "second")
	if got := receive(b) + receive(b); got != "firstsecond" {
		t.Errorf("%q", got)
	}
	if err := capture.Close(); err != nil {
		t.Fatal(err)
	}
	if packets, _ := readPackets(t, f.data.Bytes()); len(packets) != 1 || packets[0].octets != "first" {
		t.Errorf("%v", packets)
	}
}

// The capture of an edge has the frames as the edge carries them. The frames in memory stay as they are, and so do
// sent ones.
func TestTapOfAnEdgeShowsFinishedChecksums(t *testing.T) {
	path := filepath.Join(t.TempDir(), "edge.pcapng")
	capture, err := Create(path, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	a, b := mem.NewPair(geometry, geometry, 16)
	edge := capture.Tap(b, "edge0")
	edge.AsCarried()
	unfinished, finished := frametest.Unfinished(61)
	transmit(t, a, string(unfinished))
	if got := receive(edge); got != string(unfinished) {
		t.Errorf("the tap has changed a received frame to %x", got)
	}
	transmit(t, edge, string(unfinished))
	if err := errors.Join(edge.Close(), capture.Close()); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := []packet{{0, inbound, string(finished)}, {0, outbound, string(unfinished)}}
	if got, _ := readPackets(t, file); !slices.Equal(got, want) {
		t.Errorf("in the file: %v, should be %v", got, want)
	}
}
