package llr

import (
	"fmt"
	"strings"
	"time"

	"uelink/wire"
)

// journal records the events for a reader: frames with consecutive numbers share
// a line. A nil journal keeps nothing.
type journal struct {
	net   *network
	lines []line
	text  strings.Builder
}

// line is one event, or a run of them.
type line struct {
	at          wire.Time
	who, what   string
	first, last uint32
	count       int
	note        string
}

// frame records a verdict of a station on a frame.
func (j *journal) frame(s *station, what string, seq uint32) {
	if j == nil {
		return
	}
	j.add(line{at: j.net.now, who: s.name, what: what, first: seq, last: seq, count: 1})
}

// control records that a station sends or receives a control ordered set.
func (j *journal) control(s *station, what string, c wire.CtlOS) {
	if j == nil {
		return
	}
	l := line{at: j.net.now, who: s.name, what: what + " " + c.Type.String(), first: c.Seq, last: c.Seq, count: 1}
	if c.Type == wire.LLRInit || c.Type == wire.LLRInitEcho {
		l.note = fmt.Sprintf(" init_data %x", c.InitData)
	}
	if c.Type == wire.StationCtlOS {
		if c.Item != wire.StationStart && c.Item != wire.StationFrames {
			return
		}
		var report wire.Station
		report.Update(c)
		l.count, l.note = 0, map[wire.StationItem]string{
			wire.StationStart:  fmt.Sprintf(" start %d", report.Start),
			wire.StationFrames: fmt.Sprintf(" receiver live %v", report.Live),
		}[c.Item]
	}
	j.add(l)
}

// states records the changes of a station's states.
func (j *journal) states(s *station, tx TxState, rx RxState) {
	if j == nil {
		return
	}
	if now := s.link.Tx.State(); now != tx {
		note := fmt.Sprintf("%v -> %v", tx, now)
		if now == TxFlush {
			note += ": " + s.link.Tx.FlushReason()
		}
		j.add(line{at: j.net.now, who: s.name, what: "Tx", note: " " + note})
	}
	if now := s.link.Rx.State(); now != rx {
		j.add(line{at: j.net.now, who: s.name, what: "Rx", note: fmt.Sprintf(" %v -> %v", rx, now)})
	}
}

// wire records the fate of a packet on the wire.
func (j *journal) wire(from *station, action string, p *packet) {
	if j == nil {
		return
	}
	what, first := "the wire "+action, p.seq
	if p.ctl.Type != 0 {
		what, first = what+" "+p.ctl.Type.String(), p.ctl.Seq
	}
	j.add(line{at: j.net.now, who: from.name + "'s", what: what, first: first, last: first, count: 1})
}

// add appends l, or lengthens the last line by the same station that it goes on
// from. What a batch does to frames in between is shown by its own lines.
func (j *journal) add(l line) {
	for i := len(j.lines) - 1; i >= max(0, len(j.lines)-4) && l.count > 0; i-- {
		m := &j.lines[i]
		if m.at == l.at && m.who == l.who && m.what == l.what && m.note == l.note && l.first == wire.SeqAdd(m.last, 1) {
			m.last = l.last
			m.count++
			return
		}
	}
	j.lines = append(j.lines, l)
}

// take returns the records since the last take.
func (j *journal) take() string {
	j.text.Reset()
	for _, l := range j.lines {
		fmt.Fprintf(&j.text, "%-8v %s %s", time.Duration(l.at), l.who, l.what)
		switch {
		case l.count == 1:
			fmt.Fprintf(&j.text, " %d", l.first)
		case l.count > 1:
			fmt.Fprintf(&j.text, " %d..%d", l.first, l.last)
		}
		fmt.Fprintf(&j.text, "%s\n", l.note)
	}
	j.lines = j.lines[:0]
	return j.text.String()
}
