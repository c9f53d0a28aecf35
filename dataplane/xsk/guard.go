package xsk

import "fmt"

// The pauses of a Guard in looks, and the longest live frame.
const (
	// guardPause is the number of looks for which frames leave by AF_XDP after live frames were lost: 10 s. Each further
	// loss doubles the pause, up to longestPause, 10 minutes. After pardon, a minute without a loss, the pause is 10 s
	// again.
	guardPause   = 10 * looksPerSecond
	longestPause = 600 * looksPerSecond
	pardon       = 60 * looksPerSecond
	// looksPerSecond is how often a Guard looks.
	looksPerSecond = 4
	// frameRoom is the number of octets by which a live frame may exceed the MTU: header and VLAN tag.
	frameRoom = 18
)

// Guard decides whether frames of a port leave live. The kernel reports nothing about a live frame, so the counters of
// the interface tell whether live frames are lost. A Guard looks four times a second; it is a pure machine.
type Guard struct {
	last   Sight  // of the last look
	began  bool   // last is set
	until  int64  // number of the look at which live frames are tried again
	looks  int64  // length of the latest pause, in looks
	reason string // of the latest pause
}

// Sight is the state of an interface at one look.
type Sight struct {
	Look    int64  // number of the look
	MTU     int    // octets
	Refused string // why the interface takes no live frames now; empty: it does
	// LiveBefore and LiveAfter are the numbers of frames that had left live before and after Sent and Dropped were
	// read.
	LiveBefore, LiveAfter uint64
	Sent                  uint64    // frames that the interface has sent (tx_packets)
	Dropped               uint64    // frames that the interface has dropped (tx_dropped)
	Stopped               *LiveStop // why the socket has ceased to send live frames since the last look; nil: it has not
}

// Verdict is the decision of a Guard.
type Verdict struct {
	Longest int    // octets of the longest frame that may leave live; 0: all frames leave by AF_XDP
	Why     string // the reason where Longest is 0, in words
	Dropped uint64 // frames dropped since the last look, while frames left live
	Lost    string // event: live frames were lost, or the kernel refused them, and the decision; empty: none
	Slow    bool   // calls that send live frames are slow: attach the XDP program again
}

// Look decides, by the counters and state s of the interface, whether frames may be sent as live XDP frames until the
// next call. The verdict has the reason, and the number of live frames dropped since the last call.
func (g *Guard) Look(s Sight) (v Verdict) {
	// Between the counts of live frames and the reading of the interface's counters the CPU may be lost for
	// milliseconds, while a frame leaves each microsecond. From one reading of the counters to the next at least
	// least, and at most live, frames left live.
	least, live := since(s.LiveBefore, g.last.LiveAfter), since(s.LiveAfter, g.last.LiveBefore)
	sent, dropped := since(s.Sent, g.last.Sent), since(s.Dropped, g.last.Dropped)
	if !g.began {
		least, live, g.began = 0, 0, true
	}
	g.last = s
	if live > 0 {
		v.Dropped = dropped
	}
	switch {
	case s.Stopped != nil && s.Stopped.Err != nil:
		v.Lost = g.pause(s.Look, fmt.Sprintf("the kernel refuses live frames: %v", s.Stopped))
	case live > 0 && dropped*1000 > live:
		v.Lost = g.pause(s.Look, fmt.Sprintf("%d of %d live frames were dropped: the other end has no room, is down, or "+
			"has a smaller MTU", dropped, live))
	case least > sent+dropped+least/8+gatherRoom:
		v.Lost = g.pause(s.Look, fmt.Sprintf("of %d live frames the interface has sent only %d", least, sent))
	case s.Stopped != nil:
		v.Slow = true
		g.pause(s.Look, fmt.Sprintf("the kernel takes long for live frames (%v): the XDP dispatcher is full, "+
			"or other XDP programs come and go", s.Stopped))
	}
	switch {
	case s.Refused != "":
		v.Why = s.Refused
	case s.Look < g.until:
		v.Why = g.reason
	default:
		v.Longest = s.MTU + frameRoom
	}
	return v
}

// gatherRoom is the number of live frames that may be sent and not counted by the interface yet.
const gatherRoom = 1024

// pause stops live XDP frames from call number look on for a while, longer each time, so that frames leave by AF_XDP.
// It returns the text that reports the pause, with the reason.
func (g *Guard) pause(look int64, reason string) string {
	if g.looks == 0 || look >= g.until+pardon {
		g.looks = guardPause
	} else if look >= g.until {
		g.looks = min(2*g.looks, longestPause)
	}
	g.until, g.reason = look+g.looks, reason
	return fmt.Sprintf("%s: frames leave by AF_XDP for the next %d s", reason, g.looks/looksPerSecond)
}

// Resume ends the pause of live XDP frames at the next look, because the kernel runs the program fast again.
func (g *Guard) Resume() { g.until = 0 }

// since returns by how much a counter has grown from before to now. A counter that has become smaller was reset,
// and counts from 0.
func since(now, before uint64) uint64 {
	if now < before {
		return now
	}
	return now - before
}
