package hippi

import (
	"math/rand/v2"
	"testing"
	"time"

	"uelink/wire"
	"uelink/wire/micropacket"
)

// FuzzLink feeds one end micropackets with any fields, with right and wrong CRCs, and any order of calls. Nothing may
// panic; credits, sequence numbers and VC buffers stay within their bounds; a Message that was accepted is indicated.
func FuzzLink(f *testing.F) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 150 {
		input := make([]byte, 600)
		for i := range input {
			input[i] = byte(rng.Uint32())
		}
		f.Add(input)
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		p := Software()
		p.Buffers, p.VC3, p.Retries = [VCs]uint8{2, 5, 255, 1}, true, 3
		d := &prodded{t: t, l: NewLink(p, 7), input: input}
		d.l.SetCarrier(true, 0)
		d.now = 2_000_000
		for len(d.input) > 0 {
			d.step()
			d.check()
		}
	})
}

// prodded is an end that is fed anything.
type prodded struct {
	t       *testing.T
	l       *Link
	now     wire.Time
	input   []byte
	filling [VCs]bool
	ecrc    uint16
}

// byte takes the next octet of the input, 0 when there is none.
func (d *prodded) byte() byte {
	if len(d.input) == 0 {
		return 0
	}
	b := d.input[0]
	d.input = d.input[1:]
	return b
}

func (d *prodded) step() {
	l, vc := d.l, d.byte()&3
	switch op := d.byte(); op % 16 {
	case 0, 1, 2, 3, 4, 5:
		d.receive(op)
	case 6:
		_ = l.TransferRequest(vc, Message{Data: make([]byte, int(d.byte())*20)}, d.now)
	case 7:
		l.TransferConfirm(vc)
	case 8:
		var admin [micropacket.DataLen]byte
		_ = l.AdminRequest(vc, &admin, d.now)
	case 9:
		if l.Accept(vc, make([]byte, 6000), d.now) {
			d.filling[vc] = true
		}
	case 10:
		if l.Refuse(vc, d.now); op&16 != 0 {
			l.SetCarrier(op&32 != 0, d.now)
		}
	case 11:
		if _, ok := l.TransferIndicate(vc); ok {
			if !d.filling[vc] {
				d.t.Fatal("an indication of a Message that was not accepted")
			}
			d.filling[vc] = false
		}
		l.AdminIndicate(vc)
		l.TransferResponse(vc, d.now)
	case 12:
		_ = l.ControlRequest(Command(op>>4&1), d.now)
	case 13:
		d.now = d.now.Add(time.Duration(d.byte()) * 100 * time.Microsecond)
		l.Expire(d.now)
	default:
		d.transmit()
	}
}

// receive hands over a micropacket; often it fits.
func (d *prodded) receive(op byte) {
	m := micropacket.Micropacket{Control: micropacket.Control(d.byte()) | micropacket.Control(d.byte())<<8}
	for i := range 4 {
		m.Data[12+i*i] = d.byte() % 8
	}
	c := m.Control.Fields()
	if c.TSEQ = micropacket.NoSeq; c.Type.Sequenced() {
		c.TSEQ = d.l.dst.expected()
	}
	if c.RSEQ = d.l.src.space.add(d.l.src.first, d.byte()%8); op&16 != 0 {
		c.RSEQ = d.byte()
	}
	if op&32 != 0 && op&64 != 0 {
		c.TSEQ = d.byte()
	}
	register, _ := d.l.dst.ecrcGood(&m)
	if m.Control = c.Control().WithECRC(register); op&128 != 0 && op&64 != 0 {
		m.Control = m.Control.WithECRC(d.ecrc)
	}
	if m.Seal(); op%16 == 5 && op&128 != 0 {
		m.Control ^= 1 << (d.byte() % 64)
	}
	d.l.Receive(d.now, &m, Hearing{All: op%5 != 4, Echoed: op%7 != 6, from: uint16(op % 3), number: uint32(op)})
}

func (d *prodded) transmit() {
	for n := 0; ; n++ {
		var m micropacket.Micropacket
		if !d.l.Transmit(d.now, &m) {
			return
		}
		if m.CheckLCRC() != micropacket.Good || !m.Control.Type().Defined() {
			d.t.Fatalf("sent %+v", m.Control.Fields())
		}
		if n > 2000 {
			d.t.Fatal("the end never stops sending")
		}
	}
}

func (d *prodded) check() {
	l := d.l
	if l.src.Outstanding() > 254 || l.src.at > l.src.count {
		d.t.Fatalf("%d outstanding, %d sent", l.src.Outstanding(), l.src.at)
	}
	for vc := range l.dst.vc {
		b := &l.dst.vc[vc]
		if int(b.n)+int(b.owed) > len(b.slots) {
			d.t.Fatalf("VC%d: %d places filled, %d owed of %d", vc, b.n, b.owed, len(b.slots))
		}
		a := &l.arrival[vc]
		if d.filling[vc] != (a.phase == arrivalFilling || a.phase == arrivalDone && !a.admin) {
			d.t.Fatalf("VC%d: memory given %v, phase %d", vc, d.filling[vc], a.phase)
		}
		if l.src.waiting>>vc&1 != 0 && l.src.credit[vc] == 0 && l.src.starved[vc] == wire.Never {
			d.t.Fatalf("VC%d waits without credit, and no timeout runs", vc)
		}
	}
	if l.src.count > 0 && l.src.at == l.src.count && l.src.timer == wire.Never {
		d.t.Fatal("micropackets await an acknowledgement, and no timeout runs")
	}
}
