package path

import (
	"fmt"
	"testing"
	"time"

	"uelink/dataplane/fault"
	"uelink/dataplane/frame"
	"uelink/llr"
	"uelink/wire"
	"uelink/wire/micropacket"
)

// countVC counts the Header micropackets on a virtual channel that arrive at an end, from now on.
func (e *hippiEnd) countVC(p *hippiPair, vc uint8) (n *int) {
	n = new(int)
	seen := &between{Device: e.link, keeps: func(f []byte) bool {
		head, bad := micropacket.ParseFrame(f)
		for i := range int(head.N) {
			var m micropacket.Micropacket
			m.Parse(micropacket.At(f, i))
			if bad == wire.NoFault && m.Control.VC() == vc && m.Control.Type() == micropacket.Header {
				*n++
			}
		}
		return false
	}}
	p.now = p.now.Add(time.Millisecond)
	e.linkIn = fault.New(seen, fault.Config{}, func() wire.Time { return p.now })
	e.h.Port.Replace([]frame.Device{e.linkIn})
	return n
}

// Frames that a map sends to VC3 go there if both ends allow VC3, and else by another virtual channel. None is lost.
func TestVC3NeedsBothEnds(t *testing.T) {
	inOneGoroutine(t)
	for _, allow := range [][2]bool{{false, false}, {true, false}, {false, true}, {true, true}} {
		t.Run(fmt.Sprint(allow), func(t *testing.T) {
			o := hippiDefaults()
			for class := range o.settings.QoS.Queue {
				o.settings.QoS.Queue[class] = 3
			}
			p := newHIPPIPair(o, 1)
			for i, e := range p.ends {
				s := o.settings
				s.HIPPI.Profile.VC3 = allow[i]
				e.h.configure(s, llr.Profile{}, 0, p.now)
			}
			if !p.until(p.ready, time.Second) {
				t.Fatal(p)
			}
			var onVC3 []*int
			for _, e := range p.ends {
				onVC3 = append(onVC3, e.countVC(p, 3))
			}
			if err := p.run(200, time.Minute, func() {}); err != nil {
				t.Fatal(err)
			}
			if err := p.atRest(); err != nil {
				t.Fatal(err)
			}
			both := allow[0] && allow[1]
			for i, n := range onVC3 {
				e := p.ends[i]
				if both && *n < 200 || !both && *n > 0 || e.missing > 0 || e.h.End.Counters.RxRefused > 0 || e.h.End.VC3() != both {
					t.Errorf("%s: %d frames on VC3, %d missing, %+v", e.name, *n, e.missing, e.h.End.Counters)
				}
			}
		})
	}
}

// 6.2: a Message that its Header says is longer than its virtual channel allows is refused, and counted.
func TestMessageTooLongForItsChannelIsRefused(t *testing.T) {
	for _, c := range []struct {
		vc      uint8
		payload uint32
		refused uint64
	}{{0, 2184, 0}, {0, 2185, 1}, {1, 2185, 0}, {1, 1 << 20, 1}} {
		p := readyPair(t, hippiDefaults())
		a, b := p.ends[0].h, p.ends[1]
		m := micropacket.Micropacket{Control: micropacket.Fields{VC: c.vc, Type: micropacket.Header,
			TSEQ: b.h.End.Destination().RSEQ() + 1, RSEQ: micropacket.NoSeq}.Control()}
		head := micropacket.Head{MLen: c.payload + micropacket.SNAPLen, SNAP: micropacket.SNAP(0x800)}
		head.Put(&m.Data)
		m.Control = m.Control.WithECRC(m.ECRC(micropacket.ECRCInit))
		m.Seal()
		f := make([]byte, 200)
		m.Put(micropacket.At(f, 0))
		outer := wire.AddressesOf(b.h.Port.iface.mac, a.Port.iface.mac)
		f = f[:micropacket.PutFrame(f, &outer, wire.EtherTypeData, a.End.FrameHead(1, true))]
		micropackets, hearing := b.h.hear(f, p.now)
		b.h.received(b.x, micropackets, hearing, p.now)
		if _, waits := b.h.End.Arriving(c.vc); waits || b.h.End.Counters.RxRefused != c.refused ||
			(b.h.in.filling[c.vc] == noChunk) != (c.refused > 0) {
			t.Errorf("%d octets on VC%d: %+v", c.payload, c.vc, b.h.End.Counters)
		}
	}
}

// A Message that comes on VC3 although this end has not allowed it is refused.
func TestVC3IsRefused(t *testing.T) {
	o := hippiDefaults()
	o.settings.FCS = false
	for class := range o.settings.QoS.Queue {
		o.settings.QoS.Queue[class] = 3
	}
	p := newHIPPIPair(o, 1)
	a, b := p.ends[0], p.ends[1]
	s := o.settings
	s.HIPPI.Profile.VC3 = true
	a.h.configure(s, llr.Profile{}, 0, p.now)
	if !p.until(p.ready, time.Second) {
		t.Fatal(p)
	}
	damaged := &between{Device: a.link, keeps: func(f []byte) bool {
		f[wire.HeaderLen+2] |= 0x40 // b allows it, says a damaged frame
		return false
	}}
	p.now = p.now.Add(time.Millisecond)
	a.linkIn = fault.New(damaged, fault.Config{}, func() wire.Time { return p.now })
	a.h.Port.Replace([]frame.Device{a.linkIn})
	p.until(a.h.End.VC3, time.Second)
	var buf [2048]byte
	if !a.host.Send(hippiFrame(buf[:], 0, 0, [2]int{200, 0})) {
		t.Fatal("no room for a frame")
	}
	if !p.until(func() bool { return b.h.End.Counters.RxRefused == 1 }, time.Second) || b.host.Recv() != nil {
		t.Errorf("%+v", b.h.End.Counters)
	}
}
