package micropacket

import "testing"

// BenchmarkCRCs makes both CRCs of one micropacket. The bound is 60 ns.
func BenchmarkCRCs(b *testing.B) {
	m := Micropacket{Control: Fields{Type: Data, TSEQ: 1}.Control()}
	for i := range m.Data {
		m.Data[i] = byte(i)
	}
	register := ECRCInit
	for b.Loop() {
		register = m.ECRC(register)
		m.Control = m.Control.WithECRC(register)
		m.Seal()
	}
}

// BenchmarkCheck checks both CRCs of one micropacket, as a receiver does.
func BenchmarkCheck(b *testing.B) {
	m := Micropacket{Control: Fields{Type: Data, TSEQ: 1}.Control()}
	m.Control = m.Control.WithECRC(m.ECRC(ECRCInit))
	m.Seal()
	for b.Loop() {
		if m.CheckLCRC() != Good || m.ECRC(ECRCInit) != m.Control.ECRC() {
			b.Fatal("bad")
		}
	}
}
