package rule

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"uelink/wire"
	"uelink/wire/micropacket"
)

// missing returns which of the numbers 1 to 20, sent from a, do not arrive.
func missing(t *testing.T, rule string) (list []int) {
	t.Helper()
	b := newBed(t, rule)
	arrived := map[int]bool{}
	for _, n := range b.seqs(0, upTo(1, 20)...) {
		arrived[n] = true
	}
	for n := 1; n <= 20; n++ {
		if !arrived[n] {
			list = append(list, n)
		}
	}
	return list
}

func TestHowOften(t *testing.T) {
	for rule, want := range map[string][]int{
		"kind=data nth=5 drop":                      {5},
		"kind=data after=3 nth=5 drop":              {8},
		"kind=data every=7 drop":                    {7, 14},
		"kind=data every=5 first=2 drop":            {5, 10},
		"kind=data nth=3 burst=4 drop":              {3, 4, 5, 6},
		"kind=data after=2 burst=2 gap=3 drop":      {3, 4, 8, 9, 13, 14, 18, 19},
		"kind=data first=3 drop":                    {1, 2, 3},
		"kind=data seq=4,9..11 drop":                {4, 9, 10, 11},
		"kind=data seq=0x12.. drop":                 {18, 19, 20},
		"kind=data seq=+3 drop":                     {3},
		"kind=data seq=+18.. drop":                  {18, 19, 20},
		"kind=data seq=+2..+4 !seq=3 drop":          {2, 4},
		"kind=data p=100% first=1 drop":             {1},
		"kind=data vc=2 pri=3 nth=2 drop":           {2},
		"kind=data vc=1 drop":                       nil,
		"kind=data pri=0..2 drop":                   nil,
		"from=b kind=data drop":                     nil,
		"from=wa kind=data nth=1 drop":              {1},
		"kind=data fcs=good nth=4 drop":             {4},
		"kind=data fcs=bad,poisoned,none drop":      nil,
		"kind=data len=1.. nth=2 drop":              {2},
		"kind=data octets=12:88b5 nth=2 drop":       {2},
		"kind=data octets=12:88b6/fffe drop":        nil,
		"kind=data inner=12:8100 nth=2 drop":        {2},
		"kind=data inner=0:020000000002 nth=1 drop": {1},
		"kind=plain,native drop":                    nil,
		"nth=20 drop":                               {20},
	} {
		if got := missing(t, rule); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v are missing, want %v", rule, got, want)
		}
	}
}

func TestCopies(t *testing.T) {
	b := newBed(t, "kind=data copy=first seq=3 drop")
	if got := b.seqs(0, 1, 2, 3, 4, 3, 4); !reflect.DeepEqual(got, []int{1, 2, 4, 3, 4}) {
		t.Errorf("the first copy lost: %v", got)
	}
	b = newBed(t, "kind=data copy=again drop")
	if got := b.seqs(0, 1, 2, 2, 3, 1, 3); !reflect.DeepEqual(got, []int{1, 2, 3}) {
		t.Errorf("later copies lost: %v", got)
	}
	// After a round of the numbers each is new again, and so after another LLR_INIT.
	b.send(0, control(wire.CtlOS{Type: wire.LLRInit, Seq: 1, InitData: [2]byte{1, 2}}))
	b.send(0, control(wire.CtlOS{Type: wire.LLRInit, Seq: 1, InitData: [2]byte{1, 2}}))
	if got := b.seqs(0, 1, 2, 2); !reflect.DeepEqual(got, []int{1, 2}) {
		t.Errorf("after LLR_INIT: %v", got)
	}
	n := &numbers{}
	for i := range uint32(3 << wire.SeqBits) {
		if again, fresh := n.sent(i & wire.SeqMask); again || !fresh {
			t.Fatalf("frame %d: again %v, fresh %v", i, again, fresh)
		}
	}
	if again, _ := n.sent(5 << 1); again {
		t.Error("a number a round ago is taken for a copy")
	}
}

// A rule takes out its ordered set, not the frame; a frame without any is lost.
func TestSetsAreTakenOut(t *testing.T) {
	b := newBed(t, "kind=ack drop")
	out := b.send(1, control(cf(3, 5), ack(7), nack(6)))
	if len(out) != 1 || !reflect.DeepEqual(sets(t, out[0]), []wire.CtlOS{cf(3, 5), nack(6)}) {
		t.Errorf("left: %v", out)
	}
	if out := b.send(1, control(ack(8))); out != nil {
		t.Errorf("an empty frame goes on: %x", out)
	}
	if s := b.status("r1"); s.Hits != 2 || s.Matched != 2 || s.Last.Seq != 8 || s.Last.Kind != Ack || s.Last.Way != 1 {
		t.Errorf("status %+v, last %+v", s, s.Last)
	}
}

