package limits

import (
	"encoding/binary"
	"hash/crc32"
	"math/rand/v2"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"uelink/lab/e2e/bed"
	"uelink/wire"
)

// forger sends control frames from the middle of the wire to B.
type forger struct {
	*bed.Packets
	rng *rand.Rand
}

// init is a random LLR_INIT.
func (f forger) init() wire.CtlOS {
	return wire.CtlOS{Type: wire.LLRInit, Seq: f.rng.Uint32() & wire.SeqMask,
		InitData: [2]byte{byte(f.rng.Uint32()), byte(f.rng.Uint32())}}
}

// say sends a control frame.
func (f forger) say(list ...wire.CtlOS) {
	frame := make([]byte, wire.MaxControlLen)
	f.Send(frame[:wire.PutControl(frame, bed.StationMAC, wire.EtherTypeControl, list)])
}

// storm sends random LLR_INIT, so many a second.
func (f forger) storm(rate int, d time.Duration) {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(d); time.Now().Before(end); <-tick.C {
		for range rate / 100 {
			f.say(f.init())
		}
	}
}

// One forged LLR_INIT, and storms of them, change nothing under load; a daemon that truly
// restarts in the middle of one is met again.
func TestForgedInitsUnderLoad(t *testing.T) {
	top := bed.Bridged(t, bed.LinkMTU)
	p := top.Daemons(bed.Lossless)
	f := forger{bed.Open(t, top.Wire, "b", bed.ProbeType), rand.New(rand.NewPCG(1, 2))}
	for _, c := range []struct {
		name string
		do   func()
	}{
		{"one", func() { f.say(f.init()) }},
		{"a thousand a second", func() { f.storm(1000, time.Second/2) }},
		{"twenty thousand a second", func() { f.storm(20_000, time.Second/2) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := top.Load(t, bed.Patience)
			before := p.B.LLRCounters()
			c.do()
			bed.NothingLost(t, l.End())
			after := p.B.LLRCounters()
			if after.RxInitStale == before.RxInitStale || after.TxReinit != before.TxReinit || after.TxFlush != before.TxFlush {
				t.Errorf("from %+v to %+v", before, after)
			}
		})
	}
	t.Run("a restart in a storm", func(t *testing.T) {
		l := top.Load(t, 50*time.Millisecond)
		p.A.Kill()
		ready := p.A.Start()
		done := make(chan struct{})
		go func() { defer close(done); f.storm(1000, time.Second) }()
		p.Resume(t, "the restarted daemon was ready", ready)
		<-done
		bed.NeverTwice(t, l.End())
	})
}

// octets fills octets at random.
func (f forger) octets(b []byte) []byte {
	for i := range b {
		b[i] = byte(f.rng.Uint32())
	}
	return b
}

// stations is a control frame with STATION of random items and contents.
func (f forger) stations() []byte {
	list := make([]wire.CtlOS, 1+f.rng.IntN(4))
	for i := range list {
		list[i] = wire.CtlOS{Type: wire.StationCtlOS, Item: wire.StationItem(f.rng.IntN(16))}
		f.octets(list[i].Data[:])
	}
	frame := make([]byte, wire.MaxControlLen)
	return frame[:wire.PutControl(frame, bed.StationMAC, wire.EtherTypeControl, list)]
}

// types is a control frame with a control ordered set of a random type that is not LLR's, and random contents.
func (f forger) types() []byte {
	frame := spoilt(ctl(), atCtlOS+1, byte(wire.LLRInitEcho)+1+byte(f.rng.IntN(256-int(wire.LLRInitEcho)-1)))
	f.octets(frame[atCtlOS+2 : atCtlOS+4])
	f.octets(frame[atCtlOS+5 : atCtlOS+8])
	return signed(frame)
}

// data is a data frame of random contents with a good FCS image.
func (f forger) data() []byte {
	frame := as(wire.EtherTypeData, f.octets(make([]byte, 100+f.rng.IntN(1400))))
	end := len(frame) - wire.FCSLen
	binary.LittleEndian.PutUint32(frame[end:], crc32.ChecksumIEEE(frame[:end]))
	return frame
}

// numbers reads the number of a frame that comes from A, and returns a function that makes data frames which are
// right but for their numbers: random, and none that a frame of A has within the next quarter of all numbers. A frame
// that has the number which is expected next is taken for the partner's. The first number of a link is random as well.
func (f forger) numbers(fromA *bed.Packets) func() []byte {
	const quarter = (wire.SeqMask + 1) / 4
	var now wire.Preamble
	bed.Eventually(fromA.T, "a data frame of A", func() string {
		frame := fromA.Next()
		if len(frame) < wire.HeaderLen+wire.PreambleLen || wire.EtherType(frame) != wire.EtherTypeData {
			return "none came"
		}
		var fault wire.Fault
		now, fault = wire.ParsePreamble(frame[wire.HeaderLen:], wire.DialectSeed)
		if fault != wire.NoFault || !now.Sequenced {
			return "it has no number"
		}
		return ""
	})
	return func() []byte {
		seq := wire.SeqAdd(now.Seq, quarter+f.rng.IntN(3*quarter))
		return shim(wire.DialectSeed, wire.Preamble{FCS: true, Sequenced: true, Seq: seq}, false)
	}
}

// flood sends so many frames, 100,000 a second where the machine is fast enough, and returns how long that took.
func (f forger) flood(frames int, forge func() []byte) time.Duration {
	const perMillisecond, different = 100, 50
	var pool [different]*bed.Batch
	for i := range pool {
		batch := make([][]byte, perMillisecond)
		for j := range batch {
			batch[j] = forge()
		}
		pool[i] = f.NewBatch(batch)
	}
	start := time.Now()
	for i := range frames / perMillisecond {
		time.Sleep(time.Until(start.Add(time.Duration(i) * time.Millisecond)))
		pool[i%different].Send()
	}
	return time.Since(start)
}

// Floods of random STATION, types and data cost nothing of the frames of others: what finds the RX ring of the link
// full LLR brings again, and no word of a stranger is believed.
func TestForgedFloodsUnderLoad(t *testing.T) {
	top := bed.Bridged(t, bed.LinkMTU)
	p := top.Daemons(bed.Lossless)
	f := forger{bed.Open(t, top.Wire, "b", bed.ProbeType), rand.New(rand.NewPCG(3, 4))}
	fromA := bed.Open(t, top.Wire, "a", unix.ETH_P_ALL)
	for _, c := range []struct {
		name  string
		forge func() []byte // nil: numbers
		rate  float64       // of the load, frames a second; 0 = as many as cross
	}{
		{"numbers", nil, 20_000}, // slow enough for the load to stay within a quarter of the numbers
		{"STATION", f.stations, 0}, {"types", f.types, 0}, {"data", f.data, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := p.B.LLRCounters()
			run := top.Between()
			run.LossTimeout, run.Size, run.Rate = bed.Patience, "imix", c.rate
			l := bed.NewLoad(t, run)
			forge := c.forge
			if forge == nil {
				forge = f.numbers(fromA)
			}
			f.flood(50_000, forge)
			bed.NothingLost(t, l.End())
			after, got := p.B.LLRCounters(), p.B.LLR()
			if after.TxFlush != before.TxFlush || after.TxReinit != before.TxReinit ||
				after.PartnerRestart != before.PartnerRestart || got.PartnerProblem != "" {
				t.Errorf("%+v", got)
			}
			for _, port := range []string{"edge0", "link0"} {
				s := p.B.Port(port)
				t.Logf("%s: %d found the ring full, %d were too long", port, s.Socket.RxRingFull, s.Counters.RxOversized)
			}
		})
	}
}
