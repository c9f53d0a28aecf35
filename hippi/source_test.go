package hippi

import (
	"math"
	"testing"
	"time"

	"uelink/wire"
	"uelink/wire/micropacket"
)

// funded returns a bench whose end has all credit on VC1, and a long Message to send.
func funded(t *testing.T, p Profile, micropackets int) *bench {
	t.Helper()
	p.Credit = time.Hour
	b := newBench(t, p)
	for _, n := range []uint8{63, 63, 63, 63, 3} {
		b.credit(1, n)
	}
	b.acknowledge()
	data := make([]byte, micropacket.HeaderPayload+(micropackets-1)*micropacket.DataLen)
	want(t, "request", b.l.TransferRequest(1, Message{Data: data}, b.now), nil)
	return b
}

// 6.4: at most 254 micropackets are unacknowledged.
func TestWindowOf254(t *testing.T) {
	b := funded(t, Software(), 300)
	want(t, "sent", len(b.sends()), 254)
	first := b.l.src.first
	b.null(first + 9)
	list := b.sends()
	want(t, "sent behind the acknowledgement of 10", len(list), 1) // all credit is used
	b.credit(1, 20)
	list = b.sends()
	want(t, "sent with 20 credits", len(list), 9)
	want(t, "outstanding", b.l.src.Outstanding(), 254)
}

// A virtual channel leaves the last sequence numbers to another that had something to send lately.
func TestSequenceNumbersAreShared(t *testing.T) {
	b := funded(t, Software(), 300)
	b.credit(0, 63)
	request := func(vc uint8, micropackets int) {
		t.Helper()
		m := Message{Data: make([]byte, micropacket.HeaderPayload+(micropackets-1)*micropacket.DataLen)}
		want(t, "request", b.l.TransferRequest(vc, m, b.now), nil)
	}
	confirmed := func(vc uint8) {
		t.Helper()
		_, ok := b.l.TransferConfirm(vc)
		want(t, "confirm", ok, true)
	}
	request(0, 1)
	want(t, "sent", len(b.sends()), 254-31)
	confirmed(0)
	request(0, 40)
	want(t, "sent on VC0 behind VC1", len(b.sends()), 31-1)
	b.acknowledge()
	want(t, "sent on VC0, and on VC1 with the last credits", len(b.sends()), 10+255-(254-31-1))
	confirmed(0)
	b.now = b.now.Add(shared)
	b.acknowledge()
	for _, n := range []uint8{63, 63, 63, 63, 3} {
		b.credit(1, n)
	}
	want(t, "sent on VC1, the rest", len(b.sends()), 300-255)
	confirmed(1)
	request(1, 255-45)
	want(t, "sent on VC1 alone", len(b.sends()), 254-45)
}

// 8.2: RSEQ acknowledges everything up to it, across the wrap; FF and the last RSEQ are no news.
func TestAcknowledgement(t *testing.T) {
	b := newBench(t, Software())
	s := &b.l.src
	s.first, s.count, s.at, s.acked = 0xF8, 20, 20, true
	b.null(0xF7)
	b.null(micropacket.NoSeq)
	want(t, "outstanding", s.Outstanding(), 20)
	b.null(0x03) // F8 to FE, 00 to 03
	want(t, "outstanding", s.Outstanding(), 9)
	want(t, "first", s.first, 4)
	b.null(0x03)
	b.null(0x0C)
	want(t, "outstanding", s.Outstanding(), 0)
	want(t, "RSEQ_Out_Of_Range_Error", b.l.Events.RSEQOutOfRangeError, 0)
	want(t, "timer", s.timer, wire.Never)
}

// 8.2: an RSEQ that is neither the last one nor that of an unacknowledged micropacket is logged, and all is sent again.
func TestIllegalRSEQ(t *testing.T) {
	b := funded(t, Software(), 5)
	b.sends()
	first := b.l.src.first
	b.null(first + 1)
	b.null(first) // behind the last
	want(t, "RSEQ_Out_Of_Range_Error", b.l.Events.RSEQOutOfRangeError, 1)
	want(t, "Retry_Count", b.l.Events.RetryCount, 1)
	list := b.sends()
	want(t, "sent again", len(list), 3)
	want(t, "TSEQ", list[0].Control.TSEQ(), first+2)
	b.null(first + 5) // not sent yet
	want(t, "RSEQ_Out_Of_Range_Error", b.l.Events.RSEQOutOfRangeError, 2)
	want(t, "sent again", len(b.sends()), 3)
	b.null(first + 4)
	b.null(first)
	want(t, "RSEQ_Out_Of_Range_Error", b.l.Events.RSEQOutOfRangeError, 3)
	want(t, "Retry_Count with nothing to send again", b.l.Events.RetryCount, 2)
}

