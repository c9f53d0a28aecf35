package partner

import (
	"time"

	"uelink/wire"
)

// remember is a period: the longest received control frame is reported for one to two periods. In a period the partner
// sends several probes.
const remember = 1500 * time.Millisecond

// longest is the longest control frame received lately, in two periods: a wire that carried a length long ago may no
// longer carry it.
type longest struct {
	begun         wire.Time
	now, previous int // longest length in this period and in the one before, octets
}

// received records the length n, in octets, of a received control frame. The longest length of the last periods is
// reported to the partner.
func (l *longest) received(n int, now wire.Time) {
	l.turn(now)
	l.now = max(l.now, n)
}

// octets returns the length of the longest control frame received lately, which STATION reports to the partner.
func (l *longest) octets(now wire.Time) uint16 {
	l.turn(now)
	return uint16(min(max(l.now, l.previous), unlimited-1))
}

// turn starts a new period of recording the longest received length if the present period is over.
func (l *longest) turn(now wire.Time) {
	switch since := now.Sub(l.begun); {
	case since >= 2*remember:
		l.begun, l.now, l.previous = now, 0, 0
	case since >= remember:
		l.begun, l.now, l.previous = l.begun.Add(remember), 0, l.now
	}
}
