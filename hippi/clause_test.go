package hippi

import (
	"testing"
	"time"

	"uelink/wire"
	"uelink/wire/micropacket"
)

// bench is one end in Normal, with a partner that is the test: it makes any micropacket.
type bench struct {
	t   *testing.T
	l   *Link
	now wire.Time
	seq uint8 // TSEQ of the partner's next micropacket
	ecc [VCs]uint16
}

// newBench brings one end to Normal. Its VC buffers are granted; the partner has granted no credit.
func newBench(t *testing.T, p Profile) *bench {
	t.Helper()
	b := &bench{t: t, l: NewLink(p, 1), now: 1}
	b.l.SetCarrier(true, b.now)
	b.wait(p.Activity)
	if b.l.State() != Reset1 {
		t.Fatalf("the state is %v with a signal", b.l.State())
	}
	b.normal()
	for vc := range b.ecc {
		b.ecc[vc] = micropacket.ECRCInit
	}
	return b
}

// normal answers a Link Reset until the end is in Normal, and acknowledges the first credit updates.
func (b *bench) normal() {
	b.t.Helper()
	b.seq = 0
	b.control(micropacket.Reset)
	b.control(micropacket.ResetACK)
	b.receive(micropacket.Fields{Type: micropacket.Null, RSEQ: micropacket.NoSeq, TSEQ: micropacket.NoSeq})
	if !b.l.Ready() {
		b.t.Fatalf("the state is %v", b.l.State())
	}
	b.acknowledge()
}

// acknowledge lets the end send everything, and acknowledges it.
func (b *bench) acknowledge() {
	b.sends()
	if b.l.src.count > 0 {
		b.null(b.l.src.space.add(b.l.src.first, b.l.src.count-1))
	}
}

// wait lets time pass.
func (b *bench) wait(d time.Duration) {
	for end := b.now.Add(d); b.now < end; b.sends() {
		b.now = min(end, max(b.l.Deadline(), b.now+1))
		b.l.Expire(b.now)
	}
}

// sends returns what the end sends now.
func (b *bench) sends() (list []micropacket.Micropacket) {
	for len(list) < 10_000 {
		var m micropacket.Micropacket
		if !b.l.Transmit(b.now, &m) {
			return list
		}
		if m.CheckLCRC() != micropacket.Good {
			b.t.Fatalf("LCRC of %v", m.Control.Type())
		}
		list = append(list, m)
	}
	b.t.Fatal("the end never stops sending")
	return nil
}

// make returns a micropacket with right CRCs: ecrc of a Message accumulates.
func (b *bench) make(f micropacket.Fields, data ...byte) micropacket.Micropacket {
	m := micropacket.Micropacket{Control: f.Control()}
	copy(m.Data[:], data)
	register := micropacket.ECRCInit
	if f.Type.Accumulates() {
		if f.Type != micropacket.Header {
			register = b.ecc[f.VC]
		}
		register = m.ECRC(register)
		if b.ecc[f.VC] = register; f.Tail {
			b.ecc[f.VC] = micropacket.ECRCInit
		}
	} else {
		register = m.ECRC(register)
	}
	m.Control = m.Control.WithECRC(register)
	m.Seal()
	return m
}

// receive hands the end a micropacket.
func (b *bench) receive(f micropacket.Fields, data ...byte) {
	m := b.make(f, data...)
	b.l.Receive(b.now, &m, Whole)
}

func (b *bench) control(t micropacket.Type) {
	b.receive(micropacket.Fields{Type: t, Tail: true, RSEQ: micropacket.NoSeq, TSEQ: micropacket.NoSeq})
}

func (b *bench) null(rseq uint8) {
	b.receive(micropacket.Fields{Type: micropacket.Null, RSEQ: rseq, TSEQ: micropacket.NoSeq})
}

// sequenced hands the end the next sequenced micropacket.
func (b *bench) sequenced(f micropacket.Fields, data ...byte) {
	f.TSEQ, f.RSEQ = b.seq, micropacket.NoSeq
	b.seq = b.l.dst.space.add(b.seq, 1)
	b.receive(f, data...)
}

// header hands the end the Header of a Message with so many octets of payload.
func (b *bench) header(vc uint8, payload int, tail bool) {
	b.sequenced(micropacket.Fields{VC: vc, Type: micropacket.Header, Tail: tail}, headerData(payload)...)
}

func headerData(payload int) []byte {
	var data [micropacket.DataLen]byte
	h := micropacket.Head{D: micropacket.ULA{2, 1}, S: micropacket.ULA{2, 2}, SNAP: micropacket.SNAP(0x8181),
		MLen: uint32(payload + micropacket.SNAPLen)}
	h.Put(&data)
	return data[:]
}

