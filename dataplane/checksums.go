package dataplane

import (
	"cmp"
	"fmt"

	"uelink/dataplane/model"
	"uelink/dataplane/trouble"
	"uelink/wire"
)

// unfinished is what is known of the unfinished checksums that the host of an edge sends.
type unfinished struct {
	trouble.Dropping      // detects that rx_unfinished_checksum rises; times in ticks
	reported         bool // a notice was given since the interface was attached
	inherited        bool // another process has handed the interface over, and survey was not called since
}

// attached returns the state for a newly attached interface of the port, whose last interface had the state u: frames
// counted before are no news. adopted is true if another process hands the interface over.
func (u *unfinished) attached(adopted bool) unfinished {
	return unfinished{Dropping: trouble.Dropping{Seen: u.Seen}, inherited: adopted}
}

// survey reports, once while an interface is attached, that the host of an edge leaves checksums unfinished,
// which the daemon finishes. tick is the present time in ticks. After a hand-over it takes the count and the notice of
// the former process over first.
func (u *unfinished) survey(g *group, a *attachment, tick int) {
	if a.settings.Role != model.RoleEdge {
		return
	}
	var count uint64
	g.worker.Do(func(wire.Time) { count = a.port.Counters.RxUnfinishedChecksum })
	if u.inherited {
		u.inherited, u.reported, u.Seen = false, a.notice.reason == model.NoticeChecksum, count
		return
	}
	if u.Update(count, int64(tick), trouble.DropsQuiet) && !u.reported {
		u.reported = true
		g.notify(a, model.NoticeChecksum, checksumText(a))
	}
}

// checksumText returns the notice of a host that leaves checksums unfinished: the cost, and the command that saves it.
func checksumText(a *attachment) string {
	return fmt.Sprintf("the host leaves checksums to hardware, and the daemon computes them (rx_unfinished_checksum): "+
		"traffic works, but a frame of 1500 octets costs the daemon some 0.1 µs more; to avoid the cost, type at the host: "+
		"ethtool -K %s tx off", cmp.Or(a.far.Name, "IF"))
}
