package path

import (
	"slices"
	"strings"
	"testing"
	"time"

	"uelink/dataplane/bridge"
	"uelink/dataplane/model"
	"uelink/llr"
	"uelink/wire"
)

// Frames that are dropped for want of room are an event of the port, once for as long as
// it lasts.
func TestDropsForWantOfRoomAreTold(t *testing.T) {
	o := priorities(8)
	p := up(t, o)
	p.setCarrier(false)
	drop := func() {
		for range 2 * o.ring {
			p.a.host.Send(tagged(1, 0))
			p.round()
		}
		p.pass(2e6)
	}
	drop()
	dropped := p.a.l.Port.Counters.TxDropQueueFull
	if dropped == 0 || !p.a.reports(model.EventDrops, "more come than can leave") {
		t.Fatalf("%d frames dropped, not told", dropped)
	}
	drop()
	if p.a.l.Port.Counters.TxDropQueueFull == dropped || p.a.reports(model.EventDrops, "") {
		t.Error("told twice, or no more were dropped")
	}
	const cure = "(tx_drop_queue_full): have their senders send less"
	if s := p.a.l.Port.State(p.now); !strings.Contains(s.Fault, cure) || !s.Dropping {
		t.Errorf("while frames are dropped the fault is %q", s.Fault)
	}
	p.pass(2 * time.Second)
	if s := p.a.l.Port.State(p.now); s.Fault != "" || s.Dropping ||
		!p.a.reports(model.EventDrops, "over: frames are no longer dropped") {
		t.Errorf("afterwards the fault is %q, or the end is no event", s.Fault)
	}
	drop()
	if !p.a.reports(model.EventDrops, "more come than can leave") {
		t.Error("not told again")
	}
	if c := p.a.l.Port.egress.counters; c[1].Dropped != p.a.l.Port.Counters.TxDropQueueFull || c[0].Dropped != 0 {
		t.Errorf("by queue: %v", c)
	}
}

// A port that drops frames for several reasons has a word for each of them.
func TestReasonsOfDrops(t *testing.T) {
	p := &Port{}
	p.findings.drops.leaving.Now, p.findings.drops.long.Now = true, true
	if got := p.dropsReasons(); !slices.Equal(got, []string{"queue_full", "oversized"}) {
		t.Errorf("%v", got)
	}
}

// Two mistakes that a bridge sees by what it drops are told: a link in front of an edge of a bridge, and a VLAN that
// only the bridge at the other end has.
func TestMistakesThatABridgeDrops(t *testing.T) {
	edge, link := &Port{}, barePort()
	control := controlTo(wire.ControlDA, wire.MAC{2, 9}, initFrame)
	edge.noteBridgeDrop(control, &bridge.Verdict{Drop: bridge.DropReserved})
	edge.noteBridgeDrop(make([]byte, wire.MinFrameLen), &bridge.Verdict{Drop: bridge.DropReserved})
	edge.noteBridgeDrop(control, &bridge.Verdict{Drop: bridge.DropVLAN, VLAN: 20})
	if edge.Counters.RxOwnEtherType != 1 || edge.findings.drops.noVLAN != 0 {
		t.Errorf("the edge: %d, %d", edge.Counters.RxOwnEtherType, edge.findings.drops.noVLAN)
	}
	link.noteBridgeDrop(control, &bridge.Verdict{Drop: bridge.DropVLAN, VLAN: 20})
	link.reportDrops(new(model.Hub), 1)
	if text := link.dropsText(); !strings.Contains(text, "in VLAN 20, and this port is not in it") ||
		!slices.Equal(link.dropsReasons(), []string{ReasonVLAN}) {
		t.Errorf("the link: %q, %v", text, link.dropsReasons())
	}
	link.reportDrops(new(model.Hub), 1+mistakesLast)
	if text := link.dropsText(); text == "" {
		t.Error("a host that tries once a second is dropped all the time")
	}
	link.reportDrops(new(model.Hub), 2*mistakesLast)
	if text := link.dropsText(); text != "" {
		t.Errorf("later: %q", text)
	}
}

// barePort returns the port of a link without devices.
func barePort() *Port {
	return &NewLink(model.PortSettings{Role: model.RoleLink}, llr.Profile{}, Identity{}, 0, 0).Port
}
