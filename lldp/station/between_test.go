package station

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"uelink/lldp"
	"uelink/lldp/agent"
	"uelink/lldp/dcbx"
	"uelink/lldp/dcbx/dialect"
	"uelink/lldp/dcbx/ieee"
	"uelink/lldp/ue"
)

// stationed is an end of a port of uelinkd: a twin with its announcer.
type stationed struct {
	*port
	*twin
}

// ended returns an end with these wishes, the address and the dialect.
func ended(mac byte, w ue.Wishes, version dialect.Version) stationed {
	local := dcbx.Default()
	local.PFC.Enable, local.PFC.Willing, local.PFC.Config.Enable = w.PFC, w.Willing, w.Priorities
	other := ieee.ConvertLocal(local)
	c := Port{Name: "p", Mode: lldp.RxTx, Wishes: w}
	if w.DCBX {
		c.DCBX, c.Dialect, c.IEEE = &local, version, &other
	}
	t := newTwin(mac, c)
	p := &port{exchange: t.exchange, config: c, announcer: ue.NewAnnouncer(ue.Codec{OUI: ue.DefaultOUI}, w)}
	p.link.MAC = t.mac
	t.also = p.announcer.AppendTLVs(nil)
	return stationed{p, t}
}

// priorities returns the priorities of PFC in force at an end; ok is false without an agreement.
func (e *stationed) priorities() (bitmap uint8, ok bool) {
	d := e.twin.dcb()
	return d.PFC.Config.Enable, d.PFC.Set
}

// acting returns the finding by which an end acts, by the table of neighbours; ok is false without one.
func acting(e stationed, lower bool) (f agent.Finding, ok bool) {
	i := slices.IndexFunc(e.findings(), func(f agent.Finding) bool {
		return !f.Note && f.At == "" && f.Command != "" && (f.Cause != causeDiffers || lower)
	})
	if i < 0 {
		return f, false
	}
	return e.findings()[i], true
}

// changed returns wishes after the commands of a finding.
func changed(t *testing.T, w ue.Wishes, command string) ue.Wishes {
	t.Helper()
	for step := range strings.SplitSeq(strings.TrimSuffix(command, " && uelink reload"), " && ") {
		key, value, _ := strings.Cut(strings.TrimPrefix(step, "uelink config set ports.p.dcbx."), " ")
		switch key {
		case "mode":
			w.DCBX = true
		case "pfc.enabled", "pfc.advertise":
			w.PFC = true
		case "pfc.willing":
			w.Willing = value == "true"
		case "pfc.priorities":
			w.Priorities = 0
			for number := range strings.SplitSeq(strings.Trim(value, "'[]"), ",") {
				for priority := range 8 {
					if number == fmt.Sprint(priority) {
						w.Priorities |= 1 << priority
					}
				}
			}
		default:
			t.Fatalf("unknown step %q", step)
		}
	}
	w.Asks = w.DCBX && w.PFC && w.Priorities != 0
	return w
}

// twoStations are two uelinkd on one wire. A has the lower address.
type twoStations struct {
	t       *testing.T
	version dialect.Version
	a, b    ue.Wishes
	healed  map[string]int
}

// String returns the dialect and the wishes of both.
func (s *twoStations) String() string { return fmt.Sprintf("%v, A %+v, B %+v", s.version, s.a, s.b) }

// met returns both ends, which have heard each other for a while.
func (s *twoStations) met() (a, b stationed) {
	a, b = ended(0x0a, s.a, s.version), ended(0x0b, s.b, s.version)
	met(a.twin, b.twin, 9)
	return a, b
}

// inForce reports whether PFC is in force at both ends, if either asks for it.
func (s *twoStations) inForce() bool {
	a, b := s.met()
	pa, okA := a.priorities()
	pb, okB := b.priorities()
	return !s.a.Asks && !s.b.Asks || okA && okB && pa == pb && pa != 0
}

// follows types the command of the end that has one, and returns the cause of that command; "" if neither has one.
func (s *twoStations) follows() (cause string) {
	s.t.Helper()
	a, b := s.met()
	fa, actsA := acting(a, true)
	fb, actsB := acting(b, false)
	switch {
	case actsA && actsB, !s.inForce() && !actsA && !actsB:
		s.t.Errorf("%v: A has %+v, B %+v", s, a.findings(), b.findings())
	case actsA:
		s.a, cause = changed(s.t, s.a, fa.Command), fa.Cause
	case actsB:
		s.b, cause = changed(s.t, s.b, fb.Command), fb.Cause
	}
	s.healed[cause]++
	return cause
}

// Of two uelinkd with any settings of DCBX and PFC, at most one has a command, and exactly one if what either asks for
// is not in force. Its command, once typed, ends the trouble at both ends, and PFC is in force. An end that begins to
// ask, because its DCBX was off, may show one more trouble, of the other end.
func TestOneOfTwoStationsActs(t *testing.T) {
	var all []ue.Wishes
	for i := range 24 {
		w := ue.Wishes{DCBX: i&1 != 0, PFC: i&2 != 0, Willing: i&4 != 0, Priorities: []uint8{0, 8, 16}[i>>3]}
		w.Asks = w.DCBX && w.PFC && w.Priorities != 0
		all = append(all, w)
	}
	healed := map[string]int{}
	for _, version := range []dialect.Version{dialect.IEEE, dialect.CEE} {
		for _, a := range all {
			for _, b := range all {
				s := twoStations{t, version, a, b, healed}
				first, second := s.follows(), ""
				asksLater := !a.DCBX && a.Priorities != 0 || !b.DCBX && b.Priorities != 0
				if first == causeOffHere && asksLater {
					second = s.follows()
				}
				x, y := s.met()
				if got := causesOf(x.port) + causesOf(y.port); strings.Trim(got, "()") != "" || !s.inForce() {
					t.Errorf("%v (A %+v, B %+v), after the commands of %q and %q: %q", &s, a, b, first, second, got)
				}
			}
		}
	}
	t.Logf("%d pairs of ends, commands by cause: %v", 2*len(all)*len(all), healed)
}
