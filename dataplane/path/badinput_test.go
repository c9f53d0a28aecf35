package path

import (
	"encoding/binary"
	"hash/crc32"
	"strings"
	"testing"
	"time"

	"uelink/dataplane/frame"
	"uelink/dataplane/frame/frametest"
	"uelink/dataplane/mem"
	"uelink/dataplane/model"
	"uelink/llr"
	"uelink/wire"
)

// station under test: one end, with a test host in place of the partner.
type lone struct {
	*end
	p       *pair
	partner *mem.Host
}

func newLone(t *testing.T, o pairOptions) *lone {
	t.Helper()
	p := &pair{o: o}
	p.a = newPair(o, 3).a
	p.a.linkIn = nil
	g := frame.Geometry{ChunkSize: o.chunk, RX: o.ring, TX: o.ring + o.profile.MaxOutstandingFrames}
	dev, other := mem.NewPair(g, g, o.ring)
	p.a.l.Port.attach([]frame.Device{dev}, wire.MAC{2, 1}, o.mtu+wire.Overhead)
	p.a.x.SetUp(&p.a.l.Port, true, 0)
	return &lone{end: p.a, p: p, partner: mem.NewHost(other)}
}

// give hands frames to the link port and lets it work them.
func (l *lone) give(frames ...[]byte) {
	for _, f := range frames {
		l.partner.Send(f)
		l.step()
	}
}

func (l *lone) step() {
	for range 3 {
		l.p.now += 10e3
		l.x.Step(l.p.now)
		l.x.report(l.hub, l.p.now)
	}
}

func control(list ...wire.CtlOS) []byte { return controlTo(wire.ControlDA, wire.MAC{2, 9}, list...) }

func controlTo(da, sa wire.MAC, list ...wire.CtlOS) []byte {
	b := make([]byte, wire.MaxControlLen)
	return b[:wire.PutControlTo(b, da, sa, wire.EtherTypeControl, list)]
}

func shimmed(d wire.Dialect, p wire.Preamble, poisoned bool) []byte {
	b := make([]byte, 512)
	return b[:wire.PutData(b, frametest.Numbered(make([]byte, 256), 1), wire.EtherTypeData, d, p, poisoned)]
}

var initFrame = wire.CtlOS{Type: wire.LLRInit, Seq: 100, InitData: [2]byte{7, 7}}

// known makes the lone end know its partner, whose next frame is number 100.
func (l *lone) meetPartner() { l.give(control(initFrame)) }

// shims has the partner send its first frame with a shim, which is not sequenced.
func (l *lone) shims() {
	l.give(shimmed(wire.DialectSeed, wire.Preamble{FCS: true}, false))
	if l.host.Recv() == nil {
		panic("a frame in a shim was not delivered")
	}
}