func TestHeldSetLeavesInItsOwnFrame(t *testing.T) {
	b := newBed(t, "id=h kind=ack hold=20ms", "id=p kind=nack hold=released")
	start := wire.Received{Twice: 3, Nack: 1}.Item()
	out := b.send(1, control(start, ack(7), cf(3, 5)))
	if len(out) != 1 || len(sets(t, out[0])) != 2 || b.status("h").Held != 1 {
		t.Fatalf("went on: %x", out)
	}
	if out := b.send(1, control(start, nack(7))); len(out) != 1 || len(sets(t, out[0])) != 1 {
		t.Errorf("went on: %x", out)
	}
	b.wait(19 * time.Millisecond)
	if out := b.drain(1); out != nil {
		t.Errorf("too early: %x", out)
	}
	b.wait(time.Millisecond)
	if out := b.drain(1); len(out) != 1 || !reflect.DeepEqual(sets(t, out[0]), []wire.CtlOS{start, ack(7)}) {
		t.Errorf("after 20 ms: %x", out)
	}
	if n, err := b.Release("p", b.now); n != 1 || err != nil {
		t.Errorf("released %d, %v", n, err)
	}
	if out := b.drain(1); len(out) != 1 || sets(t, out[0])[1] != nack(7) || b.status("p").Held != 0 {
		t.Errorf("released: %x", out)
	}
}

func TestActionsOnDataFrames(t *testing.T) {
	for name, form := range forms {
		f := dataAs(form.dialect, form.addressed, 9, 2)
		read := func(out []byte) (wire.Preamble, wire.FCS) {
			p, fault := wire.ParseData(out, form.dialect)
			if fault != wire.NoFault {
				t.Fatalf("%s: %v", name, fault)
			}
			return p, wire.CheckFCS(out)
		}
		for rule, want := range map[string]struct {
			seq uint32
			vc  uint8
			fcs wire.FCS
		}{
			"kind=data poison":                   {9, 2, wire.FCSPoisoned},
			"kind=data poison=xor:ffffffff":      {9, 2, wire.FCSPoisoned},
			"kind=data poison=xor:aaaaaaaa":      {9, 2, wire.FCSBad},
			"kind=data corrupt=40:01":            {9, 2, wire.FCSBad},
			"kind=data corrupt=40:01 fix":        {9, 2, wire.FCSGood},
			"kind=data rewrite=seq:77":           {77, 2, wire.FCSGood},
			"kind=data rewrite=seq:+5":           {14, 2, wire.FCSGood},
			"kind=data rewrite=seq:-10":          {wire.SeqMask, 2, wire.FCSGood},
			"kind=data rewrite=vc:5":             {9, 5, wire.FCSGood},
			"kind=data rewrite=inner:14:ffff":    {9, 2, wire.FCSGood},
			"kind=data rewrite=octets:60:ffff":   {9, 2, wire.FCSGood},
			"kind=data rewrite=inner:16000:ffff": {9, 2, wire.FCSGood},
		} {
			b := newBed(t, rule)
			out := b.send(0, f)
			if len(out) != 1 || len(out[0]) != len(f) {
				t.Fatalf("%s, %s: %d frames", name, rule, len(out))
			}
			p, fcs := read(out[0])
			if p.Seq != want.seq || p.VC != want.vc || fcs != want.fcs {
				t.Errorf("%s, %s: %+v, FCS %d", name, rule, p, fcs)
			}
			if s := b.status("r1"); s.Hits != 1 || s.Misfits != 0 != strings.Contains(rule, "16000") {
				t.Errorf("%s, %s: %+v", name, rule, s)
			}
		}
		b := newBed(t, "kind=data rewrite=inner:0:0a0b")
		out := b.send(0, f)[0]
		p, _ := read(out)
		inner := make([]byte, p.CarriedLen(len(out)))
		if wire.Carried(inner, out, p, true) != wire.FCSGood || inner[0] != 0x0a || inner[1] != 0x0b {
			t.Errorf("%s: carried %x", name, inner[:16])
		}
	}
}

