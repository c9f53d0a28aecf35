package limits

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"uelink/lab/e2e/bed"
	"uelink/wire"
)

// startOf returns the source and the start id of a station whose control frames a socket receives.
func startOf(from *bed.Packets) (mac wire.MAC, start uint32) {
	from.T.Helper()
	bed.Eventually(from.T, "a STATION with a start id", func() string {
		var list [wire.MaxCtlOS]wire.CtlOS
		frame := from.Next()
		if len(frame) < wire.HeaderLen || wire.EtherType(frame) != wire.EtherTypeControl {
			return "none came"
		}
		n, _, _ := wire.ParseControl(frame, &list)
		for _, c := range list[:n] {
			if c.Type == wire.StationCtlOS && c.Item == wire.StationStart {
				var s wire.Station
				s.Update(c)
				mac, start = wire.MAC(frame[wire.AddrLen:]), s.Start
				return ""
			}
		}
		return "it has no start id"
	})
	return mac, start
}

// troubles returns a function that makes control frames with a trouble: of every number in turn, with random operands,
// and with a start id, or a random one if start is 0.
func (f forger) troubles(mac wire.MAC, start uint32) func() []byte {
	number := 0
	return func() []byte {
		number++
		s := wire.Station{Start: start, EtherType: wire.EtherTypeData, Trouble: wire.Trouble{
			Number: uint8(number), A: uint16(f.rng.Uint32()), B: uint16(f.rng.Uint32())}}
		if start == 0 {
			s.Start = f.rng.Uint32() & wire.StartMask
		}
		list := s.Items(nil) // the item with the start id is the first
		if last := len(list) - 1; last > 0 {
			list = []wire.CtlOS{list[0], list[last]}
		}
		frame := make([]byte, wire.MaxControlLen)
		return frame[:wire.PutControl(frame, mac, wire.EtherTypeControl, list)]
	}
}

// Forged troubles of every number with any operands, 100,000 a second, by strangers and by one that has seen the
// partner's start id, change no command and no setting, cause at most one event a second, and cost no frame. The load
// leaves the forger time for its rate.
func TestForgedTroublesUnderLoad(t *testing.T) {
	top := bed.Bridged(t, bed.LinkMTU)
	p := top.Daemons(bed.Lossless)
	f := forger{bed.Open(t, top.Wire, "b", bed.ProbeType), rand.New(rand.NewPCG(5, 6))}
	mac, start := startOf(bed.Open(t, top.Wire, "a", unix.ETH_P_ALL))
	for _, c := range []struct {
		name  string
		start uint32
	}{{"strangers", 0}, {"the partner's start id", start}} {
		t.Run(c.name, func(t *testing.T) {
			events, before := p.B.Watch(), p.B.LLRCounters()
			run := top.Between()
			run.LossTimeout, run.Rate = bed.Patience, 5000
			l := bed.NewLoad(t, run)
			begun := time.Now()
			var flooded time.Duration
			over := make(chan struct{})
			heard := p.B.Port("link0").Counters.RxControl
			go func() {
				defer close(over)
				flooded = f.flood(300_000, f.troubles(mac, c.start))
			}()
			texts := map[string]int{}
			for looks, more := 0, true; more; looks++ {
				link := p.B.Link()
				if link.PartnerProblemCommand != "" {
					t.Errorf("%q: %q", link.LLR.PartnerProblem, link.PartnerProblemCommand)
				}
				texts[link.PartnerProblemReason]++
				select {
				case <-over:
					more = false
				case <-time.After(20 * time.Millisecond):
				}
			}
			bed.NothingLost(t, l.End())
			reported := events.Of("partner")
			if seconds := int(time.Since(begun)/time.Second) + 1; len(reported) > seconds {
				t.Errorf("%d events in %d s: %v", len(reported), seconds, reported)
			}
			after := p.B.LLRCounters()
			if after.TxFlush != before.TxFlush || after.TxReinit != before.TxReinit {
				t.Errorf("from %+v to %+v", before, after)
			}
			heard = p.B.Port("link0").Counters.RxControl - heard
			t.Logf("%.0f troubles a second sent, %.0f control frames a second heard, %d events, problems by looks: %v",
				300_000/flooded.Seconds(), float64(heard)/flooded.Seconds(), len(reported), texts)
			bed.Eventually(t, "no problem after the flood", func() string {
				for _, l := range p.B.Tool("status").Objects() {
					if text := l["problem"].(string); slices.Contains([]any{"error"}, l["state"]) {
						return text
					}
				}
				return p.A.Advances() + p.B.Advances()
			})
		})
	}
}
