package links

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"uelink/lab/e2e/bed"
	"uelink/wire"
)

// note waits until a problem of the partner is shown.
func note(d *bed.Daemon, want string) {
	d.T.Helper()
	bed.Eventually(d.T, d.Name+": "+want, func() string {
		if got := d.LLR().PartnerProblem; !strings.Contains(got, want) {
			return fmt.Sprintf("the note is %q", got)
		}
		return ""
	})
}

// A bridge on the way has an MTU of 1500, where 1514 are needed. The problem is reported, longer frames are refused,
// and all others cross, in any order of events.
func TestFrameTooLongForTheWireDoesNotStopTheLink(t *testing.T) {
	top := bed.Bridged(t, bed.EdgeMTU)
	p := top.Daemons(bed.Settings{})
	events := p.A.Watch()
	hostA := bed.Open(t, top.HostA, "eth0", bed.ProbeType)
	for i := range uint32(100) { // at once, before the wire is known
		hostA.Send(bed.Probe(i, wire.HeaderLen+bed.EdgeMTU))
	}
	events.Await("llr_tx_status", "FLUSH: replay count: a frame of 1514 octets from 02:65:32:65:00:01 to "+
		"02:65:32:65:00:02 was not acknowledged")
	events.Await("llr_stalled", "a frame of 1514 octets")
	if s := p.A.Link(); !slices.Equal(s.ErrorStatus, []string{"llr_tx_flush"}) ||
		!strings.Contains(s.ErrorText, "1514 octets from 02:65:32:65:00:01") {
		t.Errorf("error status %v, %q", s.ErrorStatus, s.ErrorText)
	}
	for _, d := range []*bed.Daemon{p.A, p.B} {
		note(d, "the wire carries link frames of up to 1518 octets")
	}
	events.Await("partner", "the wire carries")
	before := p.A.Edge().Counters.RxOversized
	for i := range uint32(100) {
		hostA.Send(bed.Probe(i, wire.HeaderLen+bed.EdgeMTU))
	}
	bed.Eventually(t, "a hundred refused", func() string {
		if n := p.A.Edge().Counters.RxOversized - before; n != 100 {
			return fmt.Sprint(n)
		}
		return ""
	})
	sent := p.A.LLRCounters().TxOK
	c := top.Between()
	c.Frames, c.Size = 20_000, "1496"
	bed.Untouched(t, c)
	if n := p.A.LLRCounters().TxOK - sent; n > 30_000 {
		t.Errorf("20,000 frames were sent as %d", n)
	}
	if s := p.A.LLR(); s.Stalled != "" {
		t.Errorf("stalled: %s", s.Stalled)
	}
}

// A bridge discards PAUSE and LACP of an edge host. PAUSE is not carried, and LACP has no number to be repeated:
// nothing else is held up.
func TestPauseAndLACPAcrossABridge(t *testing.T) {
	top := bed.Bridged(t, bed.LinkMTU)
	p := top.Daemons(bed.Lossless)
	hostA := bed.Open(t, top.HostA, "eth0", bed.ProbeType)
	slow := func(last byte, etherType uint16) []byte {
		f := bed.Probe(1, 100)
		copy(f, []byte{0x01, 0x80, 0xC2, 0, 0, last})
		f[12], f[13] = byte(etherType>>8), byte(etherType)
		return f
	}
	for range 20 {
		hostA.Send(slow(0x01, wire.EtherTypeMACControl)) // PAUSE
		hostA.Send(slow(0x02, 0x8809))                   // LACP
	}
	bed.Eventually(t, "PAUSE counted", func() string {
		if n := p.A.Edge().Counters.RxMACControl; n != 20 {
			return fmt.Sprint(n)
		}
		return ""
	})
	c := top.Between()
	c.Frames = 20_000
	bed.Untouched(t, c)
	if n := p.A.LLRCounters(); n.TxFlush != 0 || n.TxFlushedFrames != 0 {
		t.Errorf("%+v", n)
	}
	if n := p.A.Link().Counters.TxBare; n != 20 {
		t.Errorf("%d frames were sent without a number", n)
	}
}