// credit grants credit to the end.
func (b *bench) credit(vc uint8, n uint8) {
	b.sequenced(micropacket.Fields{Type: micropacket.CreditOnly, VCR: vc, CR: n})
}

// want fails unless two values are equal.
func want[T comparable](t *testing.T, what string, got, wanted T) {
	t.Helper()
	if got != wanted {
		t.Errorf("%s: %v, want %v", what, got, wanted)
	}
}

// types returns the TYPEs of micropackets.
func types(list []micropacket.Micropacket) (all []micropacket.Type) {
	for i := range list {
		all = append(all, list[i].Control.Type())
	}
	return all
}

// 9.1.1: a wrong LCRC is logged and drops the micropacket; a stomped one is dropped silently, and takes no TSEQ.
func TestReceivedLCRC(t *testing.T) {
	b := newBench(t, Standard())
	m := b.make(micropacket.Fields{Type: micropacket.CreditOnly, VCR: 1, CR: 5, RSEQ: micropacket.NoSeq})
	bad := m
	bad.Data[3] ^= 1
	b.l.Receive(b.now, &bad, Whole)
	want(t, "LCRC_Error", b.l.Events.LCRCError, 1)
	stomped := m
	stomped.Stomp()
	b.l.Receive(b.now, &stomped, Whole)
	want(t, "LCRC_Error", b.l.Events.LCRCError, 1)
	want(t, "stomped", b.l.Counters.RxStomped, 1)
	want(t, "RSEQ", b.l.dst.RSEQ(), micropacket.NoSeq)
	b.l.Receive(b.now, &m, Whole)
	want(t, "RSEQ", b.l.dst.RSEQ(), 0)
	want(t, "credit", b.l.src.Credit(1), 5)
}

// 9.1.2: each wrong TSEQ drops the micropacket, and only the first of a run is logged.
func TestReceivedTSEQ(t *testing.T) {
	for name, f := range map[string]micropacket.Fields{
		"FF of a sequenced TYPE":        {Type: micropacket.CreditOnly, TSEQ: micropacket.NoSeq, VCR: 1, CR: 1},
		"a number of a Null":            {Type: micropacket.Null, TSEQ: 0},
		"a number of a Reset":           {Type: micropacket.Reset, TSEQ: 0},
		"skipped":                       {Type: micropacket.CreditOnly, TSEQ: 2, VCR: 1, CR: 1},
		"the last but one of the space": {Type: micropacket.CreditOnly, TSEQ: 0xFE, VCR: 1, CR: 1},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, Standard())
			f.RSEQ = micropacket.NoSeq
			b.receive(f)
			b.receive(f)
			want(t, "TSEQ_Error", b.l.Events.TSEQError, 1)
			want(t, "RSEQ", b.l.dst.RSEQ(), micropacket.NoSeq)
			want(t, "credit", b.l.src.Credit(1), 0)
			want(t, "state", b.l.State(), Normal)
			b.credit(1, 1)
			b.receive(f)
			want(t, "TSEQ_Error", b.l.Events.TSEQError, 2)
			want(t, "RSEQ", b.l.dst.RSEQ(), 0)
		})
	}
	// The second micropacket behind a loss does not pass: expected is one more than the last accepted TSEQ.
	b := newBench(t, Standard())
	for _, tseq := range []uint8{1, 2, 3} {
		b.receive(micropacket.Fields{Type: micropacket.CreditOnly, TSEQ: tseq, RSEQ: micropacket.NoSeq})
	}
	want(t, "RSEQ", b.l.dst.RSEQ(), micropacket.NoSeq)
}

// 6.4: numbers go from 00 to FE, and then from 00.
func TestTSEQWraps(t *testing.T) {
	b := newBench(t, Standard())
	for n := range 600 {
		b.credit(0, 0)
		want(t, "RSEQ", b.l.dst.RSEQ(), uint8(n%255))
	}
	want(t, "TSEQ_Error", b.l.Events.TSEQError, 0)
}

