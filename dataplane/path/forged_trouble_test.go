package path

import (
	"math/rand/v2"
	"testing"
	"time"

	"uelink/dataplane/model"
	"uelink/wire"
)

// Troubles of every number, with any operands and the partner's start id, change no command of an end, delay no frame,
// and cause at most one event a second.
func TestForgedTroublesChangeNoCommand(t *testing.T) {
	inOneGoroutine(t)
	o := defaults()
	o.ports.VCs = 2
	p := up(t, o)
	r := rand.New(rand.NewPCG(1, 50))
	start := p.b.l.Partner.OwnStart()
	number, events := 0, 0
	const seconds = 12
	for until := p.now.Add(seconds * time.Second); p.now < until; {
		for range 16 {
			s := wire.Station{Start: start, EtherType: wire.EtherTypeData,
				Trouble: wire.Trouble{Number: uint8(number >> 6), A: uint16(r.Uint32()), B: uint16(r.Uint32())}}
			items := s.Items(nil)
			list := items[:1]
			if len(items) > 3 {
				list = append(list, items[3])
			}
			p.b.injects(controlTo(wire.ControlDA, p.b.l.Port.iface.mac, list...))
			number++
		}
		p.pass(1e6)
		for _, e := range []*end{p.a, p.b} {
			if s := e.l.Port.State(p.now); s.PartnerProblemCommand != "" {
				t.Fatalf("%s: %s: %q", e.name, s.LLR.PartnerProblem, s.PartnerProblemCommand)
			}
		}
		for more := true; more; {
			select {
			case e := <-p.a.events:
				if e.Kind == model.EventPartner {
					events++
				}
			default:
				more = false
			}
		}
	}
	if number < 256<<6 || events > seconds {
		t.Errorf("%d troubles, %d events in %d s", number, events, seconds)
	}
	t.Logf("%d troubles a second, %d events in %d s: %q", number/seconds, events, seconds, p.a.l.remedy().Text)
	p.pass(3e9)
	if text := p.a.l.remedy().Text; text != "" || !p.established() {
		t.Errorf("after the storm: %q", text)
	}
}

// The end that takes only shorter frames than its partner may send has the command, by the partner's trouble, and the
// partner waits.
func TestEndWithTheShorterMTUHasTheCommand(t *testing.T) {
	inOneGoroutine(t)
	p := up(t, defaults())
	p.b.edge.settings.Interface = "eth9"
	p.b.x.SetMTU(p.b.edge, p.o.mtu-100)
	p.pass(3e9)
	a, b := p.a.l.Port.State(p.now), p.b.l.Port.State(p.now)
	if a.PartnerProblemReason != "partner_length" || a.PartnerProblemCommand != "" {
		t.Errorf("a: %q, %q", a.LLR.PartnerProblem, a.PartnerProblemCommand)
	}
	if b.PartnerProblemReason != "own_length" || b.PartnerProblemCommand != "ip link set dev eth9 mtu 500" {
		t.Errorf("b: %q, %q", b.LLR.PartnerProblem, b.PartnerProblemCommand)
	}
	p.b.x.SetMTU(p.b.edge, p.o.mtu)
	p.pass(3e9)
	if a, b := p.a.l.remedy(), p.b.l.remedy(); a.Text+b.Text != "" {
		t.Errorf("mended: %q, %q", a.Text, b.Text)
	}
}
