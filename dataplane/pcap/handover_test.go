package pcap

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"uelink/dataplane/mem"
)

// duplicate is an open file as another process gets it.
func duplicate(t *testing.T, f *os.File) *os.File {
	t.Helper()
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	return os.NewFile(uintptr(fd), f.Name())
}

// A capture that another process continues has the frames of both, and one that goes on itself all of its own.
func TestCaptureGoesOnInAnotherProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c.pcapng")
	c, err := Create(path, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	device, _ := mem.NewPair(geometry, geometry, 16)
	tap := c.Tap(device, "eth0")
	transmit(t, tap, "one")
	if _, err := c.Suspend(time.Minute); err != nil {
		t.Fatal(err)
	}
	c.Resume() // the other process does not take over
	transmit(t, tap, "two")
	f, interfaces := c.File()
	next := Continue(duplicate(t, f), path, 1<<20, interfaces)
	h, err := c.Suspend(time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if h.Frames != 2 || interfaces != 1 || h.FullAt != 0 || h.Failed != "" {
		t.Errorf("%+v", h)
	}
	next.GoOn(h)
	other, _ := mem.NewPair(geometry, geometry, 16)
	again := next.Tap(other, "eth0")
	transmit(t, again, "three")
	if is, err := os.Stat(path); err != nil || is.Size() != h.Octets {
		t.Errorf("%v: it was written to before Resume", err)
	}
	next.Resume()
	if err := next.Close(); err != nil {
		t.Fatal(err)
	}
	octets, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	packets, names := readPackets(t, octets)
	if len(names) != 2 || len(packets) != 3 || packets[1].octets != "two" || packets[2] != (packet{1, outbound, "three"}) {
		t.Errorf("%v, %v", names, packets)
	}
	if n := next.Counts(); n.Frames != 3 || n.Octets != int64(len(octets)) {
		t.Errorf("%+v of %d octets", n, len(octets))
	}
	c.Resume()
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// A capture that has ended stays so.
func TestEndedCaptureStaysSoInAnotherProcess(t *testing.T) {
	for name, h := range map[string]Handed{
		"full":   {Frames: 3, Octets: 100, FullAt: 120},
		"failed": {Frames: 3, Octets: 100, Failed: "it has failed"},
	} {
		f, err := os.Create(filepath.Join(t.TempDir(), "c.pcapng"))
		if err != nil {
			t.Fatal(err)
		}
		c := Continue(f, f.Name(), 120, 0)
		c.GoOn(h)
		c.Resume()
		device, _ := mem.NewPair(geometry, geometry, 16)
		transmit(t, c.Tap(device, "eth0"), "one")
		err = c.Close()
		if n := c.Counts(); n.Frames != 3 || n.Full != (name == "full") || (err == nil) != (name == "full") {
			t.Errorf("%s: %+v, %v", name, n, err)
		}
	}
}

// hung is a file that does not take writes until it is closed.
type hung struct{ release chan struct{} }

// Write waits.
func (h hung) Write(b []byte) (int, error) {
	<-h.release
	return len(b), nil
}

// Close does nothing.
func (h hung) Close() error { return nil }

// A file that does not take writes cannot be handed over, and its capture goes on.
func TestCaptureOfAFileThatHangs(t *testing.T) {
	h := hung{make(chan struct{})}
	begun := make(chan *Capture, 1)
	go func() { begun <- New(h, "hung", 1<<20) }()
	h.release <- struct{}{} // the section
	c := <-begun
	device, _ := mem.NewPair(geometry, geometry, 16)
	transmit(t, c.Tap(device, "eth0"), "one")
	if _, err := c.Suspend(50 * time.Millisecond); !errors.Is(err, errSlow) {
		t.Errorf("%v", err)
	}
	close(h.release)
	if err := c.Close(); err != nil || c.Counts().Frames != 1 {
		t.Errorf("%+v, %v", c.Counts(), err)
	}
}