// 9.1.3: a wrong ECRC drops the micropacket without an acknowledgement; with ERROR 1 it passes, and the status says so.
func TestReceivedECRC(t *testing.T) {
	b := newBench(t, Standard())
	m := b.make(micropacket.Fields{Type: micropacket.Header, Tail: true, RSEQ: micropacket.NoSeq}, headerData(4)...)
	m.Control = m.Control.WithECRC(m.Control.ECRC() ^ 1)
	m.Seal()
	bad := m
	b.l.Receive(b.now, &bad, Whole)
	want(t, "ECRC_Error", b.l.Events.ECRCError, 1)
	want(t, "RSEQ", b.l.dst.RSEQ(), micropacket.NoSeq)
	m.Control = m.Control.WithError()
	m.Seal()
	b.l.Receive(b.now, &m, Whole)
	want(t, "ECRC_Error", b.l.Events.ECRCError, 1)
	want(t, "RSEQ", b.l.dst.RSEQ(), 0)
	want(t, "Accept", b.l.Accept(0, make([]byte, 10), b.now), true)
	i, ok := b.l.TransferIndicate(0)
	want(t, "indication", ok, true)
	want(t, "status", i.Status, Status{ECRC: true})
}

// 6.6.3, table 1: the ECRC accumulates over a Message on its virtual channel; other micropackets between leave it
// alone.
func TestECRCAccumulates(t *testing.T) {
	b := newBench(t, Standard())
	b.header(0, 8+64, false)
	b.header(2, 8+32, false)
	b.null(micropacket.NoSeq)
	b.sequenced(micropacket.Fields{VC: 1, Type: micropacket.Admin, Tail: true}, 9)
	b.sequenced(micropacket.Fields{VC: 0, Type: micropacket.Data}, 1)
	b.credit(3, 1)
	b.sequenced(micropacket.Fields{VC: 2, Type: micropacket.Data, Tail: true}, 2)
	b.sequenced(micropacket.Fields{VC: 0, Type: micropacket.Data, Tail: true}, 3)
	want(t, "ECRC_Error", b.l.Events.ECRCError, 0)
	want(t, "RSEQ", b.l.dst.RSEQ(), 6)
}

// 9.1.4: an undefined TYPE below 8 is a Null, one from B on is Data; both are logged with the value.
func TestUndefinedTypes(t *testing.T) {
	for _, typ := range []micropacket.Type{0, 1, 6} {
		b := newBench(t, Standard())
		b.l.src.count, b.l.src.first, b.l.src.at = 3, 7, 3
		b.receive(micropacket.Fields{VC: 2, Type: typ, TSEQ: micropacket.NoSeq, RSEQ: 8})
		want(t, "Undefined_TYPE_Error", b.l.Events.UndefinedTypeError[2], 1)
		want(t, "Undefined_TYPE_Value", b.l.Events.UndefinedTypeValue, typ)
		want(t, "outstanding", b.l.src.Outstanding(), 1)
	}
	for _, typ := range []micropacket.Type{0xB, 0xC, 0xD, 0xE} {
		b := newBench(t, Standard())
		b.header(1, 8+32, false)
		b.sequenced(micropacket.Fields{VC: 1, Type: typ, Tail: true}, 5)
		want(t, "Undefined_TYPE_Error", b.l.Events.UndefinedTypeError[1], 1)
		want(t, "Undefined_TYPE_Value", b.l.Events.UndefinedTypeValue, typ)
		want(t, "RSEQ", b.l.dst.RSEQ(), 1)
		want(t, "Accept", b.l.Accept(1, make([]byte, 40), b.now), true)
		i, _ := b.l.TransferIndicate(1)
		want(t, "octet", i.Data[8], 5)
	}
}

// 6.3, 6.5: Credit-only enters no VC buffer and gives no credit back; VCR and CR of a Null grant nothing.
func TestWhatCarriesCredit(t *testing.T) {
	b := newBench(t, Standard())
	b.receive(micropacket.Fields{Type: micropacket.Null, TSEQ: micropacket.NoSeq, RSEQ: micropacket.NoSeq, VCR: 1, CR: 9})
	want(t, "credit by a Null", b.l.src.Credit(1), 0)
	b.credit(1, 63)
	want(t, "credit", b.l.src.Credit(1), 63)
	want(t, "filled places", b.l.dst.vc[0].n, 0)
	want(t, "owes", b.l.dst.owes(), false)
}

// 8.1: more than 255 credits reset the link.
func TestCreditOverflow(t *testing.T) {
	b := newBench(t, Standard())
	for range 4 {
		b.credit(3, 63)
	}
	b.credit(3, 3)
	want(t, "credit", b.l.src.Credit(3), 255)
	want(t, "state", b.l.State(), Normal)
	b.credit(3, 1)
	want(t, "state", b.l.State(), Reset1)
	want(t, "VC3_Credit_Overflow_Error", b.l.Events.CreditOverflowError[3], 1)
	want(t, "credit", b.l.src.Credit(3), 0)
}

