package cbfc

import "testing"

func TestState(t *testing.T) {
	p := started(t, settingsOf(1<<2, 100))
	p.fill(2, 60)
	p.b.Rx.Free(2, 30)
	p.exchange()
	a, b := p.a.State(p.now), p.b.State(p.now)
	if !a.On || !a.Partner || a.Used != 70 || a.Watermark != 100 || len(a.VCs) != 1 || len(b.VCs) != 1 {
		t.Fatalf("%+v, %+v", a, b)
	}
	s, r := a.VCs[0], b.VCs[0]
	if want := (SenderState{Consumed: 100, Freed: 30, Used: 70, Limit: 100, Watermark: 100}); s.Sender != want {
		t.Errorf("%+v, want %+v", s.Sender, want)
	}
	if want := (ReceiverState{Enabled: true, Consumed: 100, Freed: 30, Held: 70, Limit: 100}); r.Receiver != want {
		t.Errorf("%+v, want %+v", r.Receiver, want)
	}
	if s.VC != 2 || !s.Wanted || r.Wanted || s.Phase != Lossless || s.AtRest() || r.AtRest() || p.a.Quiet() ||
		p.b.Quiet() {
		t.Errorf("%+v, %+v", s, r)
	}
	p.b.Rx.Free(2, 70)
	p.exchange()
	for _, e := range []*end{p.a, p.b} {
		if s := e.State(p.now).VCs[0]; !s.AtRest() || !e.Quiet() {
			t.Errorf("%+v", s)
		}
	}
}

func TestClear(t *testing.T) {
	p := started(t, settingsOf(1, 100))
	p.fill(0, 60)
	p.b.Rx.Free(0, 60)
	p.exchange()
	p.cf(0, 500)
	if s := p.a.State(p.now); s.VCs[0].Counters.CFIgnored != 1 || s.Counters.CFUpdateRx == 0 || p.b.Count.CFUpdateTx == 0 {
		t.Errorf("%+v", s)
	}
	p.a.Clear()
	if s := p.a.State(p.now); s.Counters != (PortCounters{}) || s.VCs[0].Counters != (Counters{}) || s.Watermark != 40 {
		t.Errorf("%+v", s)
	}
}

// TestStateOfAPool: what a channel that has ended still uses of it is told, too.
func TestStateOfAPool(t *testing.T) {
	p := started(t, totalOf(100, Profile{}, Profile{Reserved: 40, Static: 30}))
	p.send(0, 60)
	for range 50 {
		p.send(1, 60)
	}
	p.stops()
	p.pass(askLimit)
	p.phase(1, BestEffort)
	s := p.a.State(p.now)
	if want := (PoolState{Size: 100, Shared: 100, Used: 51}); s.Pool != want || s.Used != 1 {
		t.Errorf("%+v, want %+v; %d used", s.Pool, want, s.Used)
	}
	if v := s.VCs[1]; v.Profile != (Profile{Reserved: 40, Static: 30}) {
		t.Errorf("%+v", v)
	}
	if b := p.b.State(p.now); b.Pool != (PoolState{}) || b.Total != 100 {
		t.Errorf("the end that grants it: %+v, %d", b.Pool, b.Total)
	}
}
