package llr

import (
	"math/bits"
	"time"
)

// A loop time is the time from the first sending of a frame to its acknowledgement. Only the last frame that an
// acknowledgement covers is measured, and only if that frame was sent once: of a frame sent again nobody knows which
// copy is acknowledged.
//
// Loop times are counted in classes, eight an octave, so a class is at most an eighth wider than its lower bound.
// After loopMemory loop times every count is halved: old loop times fade, the longest included.
const (
	loopUnit    = 5              // log2 of the width of the first classes in nanoseconds
	loopParts   = 8              // classes in each octave, which is a doubling of the time
	loopClasses = 31 * loopParts // 31 octaves, up to some minutes; the last class counts all longer times
	loopMemory  = 4096           // loop times after which all counts are halved
)

// LoopTime describes the round-trip time of the link in nanoseconds. P50, P99 and Max are of the last few thousand
// acknowledgements, each at most an eighth too long.
type LoopTime struct {
	Min int64 `json:"min"` // shortest time from a frame to its acknowledgement since LLR is up, ns
	P50 int64 `json:"p50"` // median time from a frame to its acknowledgement, of the last few thousand, ns
	P99 int64 `json:"p99"` // 99th percentile of the time from a frame to its acknowledgement, of the last few thousand, ns
	Max int64 `json:"max"` // longest time from a frame to its acknowledgement, of the last few thousand, ns
}

// loopTimes counts the loop times since LLR is up.
type loopTimes struct {
	counts    [loopClasses]uint16
	total     uint32        // sum of counts
	late      time.Duration // P99 of the loop times when it was last computed; 0: not yet
	least     time.Duration // the shortest loop time of a frame; forever: none was counted
	sure      bool          // the field handshake is exact, because only one LLR_INIT was sent
	handshake time.Duration // time from LLR_INIT to its first echo; forever: no echo was received
}

// forget deletes all measured loop times, the handshake's too.
func (l *loopTimes) forget() { *l = loopTimes{least: forever, handshake: forever} }

// add records a loop time (from sending a frame to its acknowledgement). Older loop times lose weight.
func (l *loopTimes) add(d time.Duration) {
	l.least = min(l.least, d)
	l.counts[loopClass(d)]++
	if l.total++; l.total >= loopMemory {
		l.halve()
	}
}

// halve halves the counts of all classes of loop times, so that older times lose weight.
func (l *loopTimes) halve() {
	l.total = 0
	for i := range l.counts {
		l.counts[i] /= 2
		l.total += uint32(l.counts[i])
	}
}

// loopClass returns the number of the class (range of loop times) in which a loop time is counted. The first
// 2 loopParts classes are 2^loopUnit ns wide; after each further loopParts classes the width doubles.
func loopClass(d time.Duration) int {
	x := uint64(max(0, d)) >> loopUnit
	if x < loopParts {
		return int(x)
	}
	octave := bits.Len64(x) - bits.Len64(loopParts)
	return min(octave*loopParts+int(x>>octave), loopClasses-1)
}

// loopEnd returns the first loop time above the range of a class.
func loopEnd(class int) time.Duration {
	if class < loopParts {
		return time.Duration(class+1) << loopUnit
	}
	octave := class/loopParts - 1
	return time.Duration(class-octave*loopParts+1) << (octave + loopUnit)
}

// hasTime reports whether a loop time was measured, by a frame or by the handshake.
func (l *loopTimes) hasTime() bool { return l.least != forever || l.handshake != forever }

// measured reports whether a loop time is known. An echo after several LLR_INITs gives only a bound.
func (l *loopTimes) measured() bool { return l.hasTime() && (l.sure || l.least != forever) }

// summary returns the least loop time and quantiles of the loop times; at least one must be known. A quantile is the
// longest time of its class. Before the first acknowledged frame all four values are the handshake's time.
func (l *loopTimes) summary() LoopTime {
	if l.total == 0 {
		h := int64(l.handshake)
		return LoopTime{Min: h, P50: h, P99: h, Max: h}
	}
	s := LoopTime{Min: int64(min(l.least, l.handshake))}
	sum := uint32(0)
	for class, n := range l.counts {
		if n == 0 {
			continue
		}
		sum += uint32(n)
		end := max(s.Min, int64(loopEnd(class)-1))
		if s.P50 == 0 && 2*sum >= l.total {
			s.P50 = end
		}
		if s.P99 == 0 && 100*sum >= 99*l.total {
			s.P99 = end
		}
		s.Max = end
	}
	return s
}
