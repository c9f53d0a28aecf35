package partner

// remember is for how long, in nanoseconds, the longest control frame that has come is
// told at least; at most twice as long. It takes in some of the partner's probes.
const remember = 1_500_000_000

// longest is the longest control frame that has lately come, in two periods: what the
// wire carried long ago it may no longer carry.
type longest struct {
	begun         int64
	now, previous int
}

// came notes a control frame of n octets.
func (l *longest) came(n int, now int64) {
	l.turn(now)
	l.now = max(l.now, n)
}

// octets is what is told.
func (l *longest) octets(now int64) uint16 {
	l.turn(now)
	return uint16(min(max(l.now, l.previous), unlimited-1))
}

func (l *longest) turn(now int64) {
	switch since := now - l.begun; {
	case since >= 2*remember:
		l.begun, l.now, l.previous = now, 0, 0
	case since >= remember:
		l.begun, l.now, l.previous = l.begun+remember, 0, l.now
	}
}