// 8.2, 8.4: after the ACK timeout everything is sent again as it was, but RSEQ and LCRC; after the retries the link is
// shut down. Progress gives all retries back.
func TestRetransmission(t *testing.T) {
	p := Standard()
	p.Keepalive = time.Hour
	b := funded(t, p, 4)
	first := b.sends()
	b.now = b.now.Add(p.ACKTimeout - 1)
	want(t, "sent before the timeout", len(b.sends()), 0)
	b.now++
	b.credit(0, 1) // another RSEQ
	again := b.sends()
	want(t, "RSEQ_Missing_Error", b.l.Events.RSEQMissingError, 1)
	want(t, "Retry_Count", b.l.Events.RetryCount, 1)
	if len(again) < 4 {
		t.Fatalf("sent again: %v", types(again))
	}
	for i := range 4 {
		x, y := first[i], again[i]
		if x.Data != y.Data || x.Control.WithRSEQ(0).WithLCRC(0) != y.Control.WithRSEQ(0).WithLCRC(0) {
			t.Errorf("%v becomes %v", x.Control.Fields(), y.Control.Fields())
		}
		want(t, "RSEQ", y.Control.RSEQ(), b.l.dst.RSEQ())
	}
	want(t, "retransmitted", b.l.Counters.TxRetransmitted, 4)
	b.wait(p.ACKTimeout)
	b.null(first[0].Control.TSEQ())
	for range 2 {
		b.wait(p.ACKTimeout)
		want(t, "state", b.l.State(), Normal)
	}
	b.wait(p.ACKTimeout)
	want(t, "state", b.l.State(), Shutdown)
	want(t, "Retry_Failure_Error", b.l.Events.RetryFailureError, 1)
	want(t, "Retry_Count", b.l.Events.RetryCount, 4)
	want(t, "lost", b.l.Counters.TxLostAtReset, 1)
}

// 14.1, 8.4: all timeouts and the retries are settable, also while the link runs.
func TestTimeoutsAreSettable(t *testing.T) {
	for _, factor := range []float64{2, 0.5, 0.25} {
		p := Standard()
		for _, d := range []*time.Duration{&p.ACKTimeout, &p.Activity, &p.Credit, &p.HoldOff, &p.DeadMan, &p.Stall} {
			*d = time.Duration(float64(*d) * factor)
		}
		for _, p.Retries = range []int{1, 4} {
			b := funded(t, p, 2)
			b.sends()
			for range p.Retries {
				b.wait(p.ACKTimeout)
				want(t, "state", b.l.State(), Normal)
			}
			b.wait(p.ACKTimeout)
			want(t, "state", b.l.State(), Shutdown)
		}
	}
	b := newBench(t, Standard())
	p := Software()
	want(t, "SetProfile", b.l.SetProfile(p, b.now), nil)
	want(t, "profile", b.l.StatusRequest().Profile, p)
	p.Buffers[0] = 7
	want(t, "other buffers", b.l.SetProfile(p, b.now), ErrBuffers)
}

// The counters of loops have the mean of the loop: of three micropackets that are acknowledged after 3, 5 and 1 µs, of
// which the second is sent again meanwhile, and does not count.
func TestLoopsAreCounted(t *testing.T) {
	p := Software()
	p.ACKTimeout = 4 * time.Microsecond
	b := funded(t, p, 1)
	before := b.l.Counters
	for _, d := range []time.Duration{3 * time.Microsecond, 5 * time.Microsecond, time.Microsecond} {
		sent := b.sends()
		b.wait(d)
		b.sends()
		b.null(sent[0].Control.TSEQ())
		b.l.TransferConfirm(1)
		want(t, "request", b.l.TransferRequest(1, Message{}, b.now), nil)
	}
	want(t, "sent again", b.l.Counters.TxRetransmitted, 1)
	want(t, "loops", b.l.Counters.Loops-before.Loops, 2)
	want(t, "their sum", b.l.Counters.LoopsTime-before.LoopsTime, 4000)
}

