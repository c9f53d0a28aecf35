package path

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"
	"time"

	"uelink/dataplane/model"
	"uelink/llr"
	"uelink/wire"
)

// selective is defaults with selective replay at both ends.
func selective() pairOptions {
	o := defaults()
	o.profile.Replay = llr.Selective
	return o
}

// gapAtB lets n frames of A cross of which B lacks the first. It returns B's number of that frame, and a function that
// lets it cross.
func gapAtB(t *testing.T, p *pair, n uint64) (missing uint32, mend func()) {
	t.Helper()
	missing = p.b.l.LLR.Rx.NextSeq()
	p.b.between.keeps = func(f []byte) bool {
		d, bad := wire.ParseData(f, p.o.ports.Dialect)
		return bad == wire.NoFault && d.Sequenced && d.Seq == missing && wire.EtherType(f) == p.o.ports.EtherTypeData
	}
	p.until(func() bool { p.a.offer(n); return p.b.l.LLR.Rx.CountKept() == int(n)-1 }, 10*time.Millisecond)
	if got := p.b.l.LLR.Rx.CountKept(); got != int(n)-1 || p.b.l.LLR.Rx.NextSeq() != missing {
		t.Fatalf("%d frames are kept, %d expected", got, p.b.l.LLR.Rx.NextSeq())
	}
	return missing, func() { p.b.between.keeps = nil }
}

// Frames behind a gap are kept in the chunks of their arrival, where they are nobody's: they have no credits and no
// place in a queue. They are delivered in order when the missing frame is here, and their chunks go back.
func TestFramesBehindAGapAreKeptAndDelivered(t *testing.T) {
	for name, o := range map[string]pairOptions{
		"without credits": selective(),
		"under credits":   func() pairOptions { o := selective(); credits(&o, 1, 1, 64); return o }(),
		"addressed":       func() pairOptions { o := addressed(); o.profile.Replay = llr.Auto; return o }(),
		"in pieces":       func() pairOptions { o := selective(); o.chunk = 512; o.inPieces(); return o }(),
	} {
		t.Run(name, func(t *testing.T) {
			p := up(t, o)
			p.pass(50e6)
			_, mend := gapAtB(t, p, 40)
			if s := p.b.l.Port.State(p.now).LLR; s.KeptFrames != 39 || s.ReplayRx != llr.Selective || s.ReplayReason != "" {
				t.Errorf("%+v", s)
			}
			if n := p.b.l.Port.sources[0].waiting + p.b.edge.egress.waiting + p.b.l.cbfc.Rx.Held; n != 0 ||
				p.b.host.Recv() != nil {
				t.Errorf("%d frames wait, or have credits", n)
			}
			if err := p.b.invariant(); err != nil {
				t.Error(err)
			}
			mend()
			p.carry(t, 40)
			if err := p.settle(); err != nil {
				t.Error(err)
			}
			c := p.b.l.LLR.Counters()
			if c.RxKept != 39 || c.RxMissingSeq != 39 || c.RxDuplicateSeq > 2 {
				t.Errorf("%+v", c)
			}
			if p.b.l.pace.slowed() || p.a.l.pace.slowed() {
				t.Error("a repair has made the batches smaller")
			}
		})
	}
}

// What is kept is given up where its chunks go away, nothing of it is left over, and the partner sends it again:
// nothing is lost, nothing comes twice, and LLR goes on.
func TestKeptFramesWhoseChunksGoAway(t *testing.T) {
	for name, lose := range map[string]func(t *testing.T, p *pair){
		"sockets reopened": func(_ *testing.T, p *pair) { p.replug(11, 1024) },
		"another process": func(t *testing.T, p *pair) {
			p.renewal.r = rand.New(rand.NewPCG(1, 2))
			next, became, err := p.renewal.handOver(p.b.x, 1, p.now)
			if err != nil || next == nil {
				t.Fatal(err)
			}
			p.b.x, p.b.edge, p.b.l = next, became[p.b.edge], became[&p.b.l.Port].Link
			p.renewal.r = nil
		},
		"another domain": func(t *testing.T, p *pair) {
			if err := p.b.transferred(p, false); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := up(t, selective())
			_, mend := gapAtB(t, p, 40)
			lose(t, p)
			if n := p.b.l.LLR.Rx.CountKept(); n != 0 {
				t.Errorf("%d frames are kept", n)
			}
			if err := p.b.invariant(); err != nil {
				t.Error(err)
			}
			mend()
			p.carry(t, 60)
			if err := p.settle(); err != nil {
				t.Error(err)
			}
			for _, e := range []*end{p.a, p.b} {
				if c := e.l.LLR.Counters(); c.TxFlush+c.TxReinit+c.RxDuplicateSeq > 3 {
					t.Errorf("%s: %+v", e.name, c)
				}
			}
		})
	}
}

