package hippi

import (
	"testing"

	"uelink/wire"
	"uelink/wire/micropacket"
)

// ends returns two ends in Normal, joined without a wire.
func ends(tb testing.TB, p Profile) (a, b *Link, now wire.Time) {
	tb.Helper()
	p.Silence, p.Activity = 0, 0
	a, b = NewLink(p, 1), NewLink(p, 2)
	a.SetCarrier(true, 0)
	b.SetCarrier(true, 0)
	for now = 1; now < 20_000_000; now += 100_000 {
		exchange(a, b, now)
	}
	if !a.Ready() || !b.Ready() {
		tb.Fatal(a.State(), b.State())
	}
	return a, b, now
}

// exchange lets each end hear what the other sends, in batches of up to 32 as a frame has them.
func exchange(a, b *Link, now wire.Time) {
	var batch [32]micropacket.Micropacket
	for busy := true; busy; {
		busy = false
		for _, way := range [2][2]*Link{{a, b}, {b, a}} {
			n := 0
			for n < len(batch) && way[0].Transmit(now, &batch[n]) {
				n++
			}
			for i := range n {
				way[1].Receive(now, &batch[i], Whole)
			}
			busy = busy || n > 0
		}
	}
}

// carry carries a Message of n octets from a to b.
func carry(tb testing.TB, a, b *Link, data, chunk []byte, now wire.Time) {
	if err := a.TransferRequest(1, Message{Data: data}, now); err != nil {
		tb.Fatal(err)
	}
	for range 100 {
		exchange(a, b, now)
		b.Accept(1, chunk, now)
		if i, ok := b.TransferIndicate(1); ok {
			if len(i.Data) != len(data) || !i.Status.Good() {
				tb.Fatalf("%+v", i.Status)
			}
			b.TransferResponse(1, now)
			if _, ok := a.TransferConfirm(1); !ok {
				tb.Fatal("no Confirm")
			}
			return
		}
	}
	tb.Fatal("the Message does not arrive")
}

func TestNothingAllocates(t *testing.T) {
	a, b, now := ends(t, Software())
	data, chunk := make([]byte, 1500), make([]byte, 1500)
	if n := testing.AllocsPerRun(100, func() { carry(t, a, b, data, chunk, now) }); n != 0 {
		t.Errorf("%v allocations a Message", n)
	}
	// A retransmission, a Link Reset.
	if n := testing.AllocsPerRun(10, func() {
		now = now.Add(a.profile.DeadMan)
		if err := a.ControlRequest(CommandReset, now); err != nil {
			t.Fatal(err)
		}
		for range 10 {
			now = now.Add(a.profile.Turn)
			exchange(a, b, now)
		}
	}); n != 0 || !a.Ready() {
		t.Errorf("%v allocations a Link Reset, %v", n, a.State())
	}
}

// BenchmarkMicropacket is the cost of a micropacket at both ends, in Messages of 1500 octets.
func BenchmarkMicropacket(b *testing.B) {
	from, to, now := ends(b, Software())
	data, chunk := make([]byte, 1500), make([]byte, 1500)
	before := from.Counters.TxMicropackets
	b.ReportAllocs()
	for b.Loop() {
		carry(b, from, to, data, chunk, now)
	}
	n := float64(from.Counters.TxMicropackets - before)
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/n, "ns/micropacket")
}
