package cable

import (
	"strconv"
	"time"

	"uelink/dataplane/fault/analyzer"
	"uelink/dataplane/fault/rule"
	"uelink/dataplane/pcap"
	"uelink/wire"
)

// tap looks at the frames of a cable, at their arrival and at their leaving: the analyzer, the record, or both.
type tap struct {
	analyzer *analyzer.Analyzer // nil: none
	record   *record            // nil: none
	looked   wire.Time          // when the loop last looked for frames
}

// Arrived records a frame at its arrival.
func (t *tap) Arrived(way int, octets []byte, now wire.Time) {
	if t.record != nil {
		t.record.arrived(way, octets, now)
	}
	if t.analyzer != nil {
		t.analyzer.Arrived(way, octets, now)
	}
}

// Lost records that a frame does not leave.
func (t *tap) Lost(way int, octets []byte, now wire.Time) {
	if t.analyzer != nil {
		t.analyzer.Lost(way, octets, now)
	}
}

// Left records a frame at its leaving.
func (t *tap) Left(way int, octets []byte, now wire.Time) {
	if t.record != nil {
		t.record.left(way, octets, now)
	}
	if t.analyzer != nil {
		t.analyzer.Left(way, octets, now)
	}
}

// look records that the loop that moves frames looks for frames now.
func (t *tap) look(now wire.Time) {
	if t.analyzer != nil {
		t.analyzer.Round(now.Sub(t.looked))
	}
	t.looked = now
}

// slept records that the loop has slept until the time now. A frame would have woken the loop until the planned end of
// the sleep, so only the time from until to now counts as time without a look for frames.
func (t *tap) slept(until, now wire.Time) { t.looked = min(until, now) }

// record writes the frames of a cable to a capture: at their arrival, with a comment at frames hit by rules, and at
// their leaving.
type record struct {
	recorder *pcap.Recorder
	began    time.Time // time of day at which the clock of the loop that moves frames was 0

	waiting bool      // the last frame to arrive is not in the file yet: rules may hit it
	way     int       // direction of the waiting frame, to which the next fields belong, too
	at      wire.Time // arrival
	octets  []byte
	comment []byte // rules that have hit the frame so far
}

func (r *record) time(now wire.Time) time.Time { return r.began.Add(time.Duration(now)) }

// arrived keeps a frame for the file, until the rules have looked at it.
func (r *record) arrived(way int, octets []byte, now wire.Time) {
	r.flush()
	r.waiting, r.way, r.at = true, way, now
	r.octets, r.comment = append(r.octets[:0], octets...), r.comment[:0]
}

// flush writes the last frame that has arrived.
func (r *record) flush() {
	if r.waiting {
		r.waiting = false
		r.recorder.Received(r.way, r.octets, r.time(r.at), r.comment)
	}
}

// left writes a frame leaving at the other interface.
func (r *record) left(way int, octets []byte, now wire.Time) {
	r.flush()
	r.recorder.Sent(1-way, octets, r.time(now), nil)
}

// hit adds a comment to the frame that rules have seen. A rule that injects a frame has seen none: the injected frame
// is written to the capture with the comment, as a frame that has arrived at the interface from which the rule injects.
func (r *record) hit(h rule.Hit, octets []byte) {
	if h.Action == rule.Inject {
		r.flush()
		r.recorder.Noted(h.Way, octets, r.time(h.Time), appendHit(r.comment[:0], h))
		return
	}
	switch {
	case len(r.comment) >= pcap.MaxComment:
		return
	case len(r.comment) > 0:
		r.comment = append(r.comment, "; "...)
	}
	r.comment = appendHit(r.comment, h)
}

// appendHit appends a hit in words, such as "rule r1: drop nack seq 17".
func appendHit(b []byte, h rule.Hit) []byte {
	b = append(append(b, "rule "...), h.ID...)
	b = append(append(b, ": "...), h.Action.String()...)
	b = append(append(b, ' '), h.Kind.String()...)
	if h.Seq >= 0 {
		b = strconv.AppendInt(append(b, " seq "...), int64(h.Seq), 10)
	}
	if h.VC >= 0 {
		b = strconv.AppendInt(append(b, " vc "...), int64(h.VC), 10)
	}
	if h.Copy > 1 {
		b = append(b, " again"...)
	}
	return b
}