// 8.1: a micropacket without credit for the Credit timeout shuts the link down. Credit in time restarts the timeout.
func TestCreditTimeout(t *testing.T) {
	p := Standard()
	p.Silence = 0
	b := newBench(t, p)
	want(t, "request", b.l.TransferRequest(1, Message{Data: make([]byte, 100)}, b.now), nil)
	b.wait(p.Credit - time.Microsecond)
	want(t, "state", b.l.State(), Normal)
	b.credit(1, 1)
	if list := b.sends(); list[0].Control.Type() != micropacket.Header {
		t.Fatalf("sent %v", types(list))
	}
	b.acknowledge()
	b.wait(p.Credit - time.Microsecond)
	want(t, "state", b.l.State(), Normal)
	b.wait(time.Microsecond)
	want(t, "state", b.l.State(), Shutdown)
	want(t, "VC1_Credit_Timeout_Error", b.l.Events.CreditTimeoutError[1], 1)
	status, ok := b.l.TransferConfirm(1)
	want(t, "Confirm", ok && status == Reject, true)
	want(t, "lost", b.l.Counters.TxLostAtReset, 1)
}

// 13.2: a micropacket for a full VC buffer shuts the link down.
func TestVCBufferOverflow(t *testing.T) {
	p := Standard()
	p.Buffers[2] = 2
	b := newBench(t, p)
	b.header(2, 1, true)
	b.header(2, 1, true)
	want(t, "state", b.l.State(), Normal)
	b.header(2, 1, true)
	want(t, "state", b.l.State(), Shutdown)
	want(t, "VC2_RX_VC_Buffer_Overflow", b.l.Events.RxVCBufferOverflow[2], 1)
	want(t, "lost", b.l.Counters.RxLostAtReset, 2)
	if n, ok := b.l.StatusIndicate(); !ok || n != NoticeShutdown {
		t.Errorf("notices %b, %v", n, ok)
	}
	// In Shutdown Nulls go, micropackets for the port are taken and discarded, and only link control is heard.
	b.wait(time.Millisecond)
	b.now += 1 << 20
	list := b.sends()
	if len(list) == 0 || list[0].Control.Type() != micropacket.Null {
		t.Errorf("sent %v", types(list))
	}
	want(t, "request", b.l.TransferRequest(0, Message{}, b.now), nil)
	status, ok := b.l.TransferConfirm(0)
	want(t, "Confirm", ok && status == Accept, true)
	want(t, "discarded", b.l.Counters.TxShutdownDiscard, 1)
	b.receive(micropacket.Fields{Type: micropacket.Null, TSEQ: 1})
	b.header(0, 1, true)
	want(t, "TSEQ_Error", b.l.Events.TSEQError, 0)
	b.control(micropacket.ResetACK)
	b.control(micropacket.InitializeACK)
	want(t, "state", b.l.State(), Shutdown)
	b.control(micropacket.Reset)
	want(t, "state", b.l.State(), Reset1)
}

// grants adds up the credits that micropackets grant.
func grants(list []micropacket.Micropacket) (n [VCs]int) {
	for i := range list {
		if c := list[i].Control; c.Type().Sequenced() {
			n[c.VCR()] += int(c.CR())
		}
	}
	return n
}

// 6.5, 4.6: the whole buffer is granted at first; later a credit comes back with each micropacket that leaves.
func TestCreditsAreGranted(t *testing.T) {
	p := Standard()
	p.Buffers = [VCs]uint8{255, 1, 64, 130}
	b := &bench{t: t, l: NewLink(p, 1), now: 1}
	b.l.SetCarrier(true, b.now)
	b.wait(p.Activity)
	b.control(micropacket.Reset)
	b.control(micropacket.ResetACK)
	b.null(micropacket.NoSeq)
	want(t, "granted", grants(b.sends()), [VCs]int{255, 1, 64, 130})
	b.null(b.l.src.first + b.l.src.count - 1)
	b.header(2, 8+32, false)
	want(t, "granted while the Message waits", grants(b.sends()), [VCs]int{})
	b.l.Accept(2, make([]byte, 40), b.now)
	want(t, "granted for the Header", grants(b.sends()), [VCs]int{0, 0, 1, 0})
	b.sequenced(micropacket.Fields{VC: 2, Type: micropacket.Data, Tail: true})
	want(t, "granted for the Data", grants(b.sends()), [VCs]int{0, 0, 1, 0})
	b.sequenced(micropacket.Fields{VC: 2, Type: micropacket.Data, Tail: true}) // without a start: discarded
	want(t, "granted for what is discarded", grants(b.sends()), [VCs]int{0, 0, 1, 0})
}
