package limits

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"uelink/lab/e2e/bed"
	"uelink/llr"
	"uelink/wire"
)

// listen follows the LLR_ACKs and LLR_NACKs that come from A, and returns a function that makes control frames with the
// number of the last, one ARRIVED, and as many MISSING as a control frame has room for: near the window and anywhere,
// overlapping, backwards, empty. stop ends the listening.
func (f forger) listen(fromA *bed.Packets) (gaps func() []byte, stop func()) {
	var acked atomic.Uint32
	var group sync.WaitGroup
	end := make(chan struct{})
	group.Go(func() {
		var list [wire.MaxCtlOS]wire.CtlOS
		for {
			select {
			case <-end:
				return
			default:
			}
			frame, err := fromA.Read()
			if err != nil {
				f.T.Errorf("receive: %v", err)
				return
			}
			n, _, _ := wire.ParseControl(frame, &list)
			for _, c := range list[:n] {
				if c.Type == wire.LLRAck || c.Type == wire.LLRNack {
					acked.Store(c.Seq)
				}
			}
		}
	})
	fits := false
	gaps = func() []byte { fits = !fits; return f.report(acked.Load(), fits) }
	return gaps, func() { close(end); group.Wait() }
}

// report returns a control frame that acknowledges what is acknowledged anyway, or every other time a number outside
// every window, mostly the same, as a partner would that has lost its numbers; with forged GAPs.
func (f forger) report(acked uint32, fits bool) []byte {
	if !fits {
		const quarter = (wire.SeqMask + 1) / 4
		acked = wire.SeqAdd(acked-acked%quarter, 2*quarter)
	}
	number := func() uint32 {
		if f.rng.IntN(4) == 0 {
			return f.rng.Uint32() & wire.SeqMask
		}
		return wire.SeqAdd(acked, f.rng.IntN(1000)-200)
	}
	list := make([]wire.CtlOS, 0, wire.MaxCtlOS)
	list = append(list, wire.CtlOS{Type: wire.LLRAck, Seq: acked}, wire.Gap(wire.GapArrived, number(), number()))
	if f.rng.IntN(4) == 0 {
		list[0].Type = wire.LLRNack
	}
	for len(list) < cap(list) {
		list = append(list, wire.Gap(wire.GapMissing, number(), number()))
	}
	frame := make([]byte, wire.MaxControlLen)
	return frame[:wire.PutControl(frame, bed.StationMAC, wire.EtherTypeControl, list)]
}

// A flood of forged reports of selective replay, 100,000 a second, costs at most frames that are sent again: the
// numbers of a GAP release nothing. What the link does stays as it is, and so does the kind of replay.
func TestForgedGapsUnderLoad(t *testing.T) {
	top := bed.Bridged(t, bed.LinkMTU)
	alone := bed.Lossless
	alone.Profile += ", replay: selective"
	p := top.Daemons(alone)
	f := forger{bed.Open(t, top.Wire, "b", bed.ProbeType), rand.New(rand.NewPCG(5, 6))}
	before := p.B.LLRCounters()
	l := top.Load(t, bed.Patience)
	gaps, stop := f.listen(bed.Open(t, top.Wire, "a", wire.EtherTypeControl))
	began := time.Now()
	const frames, perMillisecond = 100_000, 100
	for i := range frames {
		if i%perMillisecond == 0 {
			time.Sleep(time.Until(began.Add(time.Duration(i/perMillisecond) * time.Millisecond)))
		}
		f.Send(gaps())
	}
	took := time.Since(began)
	stop()
	bed.NothingLost(t, l.End())
	after, got := p.B.LLRCounters(), p.B.LLR()
	t.Logf("%d reports in %v; B has sent %d frames again alone, %d in all", frames, took.Round(time.Millisecond),
		after.TxSelected-before.TxSelected, after.TxOK-before.TxOK)
	if after.RxAckNackSeqError == before.RxAckNackSeqError {
		t.Error("the numbers outside the window are not counted")
	}
	if after.TxFlush != before.TxFlush || after.TxReinit != before.TxReinit || got.ReplayTx != llr.Selective ||
		got.PartnerProblem != "" {
		t.Errorf("%+v\n%+v", after, got)
	}
}
