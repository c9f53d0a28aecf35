package lldp_test

import (
	"bytes"
	"testing"
	"time"

	"uelink/lldp"
	"uelink/lldp/lldptest"
)

// FuzzParse: no octets make the parser panic or refer past its input, and what it
// accepts can be said again.
func FuzzParse(f *testing.F) {
	f.Add(unhex(f, goldenOctets))
	for _, c := range lldptest.Cases() {
		f.Add(c.Frame[14:])
	}
	f.Fuzz(func(t *testing.T, octets []byte) {
		var p, again lldp.PDU
		if p.Parse(octets) != lldp.NoFault {
			return
		}
		if p.Len > len(octets) || p.Len > lldp.MaxPDULen {
			t.Fatalf("%d octets of %d", p.Len, len(octets))
		}
		_ = p.Chassis.String() + p.Port.String() + lldp.Text(p.SystemName)
		for _, m := range p.Management {
			_ = m.String()
		}
		if p.Shutdown() || len(p.Management)+len(p.Org)+len(p.Unknown) == 0 {
			return
		}
		said, leftOut := p.Append(nil)
		if leftOut != 0 || again.Parse(said) != lldp.NoFault {
			t.Fatalf("% X became\n% X, %d left out", octets, said, leftOut)
		}
		if twice, _ := again.Append(nil); !bytes.Equal(said, twice) || again.Discarded != 0 {
			t.Fatalf("% X became\n% X", said, twice)
		}
	})
}

// FuzzAgent: any frames at any times leave the agent within its bounds and able
// to hear a good frame.
func FuzzAgent(f *testing.F) {
	for _, c := range lldptest.Cases() {
		f.Add(c.Frame, int64(1), uint8(3))
	}
	f.Fuzz(func(t *testing.T, frame []byte, step int64, n uint8) {
		s := up(macA, &echo{})
		for i := range int(n) {
			s.hear(frame)
			if len(frame) > 24 {
				frame[20+i%4]++
			}
			s.now = s.now.Add(time.Duration(step))
		}
		s.poll()
		if len(s.neighbors()) > lldp.DefaultMaxNeighbors {
			t.Fatalf("%d neighbours", len(s.neighbors()))
		}
		for _, e := range s.events {
			_ = e.Kind.String() + e.Cause.String()
		}
		room := len(s.neighbors()) < lldp.DefaultMaxNeighbors
		s.hear(frameB())
		if c := s.Counters(); room && c.Rx.TotalFrames == 0 {
			t.Fatal("deaf")
		}
	})
}
