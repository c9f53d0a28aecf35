package dataplane

import (
	"fmt"

	"go.uber.org/zap"

	"uelink/dataplane/model"
	"uelink/dataplane/netif"
	"uelink/dataplane/path"
	"uelink/dataplane/trouble"
	"uelink/wire"
)

// pushing is how an edge receives the frames of its host: the worker asks for them (push back), or they arrive unasked.
type pushing struct {
	state  model.PushState
	reason string // in words: why the edge does not push back, or why the edge still does while ending
	ending bool   // push back is to end by the settings, when no frames wait with the host any more
	wait   int    // ticks between the last attempt, which failed, and the next; 0: no attempt is due
	retry  int    // ticks until the next attempt
}

// waiting returns how many frames wait in the queueing discipline of far, the host's end of the veth; 0 if the edge
// does not push back.
func (p *pushing) waiting(far *netif.HostEndState) int {
	if p.state != model.PushOn {
		return 0
	}
	return far.Backlog
}

// pushRetry is the number of ticks between two attempts to make an edge push back: 10 s. With push_back: auto each
// failed attempt doubles the time: an attempt changes settings for a moment, and the log has a line for each.
const pushRetry = 40

// start makes an attached edge port push back, if its settings say so: frames that find no room here stay with
// the host, whose senders wait. Where push back fails, fail reports that, and the port works without it.
func (p *pushing) start(g *group, a *attachment) {
	if a.settings.Role != model.RoleEdge || a.host == nil {
		return
	}
	a.far.changed = true
	defer a.far.read(a)
	if state, reason := a.settings.WantsPushBack(a.host.pieces); state != model.PushOn {
		a.host.owned.PushBack().End()
		p.wait = 0
		p.record(g, a, state, reason)
		return
	}
	if err := a.host.owned.PushBack().Start(); err != nil {
		p.fail(g, a, err.Error())
		return
	}
	*p = pushing{state: model.PushOn}
	p.setPumps(g, a, a.host.owned.PushBack().Pumps())
	g.log.Info("the edge pushes back: frames wait with the host until there is room for them", a.fields()...)
	g.endTrouble(a, trouble.PushBack, "the edge pushes back now")
}

// setPumps gives the worker the pumps of an edge port, by which it asks the kernel for the host's frames; nil: frames
// arrive without being asked for.
func (p *pushing) setPumps(g *group, a *attachment, pumps []*netif.Pump) {
	all := make([]path.Pump, len(pumps))
	for i, pump := range pumps {
		all[i] = pump
	}
	g.worker.Do(func(now wire.Time) { g.domain.SetPumps(a.port, all, now) })
}

// record records that an edge port does not push back, and why. The state PushLossy is a problem of the port, PushOff
// is not.
func (p *pushing) record(g *group, a *attachment, state model.PushState, reason string) {
	p.state, p.reason, p.ending = state, reason, false
	if state == model.PushOff {
		a.monitor.Set(trouble.PushBack, "")
		return
	}
	g.beginTrouble(a, trouble.PushBack,
		"the edge cannot push back, and frames of the host that find no room are dropped: "+reason)
}

// fail records that an edge port shall push back and cannot, for a reason in words, and when to try again. With
// push_back: auto that is no problem: the log has the reason once.
func (p *pushing) fail(g *group, a *attachment, reason string) {
	state, shown := a.settings.CannotPushBack(reason)
	p.record(g, a, state, shown)
	switch {
	case state == model.PushLossy:
		p.wait = pushRetry
	case p.wait == 0:
		g.log.Info("the edge does not push back", a.fields(zap.String("reason", shown))...)
		p.wait = pushRetry
	default:
		g.log.Debug("the edge still does not push back", a.fields(zap.String("reason", shown))...)
		p.wait *= 2
	}
	p.retry = p.wait
}

// pause suspends push back at an edge port: until start, frames stay with the host.
func (p *pushing) pause(g *group, a *attachment) {
	if a.host != nil && p.state == model.PushOn {
		p.setPumps(g, a, nil)
		a.host.owned.PushBack().KeepWithHost()
	}
}

// stop ends push back at an edge port that pushes back. The worker asks until the frames that wait with the host
// have come: handed over by the kernel they would come faster than the RX ring takes them.
func (p *pushing) stop(g *group, a *attachment) {
	a.far.changed = true
	a.host.owned.HostEnd().Free()
	p.setPumps(g, a, nil)
	a.host.owned.PushBack().End()
	a.far.read(a)
}

