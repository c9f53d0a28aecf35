package station

import (
	"strings"
	"time"

	"uelink/internal/events"
	"uelink/lldp"
	"uelink/lldp/agent"
	"uelink/wire"
)

// level returns the level of an LLDP event: Warning for an interface that is not up, too many neighbours, a loop,
// another LLDP agent or an error; Info for any other event, and for the end of one.
func level(e agent.Event) events.Level {
	if strings.HasPrefix(e.Text, over) {
		return events.Info
	}
	switch e.Kind {
	case agent.EventInterface:
		if e.Text != "up" {
			return events.Warning
		}
	case lldp.TooManyNeighborsBegan.String(), lldp.LoopBegan.String(), agent.EventOtherAgent, agent.EventError:
		return events.Warning
	}
	return events.Info
}

// repeats reports whether two consecutive events of a port are equal. Events with a neighbour never
// are, since the content of the neighbour's LLDPDU differs.
func repeats(e, next agent.Event) bool {
	return e.Kind == next.Kind && e.Text == next.Text && e.Destination == next.Destination &&
		e.Neighbor == nil && next.Neighbor == nil
}

// The rate limit of a port's events: eventBurst at once, then eventRate per second.
const (
	eventBurst = 100
	eventRate  = 20
)

// allowance limits the rate of a port's events: a flood of new neighbours costs no more than
// reading the frames.
type allowance struct {
	started    bool          // allow was called
	left       time.Duration // each event costs one second; eventRate seconds are added per second
	at         wire.Time     // time of the last call of allow
	suppressed uint64        // events dropped so far
}

// allow reports whether another event of a port is within the rate limit; if not, the event is counted as
// suppressed.
func (a *allowance) allow(now wire.Time) bool {
	if !a.started {
		a.started, a.left, a.at = true, eventBurst*time.Second, now
	}
	a.left = min(eventBurst*time.Second, a.left+min(now.Sub(a.at), eventBurst*time.Second)*eventRate)
	a.at = now
	if a.left < time.Second {
		a.suppressed++
		return false
	}
	a.left -= time.Second
	return true
}