// An end that was stopped (SIGSTOP, a paused VM) learns nothing from the acknowledgements that it finds afterwards:
// neither from the first, nor from that of a micropacket that was sent last before.
func TestStoppedEndIsNoSlowPartner(t *testing.T) {
	b := funded(t, Software(), 1)
	send := func() (tseq uint8) {
		t.Helper()
		list := b.sends()
		_, ok := b.l.TransferConfirm(1)
		want(t, "confirm", ok, true)
		want(t, "request", b.l.TransferRequest(1, Message{}, b.now), nil)
		return list[len(list)-1].Control.TSEQ()
	}
	for range 100 {
		n := send()
		b.now = b.now.Add(50 * time.Microsecond)
		b.null(n)
	}
	before := b.l.ACKTimeout()
	one, two := send(), send()
	b.null(one)
	three := send()
	b.now = b.now.Add(100 * time.Millisecond)
	b.null(two)
	b.null(three)
	want(t, "ACK timeout", b.l.ACKTimeout(), before)
	want(t, "outstanding", b.l.src.Outstanding(), 0)
}

// The ACK timeout follows the loop: at least twice the loop, with a bound at either end.
func TestACKTimeoutFollowsTheLoop(t *testing.T) {
	for _, d := range []time.Duration{20 * time.Microsecond, 3 * time.Millisecond, 40 * time.Millisecond} {
		w := newPair(1, Software(), 1000)
		w.failed = t.Fatalf
		w.fate.delay = d
		w.carrier(true)
		w.wait(2 * time.Second)
		w.a.taken[1] = 200
		w.wait(20 * time.Second)
		got := w.a.l.ACKTimeout()
		if w.b.arrived[1] != 200 || got < min(max(4*d, minACKTimeout), maxACKTimeout) || got > max(8*d, minACKTimeout) {
			t.Errorf("delay %v: ACK timeout %v, %d Messages arrived", d, got, w.b.arrived[1])
		}
		if n := w.a.l.Events.RetryCount; d < minACKTimeout && n > 0 {
			t.Errorf("delay %v: %d needless retransmissions", d, n)
		}
	}
}

// 4.2, 7: micropackets of different virtual channels go by turns, and a Message does not hold up another.
func TestVirtualChannelsTakeTurns(t *testing.T) {
	b := funded(t, Software(), 100)
	for vc := range uint8(VCs) {
		b.credit(vc, 0)
	}
	b.credit(0, 10)
	b.credit(2, 10)
	b.sends()
	b.null(b.l.src.first + b.l.src.count - 1)
	b.credit(1, 63)
	b.l.TransferConfirm(1)
	want(t, "request", b.l.TransferRequest(1, Message{Data: make([]byte, 1000)}, b.now), nil)
	want(t, "request", b.l.TransferRequest(0, Message{Data: make([]byte, 100)}, b.now), nil)
	want(t, "request", b.l.TransferRequest(2, Message{Data: make([]byte, 100)}, b.now), nil)
	list := b.sends()
	seen := [VCs]int{}
	for i := range list[:12] {
		seen[list[i].Control.VC()]++
	}
	want(t, "micropackets of each virtual channel", seen, [VCs]int{4, 4, 4, 0})
}

// 6.3.5, 6.3.2, 8.3: credit alone goes as Credit-only, an ACK indication alone as Null; the newest RSEQ counts, and is
// repeated.
func TestCreditOnlyAndNull(t *testing.T) {
	b := newBench(t, Software())
	want(t, "sent", len(b.sends()), 0)
	b.credit(0, 1)
	b.credit(0, 1)
	list := b.sends()
	if len(list) != 1 || list[0].Control.Type() != micropacket.Null || list[0].Control.RSEQ() != 1 {
		t.Fatalf("sent %v", types(list))
	}
	want(t, "TSEQ", list[0].Control.TSEQ(), micropacket.NoSeq)
	b.header(0, 4, true)
	b.l.Accept(0, make([]byte, 4), b.now)
	list = b.sends()
	if len(list) != 1 || list[0].Control.Type() != micropacket.CreditOnly || list[0].Control.RSEQ() != 2 {
		t.Fatalf("sent %v", types(list))
	}
	b.now = b.now.Add(b.l.profile.Keepalive)
	b.null(list[0].Control.TSEQ())
	if list = b.sends(); len(list) != 1 || list[0].Control.Type() != micropacket.Null || list[0].Control.RSEQ() != 2 {
		t.Fatalf("sent %v", types(list))
	}
}

// Where both ends lack the other's RSEQ, each discards the retransmissions of the other: a Null carries the RSEQ then.
func TestNullRepeatsRSEQToAPartnerThatLacksIt(t *testing.T) {
	b := funded(t, Software(), 3)
	b.sends()
	b.credit(0, 1)
	b.sends()
	last := b.l.dst.RSEQ()
	b.receive(micropacket.Fields{Type: micropacket.CreditOnly, TSEQ: last, RSEQ: micropacket.NoSeq, CR: 1})
	list := b.sends()
	if len(list) != 1 || list[0].Control.Type() != micropacket.Null || list[0].Control.RSEQ() != b.l.dst.RSEQ() {
		t.Fatalf("sent %v", types(list))
	}
}

