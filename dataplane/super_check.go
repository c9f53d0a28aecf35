package dataplane

import (
	"errors"
	"fmt"
	"time"

	"go.uber.org/zap"

	"uelink/dataplane/model"
	"uelink/dataplane/netif"
	"uelink/dataplane/trouble"
	"uelink/wire"
)

// superRetry is how many ticks of the watch (10 s) after an attempt an edge that shall take super-frames tries again.
// Super-frames that have ended by themselves cost frames each time: so each such end doubles the time, up to
// longestSuperRetry (3 hours).
const (
	superRetry        = 40
	longestSuperRetry = superRetry << 10
)

// retreat ends super-frames at an edge port where they do not work, and doubles the time to the next attempt.
func (s *superFrames) retreat(g *group, a *attachment) {
	s.wait = min(max(superRetry, 2*s.wait), longestSuperRetry)
	s.end(g, a)
}

// tryAgain lets the next look at an edge port try super-frames again, however often they have ended by themselves:
// somebody has changed something.
func (s *superFrames) tryAgain() { s.wait, s.retry = 0, 0 }

// mostRefused is how many frames the kernel may refuse to give or to take, between two looks, before the edge stops
// taking super-frames: a host behind a veth sends some that a virtio_net_hdr cannot describe.
const mostRefused = 32

// survey tries, every surveyEvery ticks, to begin super-frames at an edge port that takes none and whose next attempt
// is due, finishes the end of super-frames, or checks those that are on. tick counts the calls.
func (s *superFrames) survey(g *group, a *attachment, tick int) {
	if a.settings.Role != model.RoleEdge || tick%surveyEvery != 0 {
		return
	}
	switch {
	case a.host.super == nil:
		if s.retry -= surveyEvery; s.retry <= 0 {
			s.start(g, a)
		}
	case s.state != model.SuperOn:
		if s.end(g, a) && s.retry <= 0 {
			s.start(g, a)
		}
	default:
		s.check(g, a)
	}
}

// check checks whether super-frames get through at an edge port, and ends them if not. It adds the filter that keeps
// the network stack from them again if somebody has removed it, and switches off offloads whose frames cannot be
// received. Once super-frames have lasted longer than the time to the last attempt, that time begins small again.
func (s *superFrames) check(g *group, a *attachment) {
	if err := a.host.owned.SuperFrames().CheckOtherEnd(); errors.Is(err, netif.ErrOtherXDP) {
		s.end(g, a)
		s.record(g, a, a.settings.SuperWithout(), err.Error())
		g.log.Info("the edge no longer exchanges super-frames with its host", a.fields(zap.Error(err))...)
		return
	}
	if cause := s.stopCause(g, a); cause != "" {
		s.retreat(g, a)
		s.record(g, a, a.settings.SuperWithout(), cause)
		g.notify(a, model.NoticeSuper, fmt.Sprintf("the edge exchanges no super-frames with its host during the next %v: %s",
			time.Duration(s.wait)*reconcilePeriod, cause))
		return
	}
	if s.good += surveyEvery; s.good > s.wait {
		s.wait = 0
	}
	guarded, err := a.host.owned.SuperFrames().Guarded()
	switch {
	case err != nil:
		g.beginTrouble(a, trouble.Super, err.Error())
		return
	case !guarded:
		g.notify(a, model.NoticeSuper, "somebody has removed the filter that keeps the host's frames from the network "+
			"stack: the daemon has set the filter again")
	}
	a.monitor.Set(trouble.Super, "")
	if off, err := a.host.owned.Offloads().LimitPeer(); err == nil && len(off) > 0 {
		g.notify(a, model.NoticeSuper, fmt.Sprintf("somebody has switched offloads on at the host's end of the veth, and "+
			"the daemon cannot receive the super-frames that the host then sends: the daemon has switched off these: %v", off))
	}
}

// stopCause returns why an edge port must stop taking super-frames; "": the port goes on. It compares the counts with
// those of the last look, which it replaces: too many frames were dropped as malformed or refused, or the packet socket
// has dropped frames for want of room although the worker has read none and none waits in it (stands).
func (s *superFrames) stopCause(g *group, a *attachment) (cause string) {
	c := a.host.super.Counts()
	bad := c.RxSuperMalformed - s.lost + c.TxSuperRefused - s.refused
	var read uint64
	waits := false
	g.worker.Do(func(wire.Time) { read, waits = a.host.super.Progress() })
	stands := c.RxSuperNoRoom > s.dropped && read == s.read && !waits
	s.lost, s.refused, s.dropped, s.read = c.RxSuperMalformed, c.TxSuperRefused, c.RxSuperNoRoom, read
	switch {
	case bad > mostRefused:
		return fmt.Sprintf("%d super-frames from the host or for the host were dropped in a second", bad)
	case stands:
		return "the kernel drops all frames of the host, because a frame that a virtio_net_hdr cannot describe " +
			"blocks the socket"
	}
	return ""
}
