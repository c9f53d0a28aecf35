package path

import (
	"testing"
	"time"

	"uelink/dataplane/bridge"
	"uelink/dataplane/model"
	"uelink/wire"
)

// A problem with the partner that is over is an event.
func TestEndOfAPartnersProblemIsTold(t *testing.T) {
	inOneGoroutine(t)
	o := defaults()
	p := newPairOf(o, 7, func(s *model.PortSettings) { s.FCS = false })
	p.pass(2e9)
	if !p.a.reports(model.EventPartner, "sends no FCS image") {
		t.Fatal("no problem")
	}
	s := p.b.l.Port.settings
	s.FCS = true
	p.b.x.Configure(&p.b.l.Port, s, o.profile, p.now)
	p.pass(1e9)
	if p.a.reports(model.EventPartner, noProblem) {
		t.Error("it is over at once")
	}
	p.pass(3e9)
	if !p.a.reports(model.EventPartner, noProblem) {
		t.Errorf("the end is no event: %q", p.a.l.Port.State(p.now).LLR.PartnerProblem)
	}
}

// A station that is no partner begins to speak, and is silent again.
func TestEndOfAnotherStationIsTold(t *testing.T) {
	var l Link
	l.strangers.otherStation = wire.MAC{2}
	l.Port.Counters.RxOtherStation = 1
	second := wire.Time(time.Second)
	if !l.heardOther(second) || !l.heardOther(second+wire.Time(otherLast)-1) || l.heardOther(second+wire.Time(otherLast)) {
		t.Error("it speaks as long as it is heard, and 10 s longer")
	}
	l.Port.Counters.RxOtherStation = 2
	if !l.heardOther(20 * second) {
		t.Error("it speaks again")
	}
}

// Addresses that move to and fro, and a full table, have an end that is an event.
func TestEndsOfABridgesEvents(t *testing.T) {
	var hub model.Hub
	events, end := hub.Subscribe()
	defer end()
	d := NewDomain(0)
	d.Bridge = bridge.New(bridge.Settings{MaxEntries: 8, Ageing: time.Minute}, 1, 0)
	for n := range 2 {
		d.ports = append(d.ports, &Port{settings: model.PortSettings{Name: "edge" + string(rune('0'+n))}})
		if err := d.Bridge.SetPort(n, bridge.PortSettings{Learning: true}); err != nil {
			t.Fatal(err)
		}
	}
	from := func(in int, station byte, now wire.Time) {
		f := make([]byte, wire.MinFrameLen)
		copy(f, []byte{255, 255, 255, 255, 255, 255, 2, 0, 0, 0, 0, station})
		v := d.Bridge.Decide(in, f, f[2*wire.AddrLen:], now)
		d.Bridge.Admit(in, f, &v, now)
	}
	want := func(now wire.Time, text string) {
		t.Helper()
		for d.reportBridge(&hub, now); ; {
			select {
			case e := <-events:
				if e.Text == text && e.Kind == model.EventFDB {
					return
				}
			default:
				t.Fatalf("no event %q", text)
			}
		}
	}
	for i := range 20 {
		from(i%2, 1, wire.Time(i))
	}
	want(20, "02:00:00:00:00:01 moves to and fro between edge0 and edge1: is there a loop, or the same address twice?")
	want(20+2*movesLast, "over: no address moves to and fro any more")
	for station := range byte(20) {
		from(1, station+1, 30e9)
	}
	want(30e9, "the address table of the bridge is full: frames to 02:00:00:00:00:09 are flooded")
	now := wire.Time(100e9)
	for range 1000 {
		now = now.Add(100 * time.Millisecond)
		d.Bridge.Poll(now)
	}
	want(now, "over: the address table of the bridge has room again")
}
