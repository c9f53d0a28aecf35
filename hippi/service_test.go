package hippi

import (
	"testing"

	"uelink/wire/micropacket"
)

// 5.2: a second Request waits for the Confirm, a second Indicate for the Response; TRANSFER and ADMIN share the turn.
func TestTurns(t *testing.T) {
	b := newBench(t, Software())
	var admin [micropacket.DataLen]byte
	want(t, "Request", b.l.TransferRequest(1, Message{}, b.now), nil)
	want(t, "second Request", b.l.TransferRequest(1, Message{}, b.now), ErrTurn)
	want(t, "Admin Request", b.l.AdminRequest(1, &admin, b.now), ErrTurn)
	want(t, "Request of another virtual channel", b.l.TransferRequest(0, Message{}, b.now), nil)
	_, ok := b.l.TransferConfirm(1)
	want(t, "Confirm before the Message has left", ok, false)
	b.credit(1, 2)
	b.sends()
	want(t, "Request before the Confirm is read", b.l.TransferRequest(1, Message{}, b.now), ErrTurn)
	status, ok := b.l.TransferConfirm(1)
	want(t, "Confirm", ok && status == Accept, true)
	want(t, "Admin Request", b.l.AdminRequest(1, &admin, b.now), nil)
	want(t, "Request", b.l.TransferRequest(1, Message{}, b.now), ErrTurn)
	b.header(2, 1, true)
	b.header(2, 1, true)
	b.l.Accept(2, make([]byte, 1), b.now)
	_, ok = b.l.TransferIndicate(2)
	want(t, "Indicate", ok, true)
	_, ok = b.l.Arriving(2)
	want(t, "the next Message before the Response", ok, false)
	b.l.TransferResponse(2, b.now)
	_, ok = b.l.Arriving(2)
	want(t, "the next Message", ok, true)
}

// 5.3.1, 6.2: a Message longer than its virtual channel allows is rejected; VC3 needs an agreement.
func TestLongestMessages(t *testing.T) {
	want(t, "VC0", LongestMessage(0), 8+68*32)
	want(t, "VC1", LongestMessage(1), 8+4100*32)
	want(t, "VC2", LongestMessage(2), 8+4100*32)
	want(t, "VC3", LongestMessage(3), 1<<32-1-8)
	for vc := range uint8(3) {
		b := newBench(t, Software())
		n := int(LongestMessage(vc))
		want(t, "Request", b.l.TransferRequest(vc, Message{Data: make([]byte, n+1)}, b.now), nil)
		status, ok := b.l.TransferConfirm(vc)
		want(t, "Confirm", ok && status == Reject, true)
		want(t, "Request", b.l.TransferRequest(vc, Message{Data: make([]byte, n)}, b.now), nil)
		want(t, "micropackets", b.l.src.origins[vc].left, 1+uint32([]int{68, 4100, 4100}[vc]))
		_, ok = b.l.TransferConfirm(vc)
		want(t, "Confirm", ok, false)
	}
	p := Software()
	for _, p.VC3 = range []bool{false, true} {
		for _, partner := range []bool{false, true} {
			b := newBench(t, p)
			head := b.l.FrameHead(1, false)
			want(t, "says so", head.VC3, p.VC3)
			head.From, head.To, head.VC3 = b.l.partner, b.l.epoch, partner
			b.l.Hear(head)
			want(t, "both ends allow it", b.l.VC3(), p.VC3 && partner)
			want(t, "Request", b.l.TransferRequest(3, Message{}, b.now), nil)
			status, ok := b.l.TransferConfirm(3)
			want(t, "rejected", ok && status == Reject, !b.l.VC3())
			want(t, "may arrive", b.l.MayArrive(3), p.VC3)
		}
	}
}

