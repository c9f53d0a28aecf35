package dataplane

import (
	"bytes"
	"testing"
	"time"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"uelink/dataplane/frame/frametest"
	"uelink/dataplane/model"
	"uelink/dataplane/xsk"
	"uelink/internal/netns/nstest"
	"uelink/wire"
)

// jumboBed is a linkBed whose hosts have an MTU of 9000.
func jumboBed(t *testing.T) *linkBed {
	t.Helper()
	if err := xsk.MultiBuffer(); err != nil {
		nstest.Missing(t, "a kernel and a driver with frames in several chunks (AF_XDP multi-buffer): "+err.Error())
	}
	l := newLinkBed(t, func(*model.PortSettings) {})
	for _, name := range []string{"ha", "hb", "ea", "eb"} {
		l.must(netlink.LinkSetMTU(l.link(name), 9000))
	}
	g, a := l.a.find("la")
	l.eventually("frames of 9014 octets with a shim that are known to cross", func() bool {
		l.a.reconcile()
		l.b.reconcile()
		carries := 0
		g.worker.Do(func(wire.Time) { carries = a.port.Link.Lengths.Carries })
		return carries >= 9014+14
	})
	return l
}

// heldLong is held with so many frames of 9014 octets, which came says that host b has got.
func (l *linkBed) heldLong(n int) (goOn, came func()) {
	l.t.Helper()
	goOn = l.holdFrames(0)
	var sent [][]byte
	for i := range n {
		f := frametest.Long(9014)
		f[12], f[13], f[20] = 0x90, 0x01, byte(i)
		_, err := unix.Write(l.from, f)
		l.must(err)
		sent = append(sent, f)
	}
	l.eventually("frames that LLR has or that wait for it", func() bool { return l.waiting() == n })
	return goOn, func() {
		l.t.Helper()
		buf := make([]byte, 10000)
		for i, f := range sent {
			l.must(l.to.SetReadDeadline(time.Now().Add(10 * time.Second)))
			if octets, err := l.to.Read(buf); err != nil || !bytes.Equal(buf[:octets], f) {
				l.t.Fatalf("frame %d: %d octets, %v", i, octets, err)
			}
		}
	}
}

// Sockets that are opened anew for a smaller MTU keep their chunks: LLR may hold frames that are as long as those.
func TestSocketsThatAreOpenedAnewNeverShrink(t *testing.T) {
	l := jumboBed(t)
	picky(t, true)
	before := l.a.host("la").sockets[0].Geometry()
	l.must(netlink.LinkSetMTU(l.link("ea"), 1500))
	l.must(netlink.LinkSetMTU(l.link("la"), 1400))
	l.a.reconcile() // the driver refuses the 1514 that it needs, with a program and without
	if after := l.a.host("la").sockets[0].Geometry(); after != before {
		t.Errorf("the memory was %+v, and is %+v", before, after)
	}
}

// host is what the data plane holds of the interface of a port.
func (d *Dataplane) host(port string) *host {
	_, a := d.find(port)
	return a.host
}

// Frames of several chunks that LLR holds survive sockets that are opened anew.
func TestJumboFramesThatLLRHoldsSurviveOtherSockets(t *testing.T) {
	l := jumboBed(t)
	goOn, came := l.heldLong(10)
	g, a := l.a.find("la")
	if !g.renew(a, func() error { return a.host.reopen(a.geometry()) }) {
		t.Fatal(a.fault())
	}
	goOn()
	came()
	if c := l.state(l.a, "la").LLR.Counters; c.TxFlush+c.TxReinit+c.TxFlushedFrames != 0 {
		t.Errorf("%+v", c)
	}
}