// 6.6.3: a forwarded micropacket with a wrong ECRC goes with ERROR 1, logged once a Message; all else stays.
func TestForwardedMicropackets(t *testing.T) {
	p := Software()
	p.Intermediate = true
	b := newBench(t, p)
	b.credit(1, 63)
	b.acknowledge()
	from := newBench(t, p)
	forward := func(f micropacket.Fields, damage bool) micropacket.Control {
		m := from.make(f, headerData(100)...)
		if damage {
			m.Data[5] ^= 4
		}
		want(t, "Forward", b.l.Forward(&m, b.now), true)
		want(t, "Forward again", b.l.Forward(&m, b.now), false)
		list := b.sends()
		want(t, "data", list[0].Data, m.Data)
		want(t, "ECRC", list[0].Control.ECRC(), m.Control.ECRC())
		return list[0].Control
	}
	want(t, "ERROR", forward(micropacket.Fields{VC: 1, Type: micropacket.Header}, false).Error(), false)
	want(t, "ERROR", forward(micropacket.Fields{VC: 1, Type: micropacket.Data}, true).Error(), true)
	want(t, "ERROR", forward(micropacket.Fields{VC: 1, Type: micropacket.Data, Tail: true}, false).Error(), true)
	want(t, "ECRC_Source_Error", b.l.Events.ECRCSourceError, 1)
	want(t, "ERROR", forward(micropacket.Fields{VC: 1, Type: micropacket.Admin, Tail: true}, false).Error(), false)
	want(t, "ERROR", forward(micropacket.Fields{VC: 1, Type: micropacket.Header}, true).Error(), true)
	want(t, "ECRC_Source_Error", b.l.Events.ECRCSourceError, 2)
	damaged := micropacket.Fields{VC: 1, Type: micropacket.Data, Error: true, Tail: true}
	want(t, "ERROR", forward(damaged, true).Error(), true)
	want(t, "ECRC_Source_Error", b.l.Events.ECRCSourceError, 2)
	null := from.make(micropacket.Fields{Type: micropacket.Null})
	want(t, "Forward of a Null", b.l.Forward(&null, b.now), false)
}

// 6.3.6, 7: an Admin micropacket, and a Message of this end, wait for the end of a forwarded Message on the same VC.
// The partner would log a Message without its end, and one without its start.
func TestRequestsWithinAForwardedMessage(t *testing.T) {
	p := Software()
	p.Intermediate = true
	b, from := newBench(t, p), newBench(t, p)
	b.credit(1, 63)
	b.credit(2, 63)
	b.acknowledge()
	var octets [micropacket.DataLen]byte
	request := func(vc uint8, admin bool) error {
		if admin {
			return b.l.AdminRequest(vc, &octets, b.now)
		}
		return b.l.TransferRequest(vc, Message{}, b.now)
	}
	forward := func(f micropacket.Fields) {
		f.VC = 1
		m := from.make(f, headerData(100)...)
		want(t, "Forward", b.l.Forward(&m, b.now), true)
		want(t, "micropackets", len(b.sends()), 1)
	}
	for _, admin := range []bool{true, false} {
		forward(micropacket.Fields{Type: micropacket.Header})
		want(t, "within the Message", request(1, admin), ErrForwards)
		forward(micropacket.Fields{Type: micropacket.Data, Error: true})
		want(t, "within the Message", request(1, admin), ErrForwards)
		want(t, "on another virtual channel", request(2, admin), nil)
		b.sends()
		b.l.TransferConfirm(2)
		forward(micropacket.Fields{Type: micropacket.Data, Tail: true})
		want(t, "behind the Message", request(1, admin), nil)
		b.sends()
		_, ok := b.l.TransferConfirm(1)
		want(t, "Confirm", ok, true)
	}
	forward(micropacket.Fields{Type: micropacket.Header})
	b.l.shutdown(b.now)
	want(t, "after a shutdown has dropped the Message", request(1, true), nil)
}

// 14.2: a count does not roll over.
func TestCountsSaturate(t *testing.T) {
	b := newBench(t, Standard())
	b.l.Events.LCRCError = math.MaxUint32 - 1
	for range 3 {
		m := micropacket.Micropacket{}
		b.l.Receive(b.now, &m, Whole)
	}
	want(t, "LCRC_Error", b.l.Events.LCRCError, math.MaxUint32)
	want(t, "ClearEvents", b.l.ControlRequest(CommandClearEvents, b.now), nil)
	want(t, "LCRC_Error", b.l.Events.LCRCError, 0)
}
