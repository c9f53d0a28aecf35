package partner

// remember is how long, in nanoseconds, the longest received control frame is reported at least; at most twice as
// long. The time covers some of the partner's probes.
const remember = 1_500_000_000

// longest is the longest control frame received lately, in two periods: a wire that carried a length long ago may no
// longer carry it.
type longest struct {
	begun         int64
	now, previous int
}

// received records a control frame of n octets.
func (l *longest) received(n int, now int64) {
	l.turn(now)
	l.now = max(l.now, n)
}

// octets returns the length to report.
func (l *longest) octets(now int64) uint16 {
	l.turn(now)
	return uint16(min(max(l.now, l.previous), unlimited-1))
}

// turn begins a new period if the present one is over.
func (l *longest) turn(now int64) {
	switch since := now - l.begun; {
	case since >= 2*remember:
		l.begun, l.now, l.previous = now, 0, 0
	case since >= remember:
		l.begun, l.now, l.previous = l.begun+remember, 0, l.now
	}
}