// TestBadFramesOnALinkPort: every kind of damage has its counter, and none is
// delivered or acted on.
func TestBadFramesOnALinkPort(t *testing.T) {
	good := wire.Preamble{Seq: 100, Sequenced: true, FCS: true}
	change := func(f []byte, at int, to byte) []byte { f[at] = to; return f }
	resum := func(f []byte, end int) []byte {
		binary.LittleEndian.PutUint32(f[end:], crc32.ChecksumIEEE(f[:end]))
		return f
	}
	for _, c := range []struct {
		name    string
		frame   []byte
		counter func(*model.PortCounters) uint64
	}{
		{"runt", make([]byte, 10), func(c *model.PortCounters) uint64 { return c.RxRunt }},
		{"truncated shim", shimmed(wire.DialectSeed, good, false)[:20],
			func(c *model.PortCounters) uint64 { return c.RxShimTruncated }},
		{"shim shorter than the least frame", shimmed(wire.DialectSeed, good, false)[:70],
			func(c *model.PortCounters) uint64 { return c.RxShimTruncated }},
		{"bad SFD", change(shimmed(wire.DialectSeed, good, false), 17, 0xD4),
			func(c *model.PortCounters) uint64 { return c.RxShimBadSFD }},
		{"sequence of more than 20 bits", change(shimmed(wire.DialectSeed, good, false), 18, 0x10),
			func(c *model.PortCounters) uint64 { return c.RxShimReserved }},
		{"addressed, for another station", change(shimmed(wire.DialectSeed, good, false), 21, 0xC0),
			func(c *model.PortCounters) uint64 { return c.RxOtherStation }},
		{"control for another station", controlTo(wire.MAC{2, 7}, wire.MAC{2, 9}, wire.CtlOS{Type: wire.LLRAck}),
			func(c *model.PortCounters) uint64 { return c.RxOtherStation }},
		{"bare, bad FCS image", change(shimmed(wire.DialectSeed, wire.Preamble{FCS: true}, false), 40, 0xEE),
			func(c *model.PortCounters) uint64 { return c.RxBareBadFCS }},
		{"bare, poisoned", shimmed(wire.DialectSeed, wire.Preamble{FCS: true}, true),
			func(c *model.PortCounters) uint64 { return c.RxBareBadFCS }},
		{"bare, without the FCS image that is demanded", shimmed(wire.DialectSeed, wire.Preamble{}, false),
			func(c *model.PortCounters) uint64 { return c.RxBareBadFCS }},
		{"unknown VC", shimmed(wire.DialectSeed, wire.Preamble{FCS: true, To: wire.To{VC: 9}}, false),
			func(c *model.PortCounters) uint64 { return c.RxVC }},
		{"another dialect", shimmed(wire.DialectUE1, good, false),
			func(c *model.PortCounters) uint64 { return c.RxOtherDialect }},
		{"native from a partner that shims", frametest.Numbered(make([]byte, 256), 1),
			func(c *model.PortCounters) uint64 { return c.RxNativeDropped }},
		{"control, too short", control(initFrame)[:40], func(c *model.PortCounters) uint64 { return c.RxControlTruncated }},
		{"control, CRC", change(control(initFrame), 20, 0xEE), func(c *model.PortCounters) uint64 { return c.RxControlCRC }},
		{"control, version", change(control(initFrame), 14, 2),
			func(c *model.PortCounters) uint64 { return c.RxControlVersion }},
		{"control, count 0", change(control(initFrame), 15, 0),
			func(c *model.PortCounters) uint64 { return c.RxControlCount }},
		{"control, count too large", change(control(initFrame), 15, 200),
			func(c *model.PortCounters) uint64 { return c.RxControlCount }},
		{"control, reserved octet", resum(change(control(initFrame), 23, 1), 24),
			func(c *model.PortCounters) uint64 { return c.RxControlReserved }},
		{"control, unknown type", resum(change(control(initFrame), 17, 0x55), 24),
			func(c *model.PortCounters) uint64 { return c.RxControlType }},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := newLone(t, defaults())
			l.meetPartner()
			l.shims()
			next := l.l.LLR.Rx.NextSeq()
			l.give(c.frame)
			if got := c.counter(&l.l.Port.Counters); got != 1 {
				t.Errorf("its counter is %d, want 1: %+v", got, l.l.Port.Counters)
			}
			if f := l.host.Recv(); f != nil {
				t.Errorf("delivered: %x", f)
			}
			if got := l.l.LLR.Rx.NextSeq(); got != next {
				t.Errorf("next_rx_seq went from %d to %d", next, got)
			}
		})
	}
}

func TestBadFCSIsNotDelivered(t *testing.T) {
	l := newLone(t, defaults())
	l.meetPartner()
	f := shimmed(wire.DialectSeed, wire.Preamble{Seq: 100, Sequenced: true, FCS: true}, false)
	f[30] ^= 4
	l.give(f)
	if c := l.l.LLR.Counters(); c.RxExpectedSeqBad != 1 || c.TxNackCtlOS != 1 {
		t.Errorf("expected_seq_bad %d, NACKs %d; want 1, 1", c.RxExpectedSeqBad, c.TxNackCtlOS)
	}
	if l.host.Recv() != nil {
		t.Error("it was delivered")
	}
}

func TestPoisonedTakesItsPlaceAndIsNotDelivered(t *testing.T) {
	l := newLone(t, defaults())
	l.meetPartner()
	l.give(shimmed(wire.DialectSeed, wire.Preamble{Seq: 100, Sequenced: true, FCS: true}, true))
	if c := l.l.LLR.Counters(); c.RxExpectedSeqPoisoned != 1 || c.TxNackCtlOS != 0 || l.l.LLR.Rx.NextSeq() != 101 {
		t.Errorf("poisoned %d, NACKs %d, next %d; want 1, 0, 101", c.RxExpectedSeqPoisoned, c.TxNackCtlOS,
			l.l.LLR.Rx.NextSeq())
	}
	if l.host.Recv() != nil {
		t.Error("it was delivered")
	}
}

// TestFlippedFCSFlag: a frame whose FCS flag was flipped away is bad where an
// FCS image is demanded, and not delivered with four octets too many.
func TestFlippedFCSFlag(t *testing.T) {
	l := newLone(t, defaults())
	l.meetPartner()
	f := shimmed(wire.DialectSeed, wire.Preamble{Seq: 100, Sequenced: true, FCS: true}, false)
	f[21] &^= 0x80
	l.give(f)
	if c := l.l.LLR.Counters(); c.RxExpectedSeqBad != 1 {
		t.Errorf("expected_seq_bad = %d, want 1", c.RxExpectedSeqBad)
	}
	if l.host.Recv() != nil {
		t.Error("it was delivered")
	}
}

// otherType is a valid control frame under another EtherType.
func otherType() []byte {
	f := control(initFrame)
	f[12], f[13] = 0x9a, 0xbc
	end := len(f) - 36 // one CtlOS: the CRC lies at octet 24 of 60
	binary.LittleEndian.PutUint32(f[end:], crc32.ChecksumIEEE(f[:end]))
	return f
}