func TestDuplicateReorderReplay(t *testing.T) {
	if got := newBed(t, "kind=data seq=2 duplicate=3").seqs(0, 1, 2, 3); !reflect.DeepEqual(got, []int{1, 2, 2, 2, 2, 3}) {
		t.Errorf("duplicate: %v", got)
	}
	b := newBed(t, "kind=data seq=2 reorder=2")
	if got := b.seqs(0, 1, 2, 3, 4, 5); !reflect.DeepEqual(got, []int{1, 3, 4, 2, 5}) {
		t.Errorf("reorder: %v", got)
	}
	b = newBed(t, "kind=data seq=2 reorder=9")
	if got := b.seqs(0, 2, 3); len(got) != 1 {
		t.Errorf("reorder: %v", got)
	}
	b.wait(longestAside)
	if out := b.drain(0); len(out) != 1 {
		t.Errorf("never overtaken: %x", out)
	}
	b = newBed(t, "kind=data nth=4 replay=2")
	if got := b.seqs(0, 1, 2, 3, 4, 5); !reflect.DeepEqual(got, []int{1, 2, 3, 4, 2, 5}) {
		t.Errorf("replay: %v", got)
	}
	b = newBed(t, "kind=ack nth=2 replay=1")
	b.send(1, control(ack(4)))
	if out := b.send(1, control(ack(5), cf(1, 1))); len(out) != 2 || sets(t, out[1])[0] != ack(4) {
		t.Errorf("replay of a set: %x", out)
	}
}

func TestRewriteOfSets(t *testing.T) {
	for rule, want := range map[string][]wire.CtlOS{
		"kind=ack rewrite=seq:+3":                 {ack(10), cf(3, 100)},
		"kind=ack rewrite=type:nack":              {nack(7), cf(3, 100)},
		"kind=cf_update vc=3 rewrite=credit:+5":   {ack(7), cf(3, 105)},
		"kind=cf_update vc=3 rewrite=credit:-200": {ack(7), cf(3, 0x8000-100)},
		"kind=cf_update vc=4 rewrite=credit:+5":   {ack(7), cf(3, 100)},
		"kind=cf_update rewrite=vc:9":             {ack(7), cf(9, 100)},
		"kind=ack rewrite=init_data:0102":         {ack(7), cf(3, 100)}, // a misfit
	} {
		out := newBed(t, rule).send(1, control(ack(7), cf(3, 100)))
		if len(out) != 1 || !reflect.DeepEqual(sets(t, out[0]), want) {
			t.Errorf("%s: %v", rule, sets(t, out[0]))
		}
	}
	init := wire.CtlOS{Type: wire.LLRInitEcho, Seq: 5, InitData: [2]byte{1, 2}}
	out := newBed(t, "kind=init_echo rewrite=init_data:0a0b").send(1, control(init))
	if got := sets(t, out[0])[0]; got.InitData != [2]byte{0xa, 0xb} || got.Seq != 5 {
		t.Errorf("init_data: %+v", got)
	}
}

// A corrupted ordered set leaves alone, so that the others of its frame arrive.
func TestCorruptSet(t *testing.T) {
	out := newBed(t, "kind=nack corrupt").send(1, control(cf(3, 5), nack(7)))
	var into [wire.MaxCtlOS]wire.CtlOS
	if len(out) != 2 || len(sets(t, out[0])) != 1 {
		t.Fatalf("%x", out)
	}
	if _, _, fault := wire.ParseControl(out[1], &into); fault != wire.FaultCRC {
		t.Errorf("the damaged set: %v", fault)
	}
	out = newBed(t, "kind=nack corrupt=1:03 fix").send(1, control(cf(3, 5), nack(7)))
	if got := sets(t, out[1]); got[0] != ack(7) {
		t.Errorf("with fix: %v", got)
	}
}

func TestPauseAndCCUpdate(t *testing.T) {
	f := make([]byte, wire.MinFrameLen)
	p := wire.PFC{Enable: 1<<3 | 1<<5}
	p.Quanta[3], p.Quanta[5] = 100, 200
	wire.PutPFC(f, here, p)
	if out := newBed(t, "kind=pfc pri=3 drop").send(0, f); out != nil {
		t.Errorf("PFC: %x", out)
	}
	if out := newBed(t, "kind=pfc pri=4 drop", "kind=pause drop").send(0, f); len(out) != 1 {
		t.Errorf("another priority: %x", out)
	}
	out := newBed(t, "kind=pfc pri=3 rewrite=quanta:65535").send(0, f)
	if got, _ := wire.ParsePFC(out[0]); got.Quanta[3] != 65535 || got.Quanta[5] != 200 {
		t.Errorf("rewritten: %+v", got)
	}
	for _, dialect := range []wire.Dialect{wire.DialectSeed, wire.DialectUE1} {
		u := wire.CCUpdate{VCs: 1<<3 | 1<<4}
		u.Count[3], u.Count[4] = 10, 20
		update, b := make([]byte, wire.MaxCCUpdateLen), make([]byte, 400)
		n, _ := wire.PutCCUpdate(update, there, here, wire.EtherTypeControl, dialect, &u)
		p := wire.Preamble{Seq: 4, Sequenced: true, FCS: true, To: wire.To{Partner: true}}
		b = b[:wire.PutData(b, update[:n], wire.EtherTypeData, dialect, p, false)]
		if out := newBed(t, "kind=data drop").send(0, b); len(out) != 1 {
			t.Errorf("%v: a CC_Update is no data", dialect)
		}
		if out := newBed(t, "kind=cc_update vc=3 drop").send(0, b); out != nil {
			t.Errorf("%v: %x", dialect, out)
		}
		out := newBed(t, "kind=cc_update vc=3 rewrite=credit:+5").send(0, b)
		var m message
		New(Settings{}).classify(&m, 0, out[0])
		if m.counts.Count[3] != 15 || m.counts.Count[4] != 20 || wire.CheckFCS(out[0]) != wire.FCSGood {
			t.Errorf("%v: %+v", dialect, m.counts.Count[:5])
		}
	}
}

