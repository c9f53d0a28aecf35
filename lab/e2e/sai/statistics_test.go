package sai

import (
	"fmt"
	"testing"

	"uelink/lab/e2e/bed"
	"uelink/sai"
	"uelink/sai/store"
	"uelink/wire"
)

// statistic returns the number of a statistic of a port by its name in SAI, without SAI_PORT_STAT_LLR_.
func statistic(t *testing.T, name string) int {
	t.Helper()
	for _, s := range store.Statistics(sai.TypePort) {
		if s.Name == "SAI_PORT_STAT_LLR_"+name {
			return int(s.ID)
		}
	}
	t.Fatalf("there is no statistic %s", name)
	return 0
}

// partner is a partner of daemon A that a test plays, with the client that reads A's statistics.
type partner struct {
	bed.Station
	d     *bed.Daemon
	c     *client
	first uint32 // number of A's first frame
	moved map[string]bool
}

// firstSeq is the number of the partner's first frame.
const firstSeq = 1000

// moves demands that an action moves statistics of the link.
func (p *partner) moves(action func(), names ...string) {
	p.T.Helper()
	var ids []int
	for _, name := range names {
		ids = append(ids, statistic(p.c.t, name))
		p.moved[name] = true
	}
	before := p.c.stats(sai.StatRead, p.c.link(), ids...)
	action()
	bed.Eventually(p.T, fmt.Sprint(names), func() string {
		p.Answer()
		for i, n := range p.c.stats(sai.StatRead, p.c.link(), ids...) {
			if n <= before[i] {
				return fmt.Sprintf("%s is %d, as before", names[i], n)
			}
		}
		return ""
	})
}

// data sends a frame with a number; damage changes its octets.
func (p *partner) data(seq uint32, poisoned bool, damage func(frame []byte)) {
	frame := make([]byte, 200)
	n := wire.PutData(frame, bed.Probe(seq, 100), wire.EtherTypeData, wire.DialectSeed,
		wire.Preamble{FCS: true, Sequenced: true, Seq: seq}, poisoned)
	if damage != nil {
		damage(frame[:n])
	}
	p.Send(frame[:n])
}

// TestStatisticsOfLLRMove: every statistic of LLR that capability names moves by the event that it counts.
func TestStatisticsOfLLRMove(t *testing.T) {
	t.Parallel()
	top := bed.Direct(t)
	d := bed.NewDaemon(t, top.A, "A", off)
	d.Start()
	c := attach(t, compile(t, "testdata/driver.c"), d)
	p := &partner{Station: bed.NewStation(t, top), d: d, c: c, moved: map[string]bool{}}
	profile := c.create(sai.TypeLLRProfile, "0=u32:64", "1=u32:100000", "3=u8:255", "7=s32:0")
	c.enable(profile)
	bed.Eventually(t, "LLR_INIT of the daemon", func() string {
		for _, ctl := range p.Answer() {
			if ctl.Type == wire.LLRInit {
				p.first = ctl.Seq
				return ""
			}
		}
		return "there is none"
	})
	p.moves(func() {
		p.Control(wire.CtlOS{Type: wire.LLRInit, Seq: firstSeq, InitData: [2]byte{1, 2}})
	}, "RX_INIT_CTL_OS", "TX_INIT_ECHO_CTL_OS")
	c.becomes(c.link(), llrTx, sai.Enum, "2")
	for _, name := range []string{"TX_INIT_CTL_OS", "RX_INIT_ECHO_CTL_OS"} {
		p.moved[name] = true
		if c.stats(sai.StatRead, c.link(), statistic(t, name))[0] == 0 {
			t.Errorf("%s is 0", name)
		}
	}
	p.receives()
	p.sends(bed.Open(t, top.HostA, "eth0", bed.ProbeType), profile)
	for _, s := range store.Statistics(sai.TypePort) {
		if name := s.Name[len("SAI_PORT_STAT_"):]; s.ID >= 204 && s.ID <= 225 && s.Modes != 0 &&
			!p.moved[name[len("LLR_"):]] {
			t.Errorf("%s was not moved", s.Name)
		}
	}
}

// receives moves the statistics of the daemon's receiver.
func (p *partner) receives() {
	p.T.Helper()
	p.moves(func() { p.data(firstSeq, false, nil) }, "RX_OK", "RX_EXPECTED_SEQ_GOOD", "TX_ACK_CTL_OS")
	p.moves(func() { p.data(firstSeq, false, nil) }, "RX_DUPLICATE_SEQ")
	p.moves(func() { p.data(firstSeq+1, true, nil) }, "RX_POISONED", "RX_EXPECTED_SEQ_POISONED")
	p.moves(func() {
		p.data(firstSeq+2, false, func(frame []byte) { frame[len(frame)-20] ^= 1 })
	}, "RX_BAD", "RX_EXPECTED_SEQ_BAD", "TX_NACK_CTL_OS")
	p.c.becomes(p.c.link(), llrRx, sai.Enum, "3") // NACK_SENT
	p.moves(func() { p.data(firstSeq+2, false, nil) }, "RX_REPLAY")
	p.c.becomes(p.c.link(), llrRx, sai.Enum, "1") // SEND_ACKS
	p.moves(func() { p.data(firstSeq+5, false, nil) }, "RX_MISSING_SEQ")
}

// sends moves the statistics of the daemon's transmitter, and ends in FLUSH.
func (p *partner) sends(host *bed.Packets, profile string) {
	p.T.Helper()
	p.moves(func() { host.Send(bed.Probe(1, 100)) }, "TX_OK", "TX_REPLAY")
	p.moves(func() { p.d.DamageMemory(bed.Probe(1, 100)[wire.AddressesLen:]) }, "TX_POISONED")
	p.moves(func() {
		p.Control(wire.CtlOS{Type: wire.LLRNack, Seq: (p.first - 1) & wire.SeqMask})
	}, "RX_NACK_CTL_OS")
	p.moves(func() {
		p.Control(wire.CtlOS{Type: wire.LLRAck, Seq: (p.first + 500) & wire.SeqMask})
	}, "RX_ACK_NACK_SEQ_ERROR")
	p.moves(func() { p.Control(wire.CtlOS{Type: wire.LLRAck, Seq: p.first}) }, "RX_ACK_CTL_OS")
	p.c.must("set %s 3=u8:1", profile)
	host.Send(bed.Probe(2, 100))
	p.c.becomes(p.c.link(), llrTx, sai.Enum, "4")
	p.moves(func() { host.Send(bed.Probe(3, 100)) }, "TX_DISCARD")
}
