package dataplane

import (
	"testing"
	"time"

	"uelink/dataplane/path"
	"uelink/wire"
)

// carrierStep is a state of the link from a time on, or somebody's hand at the interface.
type carrierStep struct {
	at       time.Duration // since the start of the process
	presence path.Presence
	overrule bool
	taken    bool // the host is to have no carrier
}

func TestHostCarrierFollowsTheLink(t *testing.T) {
	const s, ms = time.Second, time.Millisecond
	for name, steps := range map[string][]carrierStep{
		"a link that is lost for the delay": {
			{at: 20 * s}, {at: 30 * s, presence: path.Lost}, {at: 31999 * ms, presence: path.Lost},
			{at: 32 * s, presence: path.Lost, taken: true}, {at: 60 * s, presence: path.Lost, taken: true}, {at: 61 * s},
		},
		"a short loss": {{at: 30 * s, presence: path.Lost}, {at: 31 * s}, {at: 31500 * ms, presence: path.Lost}, {at: 33 * s, presence: path.Lost}},
		"a partner that restarts": {
			{at: 30 * s, presence: path.Waiting}, {at: 50 * s, presence: path.Waiting}, {at: 51 * s, presence: path.Lost},
			{at: 52 * s, presence: path.Waiting}, {at: 53500 * ms, presence: path.Lost}, {at: 55 * s, presence: path.Lost}, {at: 56 * s},
		},
		"a carrier stays away while the partner comes back": {
			{at: 30 * s, presence: path.Lost}, {at: 32 * s, presence: path.Lost, taken: true}, {at: 33 * s, presence: path.Waiting, taken: true},
			{at: 34 * s},
		},
		"at most once in 10 s": {
			{at: 30 * s, presence: path.Lost}, {at: 32 * s, presence: path.Lost, taken: true}, {at: 33 * s},
			{at: 34 * s, presence: path.Lost}, {at: 41999 * ms, presence: path.Lost}, {at: 42 * s, presence: path.Lost, taken: true},
		},
		"not in the first 10 s": {{presence: path.Lost}, {at: 9999 * ms, presence: path.Lost}, {at: 10 * s, presence: path.Lost, taken: true}},
		"somebody sets the interface up": {
			{at: 30 * s, presence: path.Lost}, {at: 32 * s, presence: path.Lost, taken: true}, {at: 33 * s, presence: path.Lost, overrule: true},
			{at: 60 * s, presence: path.Lost}, {at: 61 * s}, {at: 62 * s, presence: path.Lost}, {at: 64 * s, presence: path.Lost, taken: true},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var c hostCarrier
			for _, step := range steps {
				if step.overrule {
					c.overrule()
				}
				if taken := c.update(step.presence, 2*s, wire.Time(step.at)); taken != step.taken {
					t.Errorf("after %v, with the link in state %d: taken is %v", step.at, step.presence, taken)
				}
			}
		})
	}
}
