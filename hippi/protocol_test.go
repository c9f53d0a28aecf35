package hippi

import (
	"testing"
	"time"

	"uelink/wire/micropacket"
)

// take returns what an intermediate device takes out of a VC buffer: TYPEs with TAIL and ERROR.
func (b *bench) take(vc uint8) (list []micropacket.Control) {
	for {
		m, ok := b.l.Take(vc, b.now)
		if !ok {
			return list
		}
		list = append(list, m.Control&(0xF<<2|3<<6|3))
	}
}

// relay returns a bench whose micropackets leave by Take.
func relay(t *testing.T) *bench {
	p := Software()
	p.Intermediate, p.Stall, p.Silence = true, 2*time.Millisecond, 0
	return newBench(t, p)
}

func fields(t micropacket.Type, vc uint8, tail, damaged bool) micropacket.Control {
	return micropacket.Fields{VC: vc, Type: t, Tail: tail, Error: damaged}.Control()
}

func wantTaken(t *testing.T, b *bench, vc uint8, wanted ...micropacket.Control) {
	t.Helper()
	got := b.take(vc)
	if len(got) != len(wanted) {
		t.Fatalf("%d micropackets, want %d: %X", len(got), len(wanted), got)
	}
	for i := range got {
		if got[i] != wanted[i] {
			t.Errorf("micropacket %d: %+v, want %+v", i, got[i].Fields(), wanted[i].Fields())
		}
	}
}

// 9.2.1: an Admin micropacket with TAIL 0 goes on with ERROR 1 and TAIL 1.
func TestAdminMissingTail(t *testing.T) {
	b := relay(t)
	b.sequenced(micropacket.Fields{VC: 1, Type: micropacket.Admin})
	b.sequenced(micropacket.Fields{VC: 2, Type: micropacket.Admin, Tail: true})
	want(t, "VC1_Admin_Tail_Error", b.l.Events.AdminTailError[1], 1)
	want(t, "VC2_Admin_Tail_Error", b.l.Events.AdminTailError[2], 0)
	wantTaken(t, b, 1, fields(micropacket.Admin, 1, true, true))
	wantTaken(t, b, 2, fields(micropacket.Admin, 2, true, false))
}

// 9.2.2: data without a Header is discarded, acknowledged, its credit given back, and logged once a Message.
func TestMissingStartOfMessage(t *testing.T) {
	b := relay(t)
	for range 3 {
		b.sequenced(micropacket.Fields{VC: 1, Type: micropacket.Data})
	}
	b.sequenced(micropacket.Fields{VC: 1, Type: micropacket.Data, Tail: true})
	want(t, "VC1_Missing_Start_of_Message_Error", b.l.Events.MissingStartOfMessageError[1], 1)
	want(t, "RSEQ", b.l.dst.RSEQ(), 3)
	want(t, "granted", grants(b.sends()), [VCs]int{0, 4, 0, 0})
	b.sequenced(micropacket.Fields{VC: 1, Type: micropacket.Data, VCR: 3, CR: 7})
	want(t, "VC1_Missing_Start_of_Message_Error", b.l.Events.MissingStartOfMessageError[1], 2)
	want(t, "credit of its control bits", b.l.src.Credit(3), 7)
	b.header(1, 4, true)
	wantTaken(t, b, 1, fields(micropacket.Header, 1, true, false))
}

// 9.2.3: a Header or Admin micropacket in a Message puts a fabricated end in front of itself. The end holds no credit.
func TestMissingEndOfMessage(t *testing.T) {
	b := relay(t)
	b.header(1, 100, false)
	b.sequenced(micropacket.Fields{VC: 1, Type: micropacket.Data})
	b.header(1, 100, false)
	b.sequenced(micropacket.Fields{VC: 1, Type: micropacket.Admin, Tail: true})
	want(t, "VC1_Missing_End_of_Message_Error", b.l.Events.MissingEndOfMessageError[1], 2)
	b.sends()
	b.null(b.l.src.first)
	end := fields(micropacket.Data, 1, true, true)
	wantTaken(t, b, 1, fields(micropacket.Header, 1, false, false), fields(micropacket.Data, 1, false, false), end,
		fields(micropacket.Header, 1, false, false), end, fields(micropacket.Admin, 1, true, false))
	want(t, "granted", grants(b.sends()), [VCs]int{0, 4, 0, 0})
}

// 9.2: a full VC buffer of Headers without ends has its fabricated ends, too.
func TestFabricatedEndsNeedNoRoom(t *testing.T) {
	b := relay(t)
	for range 255 {
		b.header(3, 100, false)
	}
	want(t, "state", b.l.State(), Normal)
	want(t, "taken", len(b.take(3)), 255+254)
}