// A link that is detached, switched off, or whose partner starts again, gives its kept frames up, with their chunks.
func TestKeptFramesOfALinkThatEnds(t *testing.T) {
	for name, end := range map[string]func(p *pair){
		"off":       func(p *pair) { p.b.l.AllowLocal(false, p.now) },
		"partner":   func(p *pair) { p.a.l.LLR.Tx.Reinit(p.now); p.a.l.Free(); p.pass(5e6) },
		"suspended": func(p *pair) { p.b.x.Suspend(&p.b.l.Port, p.now) },
	} {
		t.Run(name, func(t *testing.T) {
			p := up(t, selective())
			gapAtB(t, p, 40)
			end(p)
			p.pass(1e6)
			if n := p.b.l.LLR.Rx.CountKept(); n != 0 {
				t.Errorf("%d frames are kept", n)
			}
			if err := p.b.invariant(); err != nil {
				t.Error(err)
			}
			if n := p.b.link.HandedOut(); n != 0 {
				t.Errorf("%d chunks are not with the device", n)
			}
		})
	}
}

// An edge that stands still has no room for frames whose turn has come: they stay kept, the partner is told to wait,
// and nothing is lost when the edge goes on.
func TestKeptFramesWaitForAnEdgeThatStandsStill(t *testing.T) {
	o := selective()
	o.profile.MaxOutstandingFrames = 256
	p := up(t, o)
	edge := p.b.holdEdge()
	edge.hold = true
	_, mend := gapAtB(t, p, 200)
	mend()
	p.pass(20e6)
	buffered := p.b.l.LLR.Rx.CountKept()
	if room := p.b.l.Port.sources[0].room(); buffered == 0 || room > 0 || !p.b.l.pushback.refusing ||
		!p.a.l.Partner.Busy() {
		t.Errorf("%d frames are kept, with room for %d more; refusing %v, busy %v", buffered, room, p.b.l.pushback.refusing,
			p.a.l.Partner.Busy())
	}
	if err := p.b.invariant(); err != nil {
		t.Error(err)
	}
	edge.hold = false
	p.carry(t, 300)
	if c := p.b.l.Port.Counters; c.RxDropNoBuffer != 0 || p.b.edge.Counters.TxDropQueueFull != 0 {
		t.Errorf("%+v", c)
	}
}

// A poisoned frame behind a gap takes its number and its credits, and no host gets it.
func TestPoisonedFrameIsKeptByItsNumber(t *testing.T) {
	o := selective()
	credits(&o, 1, 1, 64)
	p := up(t, o)
	p.pass(50e6)
	first := p.b.l.LLR.Rx.NextSeq()
	p.b.between.changes = func(f []byte) int {
		d, bad := wire.ParseData(f, o.ports.Dialect)
		if bad == wire.NoFault && d.Sequenced && d.Seq == wire.SeqAdd(first, 2) {
			wire.Poison(f, o.ports.EtherTypeData, o.ports.Dialect, d)
		}
		return len(f)
	}
	_, mend := gapAtB(t, p, 5)
	mend()
	if !p.until(func() bool { return p.b.l.LLR.Rx.CountKept() == 0 }, 10*time.Millisecond) {
		t.Fatalf("%d frames are kept", p.b.l.LLR.Rx.CountKept())
	}
	var got []uint64
	for f := p.b.host.Recv(); f != nil; f = p.b.host.Recv() {
		got = append(got, binary.BigEndian.Uint64(f[14:]))
	}
	if len(got) != 4 || got[2] != 3 {
		t.Errorf("the host got %v", got)
	}
	p.pass(50e6)
	if err := p.b.invariant(); err != nil {
		t.Error(err)
	}
	if credits := p.b.l.cbfc.Rx.Held; credits != 0 {
		t.Errorf("%d credits are held", credits)
	}
}

