package dataplane

import (
	"fmt"
	"time"

	"uelink/dataplane/model"
	"uelink/dataplane/trouble"
)

// If the MTU that the daemon has raised is lowered again and again, a program sets the MTU, such as systemd-networkd
// with MTUBytes.
const (
	loweredOften = 3           // number of lowerings in a row from which on a program is suspected
	loweredApart = time.Minute // longest time from one lowering to the next in a row
)

// lowering is the record of the moments in which somebody else lowered the MTU of an interface.
type lowering struct {
	times int // moments in a row, with less than loweredApart between two
	last  time.Time
}

// record publishes a notice that somebody has lowered the MTU of an interface to mtu, octets; if that happens again
// and again on a link whose MTU the daemon raises, it reports a problem.
func (l *lowering) record(g *group, a *attachment, mtu int, now time.Time) {
	name := a.ifname()
	if now.Sub(l.last) > loweredApart {
		l.times = 0
	}
	l.times, l.last = l.times+1, now
	g.notify(a, model.NoticeMTU, fmt.Sprintf("somebody has lowered the MTU of %s from %d to %d (ip link set, or "+
		"MTUBytes of systemd-networkd)", name, a.host.mtu, mtu))
	need := g.need(a)
	if l.times >= loweredOften && mtu < need && !a.host.leavesMTU() && a.settings.MTU != model.MTUCheck {
		g.beginTrouble(a, trouble.MTULowered,
			fmt.Sprintf("a program lowers the MTU of %s again and again, to %d lately, and %d "+
				"are needed: uelinkd raises it each time; look for MTUBytes in the files that networkctl status %[1]s names", name,
				mtu, need))
	}
}

// survey ends the problem of an MTU that is lowered again and again, when the MTU has kept its value for
// loweredApart.
func (l *lowering) survey(g *group, a *attachment, now time.Time) {
	if now.Sub(l.last) > loweredApart {
		g.endTrouble(a, trouble.MTULowered, "no program has lowered the MTU lately")
	}
}
