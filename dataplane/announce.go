package dataplane

import (
	"fmt"

	"go.uber.org/zap"
)

// A host's end of a created veth is announced once the link carries frames: with another hardware address than before,
// or behind another port of a switch, it would be out of reach until the other hosts ask again, which may take a
// minute.

// The series of announcements of a host's end after a change: announcements is their number, and announceEvery the
// ticks of the watch from one to the next. Three within 2 s, because a frame may be lost beyond the link.
const (
	announcements = 3
	announceEvery = 3
)

// announced is the progress of the announcements of a host's end.
type announced struct {
	links int // links of the domain that carried frames at the last tick
	left  int // announcements of the present series not made yet; 0: no series
	wait  int // ticks until the next announcement
}

// due reports whether an announcement is due at this tick of the watch, and counts it as made. links is the number of
// links of the domain that carry frames now. If it has grown since the last tick, other hosts may be behind the new
// link, and a series begins.
func (s *announced) due(links int) bool {
	if links > s.links {
		s.left, s.wait = announcements, 0
	}
	s.links = links
	if s.left == 0 || links == 0 {
		return false
	}
	if s.wait > 0 {
		s.wait--
		return false
	}
	s.left, s.wait = s.left-1, announceEvery-1
	return true
}

// restart begins a series of announcements, because the addresses of the host's end have changed.
func (s *announced) restart() { s.left, s.wait = announcements, 0 }

// survey announces the host's end of a created veth if that is due, and logs the first announcement of a series. An
// error ends the series.
func (s *announced) survey(g *group, a *attachment) {
	if a.settings.Host == nil || a.host == nil || a.counts.closed || !s.due(g.reachable()) {
		return
	}
	n, err := a.host.owned.HostEnd().Announce()
	switch {
	case err != nil:
		g.log.Info("the host's addresses are not announced: other hosts find the host by their next ARP or ND request",
			a.fields(zap.Error(err))...)
		s.left = 0
	case s.left == announcements-1:
		g.log.Info(fmt.Sprintf("announced %d addresses of %s", n, a.settings.Host.Name), a.fields()...)
	}
}
