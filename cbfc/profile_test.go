package cbfc

import (
	"testing"

	"uelink/wire"
)

// startedTotal is a port whose partner grants so many credits to the channels of the settings
// together, in credits of 64 octets.
func startedTotal(t *testing.T, s Settings, total uint16) *Port {
	t.Helper()
	s.On, s.Size = true, Size{Credit: 64}
	p := NewPort(s)
	env := &Env{Known: true, CBFC: true, Start: 1, LLR: true, Largest: 500}
	for now := int64(1); p.Tx.Counted() != s.Lossless; now += 1e6 {
		if now > 1e9 {
			t.Fatalf("channels %b have credits, not %b", p.Tx.Counted(), s.Lossless)
		}
		var answers []wire.CtlOS
		for _, c := range p.Poll(now, env, make([]wire.CtlOS, 0, 64)) {
			if q, ok := c.Channel(); ok && q.Op == wire.ChannelStart {
				q.Op, q.Limit = wire.ChannelStartedTotal, total
				answers = append(answers, q.CtlOS())
			}
		}
		p.Control(answers, env, now)
	}
	return p
}

// SAI THRESHOLD_MODE_NONE: a channel has what is reserved for it, and nothing of what is shared.
func TestProfileWithoutThresholdHasOnlyWhatIsReserved(t *testing.T) {
	s := Settings{Lossless: 0b1110, Profile: [VCs]Profile{1: {Reserved: 10, NoShared: true}, 2: {Reserved: 10}, 3: {Static: 5}}}
	for vc, want := range map[uint8]int{1: 10, 2: 90, 3: 5} {
		p := startedTotal(t, s, 100)
		sent := 0
		for ; sent < 1000; sent++ {
			credits, gate := p.Tx.Gate(vc, 60)
			if gate != Open {
				break
			}
			p.Tx.Charge(vc, credits, 1e9)
		}
		if sent != want {
			t.Errorf("VC %d has %d credits, want %d", vc, sent, want)
		}
	}
}