// 5.3.1, 7.1: S_ULA is that of the next layer if allowed, else the native one. 7: M_len counts the LLC/SNAP header, and
// the last micropacket is padded with zeros.
func TestMicropacketsOfAMessage(t *testing.T) {
	p := Software()
	p.NativeSULA = micropacket.ULA{2, 9}
	for _, p.SULAAllowed = range []bool{false, true} {
		b := newBench(t, p)
		b.credit(0, 9)
		b.acknowledge()
		data := make([]byte, 45)
		for i := range data {
			data[i] = byte(i + 1)
		}
		m := Message{D: micropacket.ULA{2, 7}, S: micropacket.ULA{2, 8}, SNAP: micropacket.SNAP(0x8180), Data: data}
		want(t, "Request", b.l.TransferRequest(0, m, b.now), nil)
		list := b.sends()
		want(t, "micropackets", len(list), 3)
		h := micropacket.ParseHead(&list[0].Data)
		s := p.NativeSULA
		if p.SULAAllowed {
			s = m.S
		}
		want(t, "header", h, micropacket.Head{D: m.D, S: s, MLen: 53, SNAP: m.SNAP})
		got := append(micropacket.Payload(&list[0].Data)[:], append(list[1].Data[:], list[2].Data[:]...)...)
		for i, o := range got {
			if wanted := byte(i + 1); i < 45 && o != wanted || i >= 45 && o != 0 {
				t.Fatalf("octet %d is %d", i, o)
			}
		}
		register := micropacket.ECRCInit
		for i := range list {
			c := list[i].Control
			register = list[i].ECRC(register)
			want(t, "ECRC", c.ECRC(), register)
			want(t, "TAIL", c.Tail(), i == 2)
			want(t, "TYPE", c.Type(), [...]micropacket.Type{micropacket.Header, micropacket.Data, micropacket.Data}[i])
		}
	}
}

// 5.4, 6.3.6: Admin micropackets go on VC1 and VC2, and arrive with their status.
func TestAdminMicropackets(t *testing.T) {
	b := newBench(t, Software())
	admin := [micropacket.DataLen]byte{1, 2, 3}
	for vc, allowed := range []bool{false, true, true, false} {
		b.credit(uint8(vc), 1)
		b.acknowledge()
		want(t, "Request", b.l.AdminRequest(uint8(vc), &admin, b.now), nil)
		list := b.sends()
		status, ok := b.l.TransferConfirm(uint8(vc))
		want(t, "Confirm", ok && (status == Accept) == allowed, true)
		if allowed {
			c := list[0].Control
			want(t, "Admin", c.Type() == micropacket.Admin && c.Tail() && list[0].Data == admin, true)
			want(t, "ECRC", c.ECRC(), list[0].ECRC(micropacket.ECRCInit))
		}
	}
	b.sequenced(micropacket.Fields{VC: 2, Type: micropacket.Admin, Tail: true}, 4, 5)
	_, ok := b.l.TransferIndicate(2)
	want(t, "an Admin micropacket as a Message", ok, false)
	data, status, ok := b.l.AdminIndicate(2)
	want(t, "Indicate", ok && status.Good() && data[1] == 5, true)
	b.l.TransferResponse(2, b.now)
	b.sequenced(micropacket.Fields{VC: 2, Type: micropacket.Admin})
	_, status, ok = b.l.AdminIndicate(2)
	want(t, "status without TAIL", ok && status.ECRC, true)
}

// 5.6: the status has the values of the profile, the events, the activity and the state.
func TestStatus(t *testing.T) {
	b := newBench(t, Standard())
	b.l.Events.ECRCError = 3
	wanted := LinkStatus{Profile: Standard(), Events: b.l.Events, Activity: true, State: Normal}
	want(t, "status", b.l.StatusRequest(), wanted)
}

// Table 6: the values of the standard.
func TestStandardProfile(t *testing.T) {
	p := Standard()
	for name, ok := range map[string]bool{
		"ACK indication": p.ACKTimeout == 12_000, "Activity_Monitor": p.Activity == 1_000_000, "Credit": p.Credit == 2e9,
		"Hold-off": p.HoldOff == 10e9, "Dead-man": p.DeadMan == 100e6, "Stall": p.Stall == 2e6, "retries": p.Retries == 2,
	} {
		if !ok {
			t.Errorf("%s is not as in table 6: %+v", name, p)
		}
	}
	l := NewLink(Software(), 1)
	if got := l.StallTimeout(); got < MinStall || got < 101*l.ACKTimeout() {
		t.Errorf("Stall timeout %v", got)
	}
}
