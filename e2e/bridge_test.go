package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"uelink/netns"
	"uelink/netns/nstest"
	"uelink/wire"
)

// bridged returns a topology whose wire crosses a Linux bridge with its own MTU. The bridge forwards uelink's control
// frames, but no PAUSE and no LACP: no bridge does.
func bridged(t testing.TB, mtu int) *topology {
	t.Helper()
	top := newTopology(t)
	top.wire = nstest.New(t, "wire")
	must(t, netns.Veth(top.A, "link0", top.wire, "a", linkMTU))
	must(t, netns.Veth(top.B, "link0", top.wire, "b", linkMTU))
	must(t, top.wire.Bridge("br0", 1<<0x0E, "a", "b"))
	for _, port := range []string{"a", "b"} {
		must(t, top.wire.SetMTU(port, mtu))
	}
	return top
}

// note waits until a problem of the partner is shown.
func (d *daemon) note(want string) {
	d.t.Helper()
	eventually(d.t, d.name+": "+want, func() string {
		if is := d.llr().PartnerProblem; !strings.Contains(is, want) {
			return fmt.Sprintf("the note is %q", is)
		}
		return ""
	})
}

// A bridge on the way has an MTU of 1500, where 1514 are needed. The problem is reported, longer frames are refused,
// and all others cross, in any order of events.
func TestFrameTooLongForTheWireDoesNotStopTheLink(t *testing.T) {
	top := bridged(t, edgeMTU)
	p := top.daemons(settings{})
	events := p.a.watch()
	hostA := open(t, top.hostA, "eth0", probeType)
	for i := range uint32(100) { // at once, before the wire is known
		hostA.send(probe(i, wire.HeaderLen+edgeMTU))
	}
	events.shows("llr_tx_status", "FLUSH: replay count: a frame of 1514 octets from 02:65:32:65:00:01 to "+
		"02:65:32:65:00:02 was not acknowledged")
	events.shows("llr_stalled", "a frame of 1514 octets")
	if s := p.a.link(); !slices.Equal(s.ErrorStatus, []string{"llr_tx_flush"}) ||
		!strings.Contains(s.ErrorText, "1514 octets from 02:65:32:65:00:01") {
		t.Errorf("error status %v, %q", s.ErrorStatus, s.ErrorText)
	}
	for _, d := range []*daemon{p.a, p.b} {
		d.note("the wire carries link frames of up to 1518 octets")
	}
	events.shows("partner", "the wire carries")
	before := p.a.edge().Counters.RxOversized
	for i := range uint32(100) {
		hostA.send(probe(i, wire.HeaderLen+edgeMTU))
	}
	eventually(t, "a hundred refused", func() string {
		if n := p.a.edge().Counters.RxOversized - before; n != 100 {
			return fmt.Sprint(n)
		}
		return ""
	})
	sent := p.a.llrCounters().TxOK
	c := top.between()
	c.Frames, c.Size = 20_000, "1496"
	untouched(t, c)
	if n := p.a.llrCounters().TxOK - sent; n > 30_000 {
		t.Errorf("20,000 frames were sent as %d", n)
	}
	if s := p.a.llr(); s.Stalled != "" {
		t.Errorf("stalled: %s", s.Stalled)
	}
}

// A bridge discards PAUSE and LACP of an edge host. PAUSE is not carried, and LACP has no number to be repeated:
// nothing else is held up.
func TestPauseAndLACPAcrossABridge(t *testing.T) {
	top := bridged(t, linkMTU)
	p := top.daemons(lossless)
	hostA := open(t, top.hostA, "eth0", probeType)
	slow := func(last byte, etherType uint16) []byte {
		f := probe(1, 100)
		copy(f, []byte{0x01, 0x80, 0xC2, 0, 0, last})
		f[12], f[13] = byte(etherType>>8), byte(etherType)
		return f
	}
	for range 20 {
		hostA.send(slow(0x01, wire.EtherTypeMACControl)) // PAUSE
		hostA.send(slow(0x02, 0x8809))                   // LACP
	}
	eventually(t, "PAUSE counted", func() string {
		if n := p.a.edge().Counters.RxMACControl; n != 20 {
			return fmt.Sprint(n)
		}
		return ""
	})
	c := top.between()
	c.Frames = 20_000
	untouched(t, c)
	if n := p.a.llrCounters(); n.TxFlush != 0 || n.TxFlushedFrames != 0 {
		t.Errorf("%+v", n)
	}
	if n := p.a.link().Counters.TxBare; n != 20 {
		t.Errorf("%d frames were sent without a number", n)
	}
}
