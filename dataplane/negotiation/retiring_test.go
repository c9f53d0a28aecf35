package negotiation

import (
	"testing"

	"uelink/wire"
)

const second = 1_000_000_000

// A direction that retires does so from when it was first not wanted: what is said again meanwhile, which changes
// nothing, does not give it more time.
func TestRetiringDoesNotBeginAnew(t *testing.T) {
	for name, again := range map[string]func(m *Machine, now wire.Time){
		"configured again": func(m *Machine, now wire.Time) { m.Configure(false, Both{}, 2*second, now) },
		"told again":       func(m *Machine, now wire.Time) { m.SetRemote(false, now) },
		"agreed again":     func(m *Machine, now wire.Time) { m.ReceivedAgreement(Both{}, now) },
	} {
		t.Run(name, func(t *testing.T) {
			var m Machine
			m.Configure(false, Both{Local: true, Remote: true}, 2*second, 0)
			m.Configure(false, Both{}, 2*second, second)
			now := wire.Time(second)
			for received := uint64(1); m.Transmitter() != Off || m.Receiver() != Off; received++ {
				if now += second / 10; now > 4*second {
					t.Fatalf("transmitter %v, receiver %v", m.Transmitter(), m.Receiver())
				}
				again(&m, now)
				m.Poll(Progress{Outstanding: 1, Received: received}, now)
			}
			if now < 3*second {
				t.Errorf("off after %d ms", now/1e6)
			}
		})
	}
}

// In mode dynamic the receiver retires until nothing has come for Quiet, whatever is said again meanwhile.
func TestQuietOfARetiringReceiverDoesNotBeginAnew(t *testing.T) {
	var m Machine
	both := Both{Local: true, Remote: true}
	m.ReceivedAgreement(both, 0)
	m.Configure(true, both, 2*second, 0)
	m.ReceivedAgreement(Both{}, second)
	for now := wire.Time(second); m.Receiver() != Off; now += second / 10 {
		if now > wire.Time(second+Quiet+second) {
			t.Fatal("it does not go off")
		}
		m.ReceivedAgreement(Both{}, now)
		m.Poll(Progress{}, now)
	}
}
