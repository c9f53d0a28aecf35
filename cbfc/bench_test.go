package cbfc

import (
	"testing"

	"uelink/wire"
)

// benchPort returns a port with n channels under credits in both directions.
func benchPort(b *testing.B, s Settings) *pair {
	b.Helper()
	p := newPair(&testing.T{}, s)
	p.exchange()
	p.now = p.now.Add(underWay)
	if p.a.Tx.counted != s.Lossless {
		b.Fatal("the channels have not started")
	}
	return p
}

func benchmarkSend(b *testing.B, s Settings) {
	p := benchPort(b, s)
	v := p.a.Tx.vc[:]
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		vc := uint8(i & 31)
		credits, gate := p.a.Tx.Gate(vc, 1514)
		if gate != Open {
			b.Fatal("shut")
		}
		p.a.Tx.Charge(vc, credits, p.now)
		if i&255 == 255 {
			for vc := range uint8(VCs) {
				p.a.Tx.receivedFreed(vc, v[vc].cc, p.now)
			}
		}
	}
}

// BenchmarkGateCharge measures the cost of a frame for its sender, over 32 channels, with a 1/8 of a CF_Update.
func BenchmarkGateCharge(b *testing.B) { benchmarkSend(b, settingsOf(1<<VCs-1, 1000)) }

// BenchmarkGateChargePool is the same out of a port total.
func BenchmarkGateChargePool(b *testing.B) {
	s := settingsOf(1<<VCs-1, 1)
	s.Total = 16000
	benchmarkSend(b, s)
}

// BenchmarkGateChargeBestEffort measures the cost of a frame without credits.
func BenchmarkGateChargeBestEffort(b *testing.B) {
	p := newPair(&testing.T{}, settingsOf(0, 0))
	for i := 0; b.Loop(); i++ {
		credits, _ := p.a.Tx.Gate(uint8(i&31), 1514)
		p.a.Tx.Charge(uint8(i&31), credits, p.now)
	}
}

// BenchmarkStoreFree measures the cost of a frame for its receiver.
func BenchmarkStoreFree(b *testing.B) {
	p := benchPort(b, settingsOf(1<<VCs-1, 1000))
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		vc := uint8(i & 31)
		p.b.Rx.Free(vc, p.b.Rx.Store(vc, 1514))
	}
}

// BenchmarkPoll is a round of a worker in which all 32 channels have credits to give back.
func BenchmarkPoll(b *testing.B) {
	p := benchPort(b, settingsOf(1<<VCs-1, 1000))
	out := make([]wire.CtlOS, 0, 32)
	b.ReportAllocs()
	for b.Loop() {
		for vc := range uint8(VCs) {
			p.b.Rx.Free(vc, p.b.Rx.Store(vc, 1514))
		}
		out = p.b.Poll(p.now, &p.b.env, out[:0])
	}
}