func TestMicropackets(t *testing.T) {
	credit := micropacket.Fields{Type: micropacket.CreditOnly, CR: 4, VCR: 1, TSEQ: 9, RSEQ: 3}
	header := micropacket.Fields{Type: micropacket.Header, TSEQ: 10, RSEQ: 3, VC: 1}
	b := newBed(t, "kind=hippi.credit_only first=1 drop", "kind=hippi.header nth=2 hold=5ms")
	types := func(f []byte) (list []micropacket.Type, number uint32) {
		h, fault := micropacket.ParseFrame(f)
		if fault != wire.NoFault {
			t.Fatal(fault)
		}
		for i := range int(h.N) {
			var m micropacket.Micropacket
			if m.Parse(micropacket.At(f, i)); m.CheckLCRC() != micropacket.Good {
				t.Errorf("LCRC of %d is wrong", i)
			}
			list = append(list, m.Control.Type())
		}
		return list, h.Number
	}
	out := b.send(0, micropackets(1, credit, header))
	if got, n := types(out[0]); len(out) != 1 || len(got) != 1 || got[0] != micropacket.Header || n != 1 {
		t.Errorf("left: %v, number %d", got, n)
	}
	out = b.send(0, micropackets(2, credit, header))
	if got, n := types(out[0]); len(got) != 1 || got[0] != micropacket.CreditOnly || n != 2 {
		t.Errorf("left: %v, number %d", got, n)
	}
	b.wait(5 * time.Millisecond)
	// A frame that the wire adds has the next number, and the later ones follow it.
	if got, n := types(b.drain(0)[0]); got[0] != micropacket.Header || n != 3 {
		t.Errorf("held: %v, number %d", got, n)
	}
	if _, n := types(b.send(0, micropackets(3, header))[0]); n != 4 {
		t.Errorf("after it: number %d", n)
	}
	out = newBed(t, "kind=hippi.credit_only rewrite=credit:+5").send(0, micropackets(1, credit))
	types(out[0])
	var m micropacket.Micropacket
	if m.Parse(micropacket.At(out[0], 0)); m.Control.CR() != 9 {
		t.Errorf("credits %d", m.Control.CR())
	}
	if out := newBed(t, "kind=hippi drop").send(0, micropackets(1, header)); out != nil {
		t.Errorf("the whole frame: %x", out)
	}
}

func TestInject(t *testing.T) {
	b := newBed(t, "id=i from=b inject=nack:-2 first=2 spacing=1ms", "from=b inject=cf_update:3:+5 on=i",
		"from=a inject=frame:0180c2000001020000000001880800010064")
	if out := b.drain(0); len(out) != 1 || len(out[0]) != 18 {
		t.Errorf("a frame: %x", out)
	}
	if out := b.drain(1); out != nil {
		t.Errorf("before the numbers are known: %x", out)
	}
	b.seqs(0, 5, 6, 7)
	out := b.send(1, control(cf(3, 100)))
	if len(out) != 3 || sets(t, out[1])[0] != nack(5) || sets(t, out[2])[0] != cf(3, 105) {
		t.Fatalf("made: %x", out)
	}
	if at := b.Next(1); at.Sub(b.now) != time.Millisecond {
		t.Errorf("the next is due after %v", at.Sub(b.now))
	}
	b.wait(time.Millisecond)
	if out := b.drain(1); len(out) != 1 || b.status("i").State != Done || b.Next(1) != wire.Never {
		t.Errorf("later: %x, %+v", out, b.status("i"))
	}
}

