package pcap

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/gopacket/gopacket/pcapgo"

	"uelink/dataplane/frame"
	"uelink/dataplane/mem"
)

// A tap of one frame of three captures the third, the sixth … of both directions together.
func TestSample(t *testing.T) {
	f := &file{}
	capture := New(f, "test", 1<<20)
	a, _ := mem.NewPair(geometry, geometry, 16)
	tap := capture.Sample(a, "link0", 3)
	for i := range 10 {
		transmit(t, tap, fmt.Sprintf("frame %d", i+1))
	}
	for _, err := range []error{tap.Close(), capture.Close()} {
		if err != nil {
			t.Fatal(err)
		}
	}
	packets, _ := readPackets(t, f.data.Bytes())
	var got []string
	for _, p := range packets {
		got = append(got, p.octets)
	}
	if want := "[frame 3 frame 6 frame 9]"; fmt.Sprint(got) != want {
		t.Errorf("captured %v, want %s", got, want)
	}
}

// slow is a file whose writes wait.
type slow struct {
	file
	gate chan struct{}
}

func (s *slow) Write(b []byte) (int, error) {
	<-s.gate
	return s.file.Write(b)
}

// A reader that stands still blocks nobody: frames beyond the memory of the tap are missing, and the next block of
// statistics has their number.
func TestMissingFramesAreTold(t *testing.T) {
	f := &slow{gate: make(chan struct{}, 1<<20)}
	f.gate <- struct{}{} // the section
	f.gate <- struct{}{} // the interface
	capture := New(f, "test", 1<<30)
	a, _ := mem.NewPair(geometry, geometry, 16)
	tap := capture.Tap(a, "link0")
	const sent = 3 * chunksPerTap * chunkSize / 2000
	for range sent {
		transmit(t, tap, string(make([]byte, 2000)))
		var none [1]frame.Desc
		tap.Receive(none[:])
	}
	close(f.gate)
	for len(tap.home) < chunksPerTap {
		time.Sleep(time.Millisecond)
	}
	transmit(t, tap, "the next one")
	for _, err := range []error{tap.Close(), capture.Close()} {
		if err != nil {
			t.Fatal(err)
		}
	}
	var reported uint64
	r, err := pcapgo.NewNgReader(bytes.NewReader(f.data.Bytes()), pcapgo.NgReaderOptions{
		StatisticsCallback: func(_ int, s pcapgo.NgInterfaceStatistics) { reported = s.PacketsDropped }})
	if err != nil {
		t.Fatal(err)
	}
	frames := uint64(0)
	for ; err == nil; frames++ {
		_, _, err = r.ReadPacketData()
	}
	frames--
	missed := capture.Counts().Missed
	if missed == 0 || frames+missed != sent+1 || reported != missed {
		t.Errorf("%d of %d frames captured, %d missed, the file tells of %d", frames, sent+1, missed, reported)
	}
}

// While a write hangs, Counts and Tap do not block: their callers hold locks that the rest of the daemon waits for.
func TestHungWriteHoldsNobodyUp(t *testing.T) {
	f := &slow{gate: make(chan struct{}, 1<<20)}
	f.gate <- struct{}{} // the section
	capture := New(f, "test", 1<<30)
	a, b := mem.NewPair(geometry, geometry, 16)
	first := capture.Tap(a, "link0")
	for i := range 8 { // the write that hangs, and some that wait
		transmit(t, first, fmt.Sprintf("frame %d", i))
	}
	asked := make(chan *Device)
	go func() {
		if got := capture.Counts(); got.Frames != 0 || capture.Err() != nil {
			t.Errorf("%+v, %v while nothing can be written", got, capture.Err())
		}
		asked <- capture.Tap(b, "link1")
	}()
	var second *Device
	select {
	case second = <-asked:
	case <-time.After(10 * time.Second):
		t.Fatal("who asks waits for the write")
	}
	transmit(t, second, "of the second")
	close(f.gate)
	for _, err := range []error{first.Close(), second.Close(), capture.Close()} {
		if err != nil {
			t.Fatal(err)
		}
	}
	packets, names := readPackets(t, f.data.Bytes())
	if len(packets) != 9 || fmt.Sprint(names) != "[link0 link1]" {
		t.Errorf("%d packets of %v", len(packets), names)
	}
}

// However often the capture comes by, the frames of a tap are in the file once each, in their order.
func TestFramesKeepTheirOrder(t *testing.T) {
	f := &file{}
	capture := New(f, "test", 1<<30)
	a, _ := mem.NewPair(geometry, geometry, 16)
	tap := capture.Tap(a, "link0")
	const sent = 20_000
	for i := range sent {
		transmit(t, tap, fmt.Sprintf("%08d%500d", i, 0))
		if i%7 == 0 {
			capture.wakeUp()
		}
	}
	for _, err := range []error{tap.Close(), capture.Close()} {
		if err != nil {
			t.Fatal(err)
		}
	}
	packets, _ := readPackets(t, f.data.Bytes())
	last := ""
	for _, p := range packets {
		if p.octets[:8] <= last {
			t.Fatalf("frame %s is behind frame %s", p.octets[:8], last)
		}
		last = p.octets[:8]
	}
	if got := capture.Counts(); uint64(len(packets)) != got.Frames || got.Frames+got.Missed != sent {
		t.Errorf("%d frames in the file, %+v, of %d", len(packets), got, sent)
	}
}

// A tap that is closed leaves nothing behind: interfaces come and go as long as a capture runs.
func TestClosedTapsAreForgotten(t *testing.T) {
	capture := New(&file{}, "test", 1<<30)
	for range 20 {
		a, _ := mem.NewPair(geometry, geometry, 16)
		tap := capture.Tap(a, "link0")
		transmit(t, tap, "frame")
		if err := tap.Close(); err != nil {
			t.Fatal(err)
		}
	}
	left := func() int {
		capture.mu.Lock()
		defer capture.mu.Unlock()
		return len(capture.taps)
	}
	for end := time.Now().Add(10 * time.Second); left() > 0 && time.Now().Before(end); time.Sleep(time.Millisecond) {
	}
	if n := left(); n > 0 {
		t.Errorf("%d of 20 closed taps are kept", n)
	}
	if err := capture.Close(); err != nil || capture.Counts().Frames != 20 {
		t.Errorf("%v, %+v", err, capture.Counts())
	}
}