// TestPartnerProblemsAreNamed: what is wrong with a partner is told, in words
// that say what to do, as state and as an event.
func TestPartnerProblemsAreNamed(t *testing.T) {
	for _, c := range []struct {
		name, want string
		frame      []byte
		times      int
	}{
		{"dialect", "speaks dialect ue1", shimmed(wire.DialectUE1, wire.Preamble{Seq: 1, Sequenced: true, FCS: true},
			false), 1},
		{"EtherType", "EtherType 0x9abc", otherType(), 1},
		{"no FCS image", "sends no FCS image", shimmed(wire.DialectSeed, wire.Preamble{Seq: 1, Sequenced: true}, false), 16},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := newLone(t, defaults())
			for range c.times {
				l.give(c.frame)
			}
			if got := l.l.Port.State(0).LLR.PartnerProblem; !strings.Contains(got, c.want) {
				t.Errorf("partner_problem is %q, want it to say %q", got, c.want)
			}
			for {
				select {
				case e := <-l.events:
					if e.Kind == model.EventPartner && strings.Contains(e.Text, c.want) {
						return
					}
				default:
					t.Fatal("no event tells of it")
				}
			}
		})
	}
}

// TestSilentPartnerEndsInFlush: ACKs that never come end in FLUSH, which is told.
func TestSilentPartnerEndsInFlush(t *testing.T) {
	inOneGoroutine(t)
	o := defaults()
	o.profile.MaxReplayCount, o.profile.ReInitOnFlush = 3, false
	l := newLone(t, o)
	l.meetPartner()
	for f := l.partner.Recv(); f != nil; f = l.partner.Recv() {
		if wire.EtherType(f) != wire.EtherTypeControl {
			continue
		}
		var list [wire.MaxCtlOS]wire.CtlOS
		n, _, _ := wire.ParseControl(f, &list)
		for _, c := range list[:n] {
			if c.Type == wire.LLRInit {
				c.Type = wire.LLRInitEcho
				l.partner.Send(control(c))
			}
		}
	}
	l.step()
	l.offer(5)
	for end := l.p.now.Add(time.Second); l.p.now < end; {
		l.step()
	}
	s := l.l.Port.State(0)
	if s.LLR.TxStatus != llr.TxFlush || s.LLR.FlushReason != "replay count" || len(s.ErrorStatus) != 1 ||
		s.ErrorStatus[0] != "llr_tx_flush" {
		t.Errorf("tx_status %s, reason %q, errors %v; want FLUSH, replay count, llr_tx_flush", s.LLR.TxStatus,
			s.LLR.FlushReason, s.ErrorStatus)
	}
	if s.LLR.Counters.TxOK != 5+3*4 || s.LLR.Counters.TxReplay != 3 || s.Counters.TxFlushed != 5 {
		t.Errorf("sent %d, replays %d, flushed %d; want 17, 3, 5", s.LLR.Counters.TxOK, s.LLR.Counters.TxReplay,
			s.Counters.TxFlushed)
	}
	if err := l.invariant(); err != nil {
		t.Error(err)
	}
}

// A flush is shown until it is cleared, also where LLR initialises itself again at once.
func TestFlushIsShownUntilItIsCleared(t *testing.T) {
	for name, clear := range map[string]func(l *Link, now wire.Time){
		"reinit":   func(l *Link, now wire.Time) { l.LLR.Tx.Reinit(now) },
		"counters": func(l *Link, _ wire.Time) { l.LLR.Tx.ClearFlush() },
	} {
		o := defaults()
		o.profile.MaxReplayCount, o.profile.ReInitOnFlush = 3, true
		p := up(t, o)
		p.b.between.keeps = func([]byte) bool { return true }
		p.a.host.Send(sized(100, 1))
		l := p.a.l
		if !p.until(func() bool { return l.LLR.Tx.Flushes() > 0 }, time.Second) {
			t.Fatalf("%s: no FLUSH", name)
		}
		p.b.between.keeps = nil
		if !p.until(p.established, time.Second) {
			t.Fatalf("%s: LLR does not come up again", name)
		}
		if s := l.Port.State(0); len(s.ErrorStatus) != 1 || s.ErrorText == "" || s.LLR.FlushReason != "replay count" ||
			s.LLR.FlushFrame == "" {
			t.Errorf("%s: %v, %q, %+v", name, s.ErrorStatus, s.ErrorText, s.LLR)
		}
		clear(l, p.now)
		if s := l.Port.State(0); len(s.ErrorStatus) != 0 || s.ErrorText != "" || s.LLR.FlushReason != "" ||
			s.LLR.FlushFrame != "" {
			t.Errorf("%s, cleared: %v, %q, %+v", name, s.ErrorStatus, s.ErrorText, s.LLR)
		}
	}
}