func TestLife(t *testing.T) {
	b := newBed(t, "id=p kind=ack drop", "on=p id=d kind=data first=1 drop", "id=f kind=nack for=10ms drop")
	if got := b.seqs(0, 1, 2); len(got) != 2 || b.status("d").State != Dormant {
		t.Errorf("dormant: %v", got)
	}
	b.send(1, control(ack(1)))
	if got := b.seqs(0, 3, 4); !reflect.DeepEqual(got, []int{4}) || b.status("d").State != Done {
		t.Errorf("armed by p: %v", got)
	}
	if err := b.Pause("p"); err != nil {
		t.Error(err)
	}
	if out := b.send(1, control(ack(2))); len(out) != 1 || b.status("p").State != Paused {
		t.Errorf("paused: %x", out)
	}
	b.Arm("p", b.now)
	if out := b.send(1, control(ack(3))); out != nil || b.status("p").Hits != 1 {
		t.Errorf("armed again: %x", out)
	}
	b.wait(time.Second)
	if out := b.send(1, control(nack(1))); out != nil {
		t.Error("the time begins with the first match")
	}
	b.wait(10 * time.Millisecond)
	if out := b.send(1, control(nack(1))); len(out) != 1 || b.status("f").State != Done {
		t.Error("the time is over")
	}
	if b.Delete("f", b.now) != nil || b.Delete("f", b.now) == nil || b.Arm("x", b.now) == nil || b.Pause("x") == nil {
		t.Error("deleted twice, or an unknown rule armed")
	}
	b.Arm("d", b.now)
	b.wait(quiet)
	if note := b.status("d").Note; note != "has matched nothing for 10s" {
		t.Errorf("note %q", note)
	}
}

// The first rule that acts ends the search, unless it says continue; count never does.
func TestOrderOfRules(t *testing.T) {
	b := newBed(t, "id=c kind=data count", "id=w kind=data continue rewrite=vc:4", "id=d kind=data drop", "id=n count")
	b.seqs(0, 1)
	for id, hits := range map[string]uint64{"c": 1, "w": 1, "d": 1, "n": 0} {
		if s := b.status(id); s.Hits != hits {
			t.Errorf("%s: %d hits", id, s.Hits)
		}
	}
}

// The memory of held frames is bounded: what has no room is lost, and counted.
func TestHeldFramesAreBounded(t *testing.T) {
	b := newBed(t, "id=h kind=data hold=released")
	for seq := range uint32(maxWaiting + 10) {
		b.Pass(0, data(seq), b.now)
	}
	if s := b.status("h"); s.Held != maxWaiting || s.Overflow != 10 || b.Waiting() != maxWaiting {
		t.Errorf("%+v", s)
	}
	if n, _ := b.Release("h", b.now); n != maxWaiting {
		t.Errorf("released %d", n)
	}
	if got := b.drain(0); len(got) != maxWaiting || seqOf(t, got[17]) != 17 {
		t.Errorf("%d frames", len(got))
	}
}

func TestMostRules(t *testing.T) {
	b := newBed(t)
	for range MaxRules {
		b.add("kind=ack vc=1 drop")
	}
	r, _ := Parse("drop", b.settings.Names)
	if _, err := b.Add(r, b.now); err == nil {
		t.Error("one too many")
	}
	b.Delete("r7", b.now)
	r.ID = "r8"
	if _, err := b.Add(r, b.now); err == nil {
		t.Error("a name that is taken")
	}
}

func TestNothingAllocates(t *testing.T) {
	b := newBed(t, "kind=data seq=5 drop", "kind=ack seq=+1.. every=2 drop", "kind=data p=1% corrupt",
		"kind=nack duplicate", "kind=data inner=20:ffff drop", "kind=cf_update vc=3 rewrite=credit:+1")
	f, c := data(5), control(ack(3), cf(3, 4), nack(2))
	buf := make([]byte, 16384)
	if n := testing.AllocsPerRun(1000, func() {
		b.Pass(0, f, b.now)
		b.Pass(1, append(buf[:0], c...), b.now)
		for n := 1; n > 0; {
			n, _ = b.Take(1, buf, b.now)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkPass(b *testing.B) {
	for name, n := range map[string]int{"none": 0, "10": 10, "100": 100} {
		b.Run(name, func(b *testing.B) {
			w := newBed(b)
			for i := range n {
				w.add([]string{"kind=ack seq=+1 drop", "kind=data vc=9 drop", "kind=data seq=5 drop", "kind=pfc drop"}[i%4])
			}
			f := data(7)
			for b.Loop() {
				w.Pass(0, f, 1)
			}
		})
	}
}
