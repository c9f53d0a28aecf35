package path

import (
	"encoding/binary"
	"slices"
	"testing"
	"time"

	"uelink/dataplane/model"
	"uelink/dataplane/negotiation"
	"uelink/dataplane/qos"
	"uelink/dataplane/sched"
	"uelink/wire"
)

// tagged is a frame of a priority, with a number.
func tagged(priority uint8, number uint32) []byte {
	f := make([]byte, 80)
	copy(f, []byte{2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x81, 0x00, priority << 5, 0, 0x90, 0x01})
	binary.BigEndian.PutUint32(f[18:], number)
	return f
}

// priorities is a pair whose edges' frames have the class, and channel, of their priority.
func priorities(vcs int) pairOptions {
	o := defaults()
	o.ports.VCs = vcs
	o.edge.QoS.Trust = qos.TrustDot1p
	for i := range uint8(8) {
		o.edge.QoS.Dot1pDEI[2*i], o.edge.QoS.Dot1pDEI[2*i+1] = i, i
		o.edge.QoS.Queue[i] = i
		o.ports.QoS.Queue[i] = i
		o.ports.Scheduler.Queues[i].Group = i
		o.edge.Scheduler.Queues[i].Group = i
	}
	return o
}

// A frame goes on the virtual channel of its class to a partner that takes it, and on
// channel 0 to one that does not.
func TestVirtualChannelOfTheClass(t *testing.T) {
	for _, c := range []struct {
		partner int // virtual channels that it has
		want    uint8
	}{{8, 5}, {1, 0}, {4, 0}} {
		o := priorities(8)
		p := newPairOf(o, 7, func(s *model.PortSettings) { s.VCs = c.partner })
		if !p.until(p.established, time.Second) {
			t.Fatal("LLR does not come up")
		}
		p.pass(5e6) // both have said how many they have
		var seen [32]int
		p.b.between.keeps = func(f []byte) bool {
			pre, fault := wire.ParseData(f, o.ports.Dialect)
			if wire.EtherType(f) == o.ports.EtherTypeData && fault == wire.NoFault {
				seen[pre.VC]++
			}
			return false
		}
		if !p.crosses(tagged(5, 1)) {
			t.Fatalf("%d channels: lost", c.partner)
		}
		if seen[c.want] != 1 || p.b.l.Port.Counters.RxVC != 0 {
			t.Errorf("%d channels: sent on %v, unknown there %d", c.partner, seen, p.b.l.Port.Counters.RxVC)
		}
	}
}

// What waits leaves by priority where the scheduler says so, and in order within it.
func TestStrictPriorityOfWhatWaits(t *testing.T) {
	p := up(t, priorities(8))
	p.pass(5e6)
	p.setCarrier(false)
	for i := range uint32(24) {
		p.a.host.Send(tagged(uint8(i%3), i))
		p.round()
	}
	if p.a.l.Port.egress.waiting != 24 {
		t.Fatalf("%d frames wait", p.a.l.Port.egress.waiting)
	}
	p.setCarrier(true)
	var got []uint32
	p.until(func() bool {
		for f := p.b.host.Recv(); f != nil; f = p.b.host.Recv() {
			got = append(got, binary.BigEndian.Uint32(f[18:]))
		}
		return len(got) == 24
	}, time.Second)
	want := []uint32{0} // it was alone when it was chosen, and keeps its turn
	for _, first := range []uint32{2, 1, 3} {
		for n := first; n < 24; n += 3 {
			want = append(want, n)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// A port with a rate sends no faster, and no frame is lost for it.
func TestRateOfAPort(t *testing.T) {
	o := defaults()
	o.edge.Scheduler = sched.Settings{Rate: 8_000_000, Burst: 200} // 1 octet a microsecond
	p := up(t, o)
	begin := p.now
	const frames, octets = 50, 100
	for i := range frames {
		for !p.a.host.Send(sized(octets, byte(i))) {
			p.round()
		}
	}
	got := 0
	p.until(func() bool {
		for p.b.host.Recv() != nil {
			got++
		}
		return got == frames
	}, time.Second)
	const least = (frames*octets - 200 - octets) * time.Microsecond
	if got != frames || p.now.Sub(begin) < least || p.now.Sub(begin) > 2*least {
		t.Errorf("%d of %d frames in %v, want about %v", got, frames, p.now.Sub(begin), least)
	}
}

// Frames of a virtual channel with llr: false are not numbered, and what the wire loses of them is not brought again.
// Those of the other channels are. The receiver knows the channel: its frames do not show that LLR is off.
func TestChannelWithoutLLRIsNotNumbered(t *testing.T) {
	o := priorities(4)
	o.ports.NoLLR = 1 << 2
	p := up(t, o)
	p.pass(5e6)
	numbered, bare := [32]int{}, [32]int{}
	p.b.between.keeps = func(f []byte) bool {
		pre, fault := wire.ParseData(f, o.ports.Dialect)
		if wire.EtherType(f) != o.ports.EtherTypeData || fault != wire.NoFault {
			return false
		}
		if pre.Sequenced {
			numbered[pre.VC]++
			return numbered[pre.VC] == 3
		}
		bare[pre.VC]++
		return bare[pre.VC] == 3
	}
	for n := range uint32(10) {
		p.a.host.Send(tagged(1, n))
		p.a.host.Send(tagged(2, n))
		p.pass(1e6)
	}
	var got [8]int
	for f := p.b.host.Recv(); f != nil; f = p.b.host.Recv() {
		got[f[14]>>5]++
	}
	if numbered[1] < 11 || bare[1] != 0 || numbered[2] != 0 || bare[2] != 10 {
		t.Errorf("numbered %v, not numbered %v", numbered[:4], bare[:4])
	}
	if got[1] != 10 || got[2] != 9 {
		t.Errorf("of 10 frames of each, of which the wire lost one, the host got %d and %d", got[1], got[2])
	}
	if c := p.a.l.Port.Counters.TxBare; c != 10 {
		t.Errorf("%d were counted as sent without a number", c)
	}
	p.b.between.keeps = nil
	s := p.b.l.Port.settings
	s.LLR.Local = false
	p.b.l.configure(s, p.o.profile, 2*time.Second, p.now)
	p.a.host.Send(tagged(2, 10))
	p.pass(1e6)
	if p.b.l.modes.receiver != negotiation.Retiring {
		t.Errorf("a frame of a channel without LLR has ended the receiver that retires: it is %v", p.b.l.modes.receiver)
	}
}
