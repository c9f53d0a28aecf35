package rule

import (
	"testing"
	"time"

	"uelink/wire"
	"uelink/wire/micropacket"
)

// bed is a wire with rules, and its clock.
type bed struct {
	t testing.TB
	*Wire
	now wire.Time
}

func newBed(t testing.TB, rules ...string) *bed {
	t.Helper()
	b := &bed{t: t, Wire: New(Settings{Names: [2]string{"wa", "wb"}, Seed: 1}), now: 1}
	for _, text := range rules {
		b.add(text)
	}
	return b
}

func (b *bed) add(text string) string {
	b.t.Helper()
	r, err := Parse(text, b.settings.Names)
	if err != nil {
		b.t.Fatalf("%s: %v", text, err)
	}
	id, err := b.Add(r, b.now)
	if err != nil {
		b.t.Fatal(err)
	}
	return id
}

// send lets a frame pass, and returns all frames that leave then.
func (b *bed) send(way int, f []byte) (out [][]byte) {
	b.now++
	f = append([]byte{}, f...)
	if n, _ := b.Pass(way, f, b.now); n > 0 {
		out = append(out, f[:n])
	}
	return append(out, b.drain(way)...)
}

// drain returns the frames of the store that are due.
func (b *bed) drain(way int) (out [][]byte) {
	for {
		buf := make([]byte, 16384)
		n, _ := b.Take(way, buf, b.now)
		if n == 0 {
			return out
		}
		out = append(out, buf[:n])
	}
}

func (b *bed) wait(d time.Duration) { b.now = b.now.Add(d) }

func (b *bed) status(id string) Status {
	b.t.Helper()
	for _, s := range b.Statuses(b.now) {
		if s.ID == id {
			return s
		}
	}
	b.t.Fatalf("no rule %s", id)
	return Status{}
}

var (
	here  = wire.MAC{2, 0, 0, 0, 0, 1}
	there = wire.MAC{2, 0, 0, 0, 0, 2}
)

// carried returns a frame with priority 3 that a link carries.
func carried() []byte {
	f := make([]byte, 80)
	a := wire.AddressesOf(there, here)
	copy(f, a[:])
	copy(f[12:], []byte{0x81, 0, 3 << 5, 7, 8, 0})
	for i := 18; i < len(f); i++ {
		f[i] = byte(i)
	}
	return f
}

// forms are the ways in which a data frame may look.
var forms = map[string]struct {
	dialect   wire.Dialect
	addressed bool
}{"seed": {}, "ue1": {dialect: wire.DialectUE1}, "addressed": {addressed: true},
	"addressed ue1": {wire.DialectUE1, true}}

func dataAs(d wire.Dialect, addressed bool, seq uint32, vc uint8) []byte {
	b := make([]byte, 300)
	p := wire.Preamble{Seq: seq, Sequenced: true, FCS: true, To: wire.To{VC: vc}}
	if addressed {
		outer := wire.AddressesOf(there, here)
		return b[:wire.PutAddressed(b, carried(), &outer, wire.EtherTypeData, d, p, false)]
	}
	return b[:wire.PutData(b, carried(), wire.EtherTypeData, d, p, false)]
}

func data(seq uint32) []byte { return dataAs(wire.DialectSeed, false, seq, 2) }

func control(list ...wire.CtlOS) []byte {
	b := make([]byte, wire.MaxControlLen)
	return b[:wire.PutControl(b, here, wire.EtherTypeControl, list)]
}

func ack(seq uint32) wire.CtlOS  { return wire.CtlOS{Type: wire.LLRAck, Seq: seq} }
func nack(seq uint32) wire.CtlOS { return wire.CtlOS{Type: wire.LLRNack, Seq: seq} }

func cf(vc uint8, n uint16) wire.CtlOS {
	return wire.CtlOS{Type: wire.CFUpdate, CF: [2]wire.Credit{{VC: vc, Count: n}, {VC: vc, Count: n}}}
}

// sets returns the control ordered sets of an undamaged control frame.
func sets(t testing.TB, f []byte) []wire.CtlOS {
	t.Helper()
	var into [wire.MaxCtlOS]wire.CtlOS
	n, _, fault := wire.ParseControl(f, &into)
	if fault != wire.NoFault {
		t.Fatalf("control frame: %v", fault)
	}
	return append([]wire.CtlOS{}, into[:n]...)
}

// micropackets returns a frame of micropackets.
func micropackets(number uint32, list ...micropacket.Fields) []byte {
	b := make([]byte, micropacket.FrameLen(len(list), true))
	for i, f := range list {
		m := micropacket.Micropacket{Control: f.Control()}
		m.Seal()
		m.Put(micropacket.At(b, i))
	}
	outer := wire.AddressesOf(there, here)
	micropacket.PutFrame(b, &outer, wire.EtherTypeData,
		micropacket.FrameHead{N: uint8(len(list)), FCS: true, Number: number, From: 1, To: 2})
	return b
}

func seqOf(t testing.TB, f []byte) int {
	t.Helper()
	p, fault := wire.ParseData(f, wire.DialectSeed)
	if fault != wire.NoFault {
		t.Fatalf("data frame: %v", fault)
	}
	return int(p.Seq)
}

// seqs sends data frames and returns the numbers that leave, in order.
func (b *bed) seqs(way int, list ...uint32) (out []int) {
	b.t.Helper()
	for _, seq := range list {
		for _, f := range b.send(way, data(seq)) {
			out = append(out, seqOf(b.t, f))
		}
	}
	return out
}

func upTo(from, to uint32) (list []uint32) {
	for n := from; n <= to; n++ {
		list = append(list, n)
	}
	return list
}