// configure starts or ends push back at an edge port after a reload, if the settings have changed that. If they want
// push back again while it is ending, it goes on.
func (p *pushing) configure(g *group, a *attachment) {
	if a.settings.Role != model.RoleEdge || a.host == nil {
		return
	}
	wants, _ := a.settings.WantsPushBack(a.host.pieces)
	switch off := wants != model.PushOn; {
	case off && p.state == model.PushOn:
		p.leave(g, a)
	case p.ending: // the settings want push back again before it has ended
		p.ending, p.reason = false, ""
	case off, p.state != model.PushOn:
		p.start(g, a)
	}
}

// leave ends push back at an edge port whose settings do not want it any more. Frames of the host that would be
// lost then, behind a link that stands still or is slow, stay with the host: the edge pushes back until they leave.
func (p *pushing) leave(g *group, a *attachment) {
	if frames := a.host.owned.HostEnd().Stuck(); frames > 0 {
		if !p.ending {
			g.notify(a, model.NoticePush, fmt.Sprintf("push_back ends later: %d frames of the host wait behind a link that "+
				"stands still or is slow, and would be lost", frames))
		}
		p.ending, p.reason = true, "push_back ends when the frames that wait with the host (host_queued) have left"
		return
	}
	p.stop(g, a)
	p.start(g, a)
	g.log.Info("the edge does not push back any more", a.fields()...)
}

// follow restores push back at an edge port after its interface was down, because the kernel has then replaced
// the NAPI instances (queues to poll). After a failed attempt it tries again when that is due.
func (p *pushing) follow(g *group, a *attachment) {
	if a.host == nil || !a.status.up {
		return
	}
	switch {
	case p.state == model.PushOn:
		p.checkPumps(g, a)
	case p.wait > 0 && p.retry <= 0:
		p.start(g, a)
	}
}

// checkPumps checks whether push back at an edge port still works: whether the pumps poll the kernel's present NAPI
// instances, with their settings unchanged. It opens stale pumps again, reports changed settings, and ends push back
// that is lost.
func (p *pushing) checkPumps(g *group, a *attachment) {
	state, text := a.host.owned.PushBack().Check()
	switch state {
	case netif.PushWorks:
	case netif.PushStale:
		g.log.Info("the interface was down, and the kernel has replaced its NAPI instances: push back is set up again",
			a.fields()...)
		p.pause(g, a)
		p.start(g, a)
	case netif.PushChanged:
		g.notify(a, model.NoticePush, fmt.Sprintf("somebody has changed how the kernel polls %s: %s: uelinkd has set "+
			"the former value again", a.ifname(), text))
	case netif.PushLost:
		p.end(g, a, text)
	}
}

// end ends push back at an edge port where it does not work any more, for a reason in words.
func (p *pushing) end(g *group, a *attachment, reason string) {
	p.stop(g, a)
	p.fail(g, a, reason)
}

// survey counts, at each tick of the watch, the ticks to the next attempt at push back. Every surveyEvery ticks it
// checks the host's end of the veth, the MTUs of both ends, and the room for VLAN tags. tick counts the calls.
func (p *pushing) survey(g *group, a *attachment, tick int) {
	switch p.retry--; {
	case tick%surveyEvery != 0:
	case p.state == model.PushOn:
		p.checkHostEnd(g, a)
	default:
		a.far.read(a)
	}
	if tick%surveyEvery == 0 && a.host != nil {
		a.far.surveyMTU(g, a)
		a.host.tagging.survey(g, a)
	}
}

// checkHostEnd checks the host's end of the veth of an edge port that pushes back: it restores settings that somebody
// has changed, follows the MTU, and ends push back that no longer works. If push back is to end by the settings, it
// ends once the frames that wait with the host leave fast.
func (p *pushing) checkHostEnd(g *group, a *attachment) {
	tooLong := a.far.readNear(a)
	e, state, text := a.host.owned.HostEnd().Check()
	switch state {
	case netif.PushWorks:
	case netif.PushStale:
	case netif.PushChanged:
		g.notify(a, model.NoticePush, fmt.Sprintf("somebody has changed %s, the host's end of the veth: %s: uelinkd has "+
			"set the former value again", e.Name, text))
	case netif.PushLost:
		p.end(g, a, text)
		return
	}
	leaves := e.Outpaces(&a.far.HostEndState)
	a.far.record(a, e, tooLong)
	if p.ending && leaves {
		p.leave(g, a)
	}
}