// A link offers to keep frames if its sockets have the chunks, and says why it goes back N.
func TestReplayThatIsOffered(t *testing.T) {
	for _, c := range []struct {
		name    string
		kind    llr.ReplayKind
		partner llr.ReplayKind
		window  int
		chunks  int
		keeps   uint8
		inForce llr.ReplayKind
		reason  llr.ReplayReason
	}{
		{"selective", llr.Selective, llr.Auto, 256, 256, 8, llr.Selective, llr.ReplaySelective},
		{"configured", llr.GoBackN, llr.Auto, 256, 256, 0, llr.GoBackN, llr.ReplayConfigured},
		{"too few chunks", llr.Auto, llr.Auto, 256, 255, 0, llr.GoBackN, llr.ReplayMemory},
		{"partner", llr.Auto, llr.GoBackN, 256, 256, 8, llr.GoBackN, llr.ReplayPartner},
		{"window", llr.Auto, llr.Auto, llr.SelectiveFramesMax + 1, 256, 0, llr.GoBackN, llr.ReplayWindow},
	} {
		o := defaults()
		o.profile.MaxOutstandingFrames, o.replay = c.window, map[string]llr.ReplayKind{"a": c.kind, "b": c.partner}
		o.reorder = map[string]int{"a": c.chunks}
		p := up(t, o)
		s := p.a.l.Port.State(p.now).LLR
		if p.a.l.LLR.Rx.Keeps() != c.keeps || s.ReplayTx != c.inForce || s.ReplayRx != c.inForce ||
			s.Replay != c.kind || s.ReplayReason != string(c.reason) {
			t.Errorf("%s: keeps 2^%d; %v, %v of %v, %q", c.name, p.a.l.LLR.Rx.Keeps(), s.ReplayTx, s.ReplayRx, s.Replay,
				s.ReplayReason)
		}
	}
}

// New settings at one end change the kind of replay both ways, under load, without a loss.
func TestKindOfReplayChangesWithTheSettings(t *testing.T) {
	p := up(t, selective())
	for _, kind := range []llr.ReplayKind{llr.GoBackN, llr.Selective} {
		p.a.offer(50)
		p.b.offer(50)
		p.pass(5e3)
		profile := p.o.profile
		profile.Replay = kind
		p.a.x.Configure(&p.a.l.Port, p.a.l.Port.settings, profile, p.now)
		p.carry(t, 100)
		p.pass(5e6)
		for _, e := range []*end{p.a, p.b} {
			s := e.l.Port.State(p.now).LLR
			if s.ReplayTx != kind || s.ReplayRx != kind || s.Counters.TxFlushedFrames+s.Counters.TxDiscard > 0 {
				t.Errorf("%v at %s: %v, %v, %+v", kind, e.name, s.ReplayTx, s.ReplayRx, s.Counters)
			}
		}
	}
}

// A control frame has room for all that LLR and STATION say at once.
func TestReportFitsAControlFrame(t *testing.T) {
	full := wire.Station{Leaves: 1, Resumes: true}
	if n := llr.PollMax + len(full.Items(nil)); n > wire.MaxCtlOS {
		t.Errorf("%d control ordered sets, a frame has %d", n, wire.MaxCtlOS)
	}
}

// A trace follows a frame that was kept from the moment when its turn has come.
func TestTraceOfKeptFrames(t *testing.T) {
	p := up(t, selective())
	missing, mend := gapAtB(t, p, 10)
	trace := p.b.x.Trace(&p.b.l.Port, model.TraceSettings{Count: 30}, time.Unix(0, 0), p.now)
	p.until(func() bool { p.a.offer(15); return p.b.l.LLR.Rx.CountKept() == 14 }, 10*time.Millisecond)
	if list, _ := trace.Take(true); len(list) != 0 {
		t.Errorf("frames behind the gap are traced: %+v", list)
	}
	mend()
	p.carry(t, 20)
	list, _ := trace.Take(true)
	sent := 0
	for _, f := range list {
		if f.Result == model.TraceSent && f.RxSequence == int64(wire.SeqAdd(missing, sent)) {
			sent++
		} else if f.Result != model.TraceDropped || f.Counters[0].Counter != "llr_rx_duplicate_seq" {
			t.Errorf("%+v", f)
		}
	}
	if sent != 20 {
		t.Errorf("%d frames were followed to the edge", sent)
	}
}