// 9.2.4: a Message without data for the Stall timeout is cut, if nothing of it waits; what still comes lacks its start.
func TestStallTimeout(t *testing.T) {
	b := relay(t)
	stall := b.l.profile.Stall
	b.header(0, 100, false)
	b.wait(2 * stall)
	want(t, "VC0_Stall_Timeout_Error while the buffer is filled", b.l.Events.StallTimeoutError[0], 0)
	wantTaken(t, b, 0, fields(micropacket.Header, 0, false, false))
	b.wait(stall - time.Microsecond)
	b.sequenced(micropacket.Fields{VC: 0, Type: micropacket.Data})
	b.take(0)
	b.wait(stall - time.Microsecond)
	want(t, "VC0_Stall_Timeout_Error", b.l.Events.StallTimeoutError[0], 0)
	b.wait(time.Microsecond)
	want(t, "VC0_Stall_Timeout_Error", b.l.Events.StallTimeoutError[0], 1)
	b.sequenced(micropacket.Fields{VC: 0, Type: micropacket.Data, Tail: true})
	want(t, "VC0_Missing_Start_of_Message_Error", b.l.Events.MissingStartOfMessageError[0], 1)
	want(t, "ECRC_Error", b.l.Events.ECRCError, 0)
	b.header(0, 4, true)
	wantTaken(t, b, 0, fields(micropacket.Data, 0, true, true), fields(micropacket.Header, 0, true, false))
	b.wait(10 * stall)
	want(t, "VC0_Stall_Timeout_Error", b.l.Events.StallTimeoutError[0], 1)
}

// 9.2, 6.3.6: Null, Credit-only and other virtual channels within a Message are no faults.
func TestMicropacketsWithinAMessage(t *testing.T) {
	b := relay(t)
	b.header(0, 100, false)
	b.null(micropacket.NoSeq)
	b.credit(0, 1)
	b.header(1, 4, true)
	b.control(micropacket.ResetACK) // 6.3.1: discarded
	b.sequenced(micropacket.Fields{VC: 0, Type: micropacket.Data, Tail: true})
	want(t, "events", b.l.Events, Events{})
	want(t, "state", b.l.State(), Normal)
}

// 9.2.5, 5.3.3: length errors of Messages at the Final Destination.
func TestMessageLengths(t *testing.T) {
	for _, c := range []struct {
		name    string
		payload int // by M_len
		data    int // Data micropackets that come
		status  Status
		got     int
	}{
		{"nothing", 0, 0, Status{}, 0},
		{"in the Header", 8, 0, Status{}, 8},
		{"one octet more", 9, 1, Status{}, 9},
		{"full micropackets", 8 + 64, 2, Status{}, 72},
		{"a micropacket too many", 8 + 32, 2, Status{Overrun: true}, 40},
		{"data behind a Header that holds all", 3, 1, Status{Overrun: true}, 3},
		{"three too many", 1, 3, Status{Overrun: true}, 1},
		{"a micropacket missing", 8 + 33, 1, Status{Underrun: true}, 40},
		{"all missing", 3000, 0, Status{Underrun: true}, 8},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t, Standard())
			b.header(1, c.payload, c.data == 0)
			h, ok := b.l.Arriving(1)
			want(t, "arriving", ok && int(h.MLen) == c.payload+8, true)
			if c.payload > 0 {
				want(t, "Accept without room", b.l.Accept(1, make([]byte, c.payload-1), b.now), false)
			}
			want(t, "Accept", b.l.Accept(1, make([]byte, c.payload), b.now), true)
			for n := range c.data {
				b.sequenced(micropacket.Fields{VC: 1, Type: micropacket.Data, Tail: n == c.data-1})
			}
			i, ok := b.l.TransferIndicate(1)
			want(t, "indication", ok, true)
			want(t, "status", i.Status, c.status)
			want(t, "Length", i.Length, int64(c.payload))
			want(t, "octets", len(i.Data), c.got)
			want(t, "Overrun_Error", b.l.Events.OverrunError == 1, c.status.Overrun)
			want(t, "Underrun_Error", b.l.Events.UnderrunError == 1, c.status.Underrun)
		})
	}
	b := newBench(t, Standard())
	m := make([]byte, micropacket.DataLen) // an M_len of 0
	b.sequenced(micropacket.Fields{Type: micropacket.Header, Tail: true}, m...)
	want(t, "Accept", b.l.Accept(0, nil, b.now), true)
	i, _ := b.l.TransferIndicate(0)
	want(t, "Length", i.Length, 0)
}

// 5.3.3: the status names a missing end; the Message behind it is whole.
func TestStatusOfAMissingEnd(t *testing.T) {
	b := newBench(t, Standard())
	b.header(1, 100, false)
	b.l.Accept(1, make([]byte, 100), b.now)
	b.header(1, 4, true)
	i, ok := b.l.TransferIndicate(1)
	want(t, "status", ok && i.Status == Status{MissingEnd: true, Underrun: true}, true)
	b.l.TransferResponse(1, b.now)
	want(t, "Accept", b.l.Accept(1, make([]byte, 4), b.now), true)
	i, ok = b.l.TransferIndicate(1)
	want(t, "status", ok && i.Status.Good(), true)
}

// A refused Message is discarded up to its end, with its credit, and without an indication.
func TestRefusedMessage(t *testing.T) {
	b := newBench(t, Standard())
	b.header(1, 100, false)
	b.l.Refuse(1, b.now)
	b.sequenced(micropacket.Fields{VC: 1, Type: micropacket.Data})
	b.sequenced(micropacket.Fields{VC: 1, Type: micropacket.Data, Tail: true})
	b.header(1, 4, false)
	b.l.Refuse(1, b.now)
	b.header(1, 4, true)
	want(t, "refused", b.l.Counters.RxRefused, 2)
	want(t, "granted", grants(b.sends()), [VCs]int{0, 4, 0, 0})
	_, ok := b.l.Arriving(1)
	want(t, "arriving", ok, true)
}
