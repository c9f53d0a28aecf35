package llr

import (
	"math/rand/v2"
	"testing"
	"time"

	"uelink/wire"
)

// lossy is two ends with LLR both ways over a wire that loses a share of all packets,
// 20 us there and back. Both know STATION.
func lossy(t *testing.T, p Profile, seed uint64, loss float64) (net *network, a, b *station) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 3))
	a = newStation("a", p, 100, [2]byte{1}, 4096)
	b = newStation("b", p, 500, [2]byte{2}, 4096)
	a.announcer.start, b.announcer.start = 1, 2
	net = newNetwork(a, b, func(format string, args ...any) {
		t.Fatalf("seed %d: "+format,
			append([]any{seed}, args...)...)
	})
	net.room = 32
	net.fate = func(_ *station, _ *packet, delays []time.Duration) []time.Duration {
		if rng.Float64() < loss {
			return delays
		}
		return append(delays, 10_000)
	}
	a.modes(true, true)
	b.modes(true, true)
	net.run(net.now + 20*ms)
	wantTx(t, a.link.Tx, TxAdvance)
	return net, a, b
}

// storm gives b forged control while frames go both ways, so many a second for 200 ms,
// and checks that nothing is lost by it.
func storm(t *testing.T, rate int64, forged func(rng *rand.Rand, b *station) wire.CtlOS) (a, b *station) {
	t.Helper()
	p := profile()
	p.MaxOutstandingFrames, p.MaxReplayCount = 512, 8
	net, a, b := lossy(t, p, 1, 0)
	rng := rand.New(rand.NewPCG(7, 7))
	for end := net.now + 200*ms; net.now < end; {
		a.offered, b.offered = a.offered+10, b.offered+10
		a.wake, b.wake = net.now, net.now
		next := net.now.Add(time.Second / time.Duration(rate))
		for net.now < next {
			net.run(min(next, net.now+20_000))
		}
		b.work([]packet{{ctl: forged(rng, b)}}, true)
	}
	net.run(net.now + 100*ms)
	for _, s := range []*station{a, b} {
		if n := s.link.Counters(); n.TxFlush+n.TxReinit+n.TxFlushedFrames > 0 || s.peer.got != s.offered {
			t.Errorf("%d forged a second: %s offered %d frames, %d were delivered; %+v", rate, s.name, s.offered, s.peer.got, n)
		}
	}
	return a, b
}

// One forged or very old LLR_INIT, or storms of them, change nothing.
func TestForgedInitsChangeNothing(t *testing.T) {
	for _, rate := range []int64{10, 1000, 20_000} {
		_, b := storm(t, rate, func(rng *rand.Rand, _ *station) wire.CtlOS {
			return wire.CtlOS{Type: wire.LLRInit, Seq: rng.Uint32() & wire.SeqMask,
				InitData: [2]byte{byte(rng.Uint32()), byte(rng.Uint32())}}
		})
		if b.link.Counters().RxInitStale == 0 {
			t.Error("no LLR_INIT was found not to fit")
		}
	}
}

// The same one over and over: it is alike, but the partner goes on working.
func TestRepeatedForgedInitChangesNothing(t *testing.T) {
	storm(t, 1000, func(*rand.Rand, *station) wire.CtlOS {
		return wire.CtlOS{Type: wire.LLRInit, Seq: 77777, InitData: [2]byte{0xAB, 0xCD}}
	})
}

// Forged LLR_NACK for the last frame that was acknowledged cost less than every second
// frame on the wire.
func TestForgedNacksCostLittle(t *testing.T) {
	for _, rate := range []int64{1000, 20_000} {
		_, b := storm(t, rate, func(_ *rand.Rand, b *station) wire.CtlOS {
			return wire.CtlOS{Type: wire.LLRNack, Seq: b.link.Tx.acked()}
		})
		sent, delivered := b.link.Counters().TxOK, b.peer.got
		t.Logf("%d forged LLR_NACK a second: %.2f frames sent for each that was delivered", rate,
			float64(sent)/float64(delivered))
		if sent > 2*uint64(delivered) {
			t.Errorf("%d forged LLR_NACK a second: %d frames sent for %d", rate, sent, delivered)
		}
	}
}

// A partner that truly restarts in the middle of a storm is met again within a second:
// one that says its start id, and an older one.
func TestRestartInAStormIsNoticed(t *testing.T) {
	for _, older := range []bool{false, true} {
		for _, rate := range []int64{1000, 20_000} {
			p := profile()
			p.MaxReplayCount = NoReplayLimit
			net, a, b := lossy(t, p, 1, 0)
			if older {
				a, b = newStation("a", p, 100, [2]byte{1}, 4096), newStation("b", p, 500, [2]byte{2}, 4096)
				net = newNetwork(a, b, t.Fatalf)
				net.fate = func(_ *station, _ *packet, delays []time.Duration) []time.Duration { return append(delays, 10_000) }
				a.modes(true, true)
				b.modes(true, true)
				net.run(net.now + ms)
			}
			rng := rand.New(rand.NewPCG(9, 9))
			forge := func(d time.Duration) {
				for end := net.now.Add(d); net.now < end; net.run(net.now.Add(time.Second / time.Duration(rate))) {
					b.work([]packet{{ctl: wire.CtlOS{Type: wire.LLRInit, Seq: rng.Uint32() & wire.SeqMask,
						InitData: [2]byte{byte(rng.Uint32()), byte(rng.Uint32())}}}}, true)
				}
			}
			forge(50 * ms)
			a.boot(p, 9000, [2]byte{3})
			if !older {
				a.announcer = announcer{start: 3}
			}
			a.modes(true, true)
			forge(1000 * ms)
			if a.link.Tx.State() != TxAdvance || b.link.Tx.State() != TxAdvance || !a.link.Rx.Live() || !b.link.Rx.Live() {
				t.Errorf("older %v, %d LLR_INIT a second: a %v, b %v", older, rate, a.link.Tx.State(), b.link.Tx.State())
			}
			if n := b.link.Counters().PartnerRestart; n != 1 {
				t.Errorf("older %v, %d LLR_INIT a second: %d restarts noticed", older, rate, n)
			}
		}
	}
}
