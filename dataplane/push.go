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

// pushing is how frames of an edge's host come: asked for by the worker, or by themselves.
type pushing struct {
	is     model.PushState
	why    string // reason for not PushOn, or for still PushOn, in words
	ending bool   // the settings do not want PushOn any more, and frames wait with the host
	wait   int    // ticks between the last attempt, which failed, and the next; 0: no attempt is due
	retry  int    // ticks until the next attempt
}

// waiting returns how many frames wait with the host, whose end of the veth is far.
func (p *pushing) waiting(far *netif.HostEnd) int {
	if p.is != model.PushOn {
		return 0
	}
	return far.Backlog
}

// pushRetry is the number of ticks between two attempts to make an edge push back: 10 s. With push_back: auto each
// failed attempt doubles the time: an attempt changes settings for a moment, and the log has a line for each.
const pushRetry = 40

// startPush makes an attached edge port push back, if its settings say so: frames that find no room here stay with
// the host, whose senders wait. Where push back fails, failPush reports that, and the port works without it.
func (g *group) startPush(a *attachment) {
	if a.settings.Role != model.RoleEdge || a.host == nil {
		return
	}
	a.exchanged = true
	defer a.lookAtHostEnd()
	if is, why := a.settings.WantsPushBack(a.host.pieces); is != model.PushOn {
		a.host.owned.EndPushBack()
		a.push.wait = 0
		g.noPush(a, is, why)
		return
	}
	if err := a.host.owned.PushBack(); err != nil {
		g.failPush(a, err.Error())
		return
	}
	a.push = pushing{is: model.PushOn}
	g.setPumps(a, a.host.owned.Pumps())
	g.log.Info("the edge pushes back: frames wait with the host until there is room for them", a.fields()...)
	g.endTrouble(a, trouble.PushBack, "the edge pushes back now")
}

// setPumps gives the worker the pumps of an edge port, by which it asks the kernel for the host's frames; nil: frames
// arrive without being asked for.
func (g *group) setPumps(a *attachment, pumps []*netif.Pump) {
	all := make([]path.Pump, len(pumps))
	for i, p := range pumps {
		all[i] = p
	}
	g.worker.Do(func(now wire.Time) { g.domain.SetPumps(a.port, all, now) })
}

// noPush records that an edge port does not push back, and why. The state PushLossy is a problem of the port, PushOff
// is not.
func (g *group) noPush(a *attachment, is model.PushState, why string) {
	a.push.is, a.push.why, a.push.ending = is, why, false
	if is == model.PushOff {
		a.monitor.Set(trouble.PushBack, "")
		return
	}
	g.beginTrouble(a, trouble.PushBack,
		"the edge cannot push back, and frames of the host that find no room are dropped: "+why)
}

// failPush records that an edge port shall push back and cannot, for the reason why, and when to try again. With
// push_back: auto that is no problem: the log has the reason once.
func (g *group) failPush(a *attachment, why string) {
	is, shown := a.settings.CannotPushBack(why)
	g.noPush(a, is, shown)
	switch {
	case is == model.PushLossy:
		a.push.wait = pushRetry
	case a.push.wait == 0:
		g.log.Info("the edge does not push back", a.fields(zap.String("reason", shown))...)
		a.push.wait = pushRetry
	default:
		g.log.Debug("the edge still does not push back", a.fields(zap.String("reason", shown))...)
		a.push.wait *= 2
	}
	a.push.retry = a.push.wait
}

// pausePush suspends push back at an edge port: until startPush, frames stay with the host.
func (g *group) pausePush(a *attachment) {
	if a.host != nil && a.push.is == model.PushOn {
		g.setPumps(a, nil)
		a.host.owned.KeepWithHost()
	}
}

// stopPush ends push back at an edge port that pushes back. The worker asks until the frames that wait with the host
// have come: handed over by the kernel they would come faster than the RX ring takes them.
func (g *group) stopPush(a *attachment) {
	a.exchanged = true
	a.host.owned.FreeHostEnd()
	g.setPumps(a, nil)
	a.host.owned.EndPushBack()
	a.lookAtHostEnd()
}

// switchPush starts or ends push back at an edge port after a reload, if the settings have changed that.
func (g *group) switchPush(a *attachment) {
	if a.settings.Role != model.RoleEdge || a.host == nil {
		return
	}
	wants, _ := a.settings.WantsPushBack(a.host.pieces)
	switch off := wants != model.PushOn; {
	case off && a.push.is == model.PushOn:
		g.leavePush(a)
	case a.push.ending:
		a.push.ending, a.push.why = false, ""
	case off, a.push.is != model.PushOn:
		g.startPush(a)
	}
}

// leavePush ends push back at an edge port whose settings do not want it any more. Frames of the host that would be
// lost then, behind a link that stands still or is slow, stay with the host: the edge pushes back until they leave.
func (g *group) leavePush(a *attachment) {
	if frames := a.host.owned.Stuck(); frames > 0 {
		if !a.push.ending {
			g.notify(a, model.NoticePush, fmt.Sprintf("push_back ends later: %d frames of the host wait behind a link that "+
				"stands still or is slow, and would be lost", frames))
		}
		a.push.ending, a.push.why = true, "it ends when the frames that wait with the host (host_queued) have left"
		return
	}
	g.stopPush(a)
	g.startPush(a)
	g.log.Info("the edge does not push back any more", a.fields()...)
}

// followPush restores push back at an edge port after its interface was down, because the kernel has then replaced
// the NAPI instances (queues to poll). After a failed attempt it tries again when that is due.
func (g *group) followPush(a *attachment) {
	if a.host == nil || !a.up {
		return
	}
	switch {
	case a.push.is == model.PushOn:
		g.checkPumps(a)
	case a.push.wait > 0 && a.push.retry <= 0:
		g.startPush(a)
	}
}

// checkPumps checks whether push back at an edge port still works: whether the pumps poll the kernel's present NAPI
// instances, with their settings unchanged. It opens stale pumps again, reports changed settings, and ends push back
// that is lost.
func (g *group) checkPumps(a *attachment) {
	is, text := a.host.owned.CheckPushBack()
	switch is {
	case netif.PushWorks:
	case netif.PushStale:
		g.log.Info("the pumps are opened again", a.fields()...)
		g.pausePush(a)
		g.startPush(a)
	case netif.PushChanged:
		g.notify(a, model.NoticePush, fmt.Sprintf("somebody has changed how the kernel polls %s: %s: it is set again",
			a.ifname(), text))
	case netif.PushLost:
		g.endPush(a, text)
	}
}

// endPush ends push back at an edge port where it does not work any more, for the reason why.
func (g *group) endPush(a *attachment, why string) {
	g.stopPush(a)
	g.failPush(a, why)
}

// surveyHostEnd checks, every few ticks of the watch, the host's end of the veth of an edge port. tick counts the
// calls.
func (g *group) surveyHostEnd(a *attachment, tick int) {
	switch a.push.retry--; {
	case tick%surveyEvery != 0:
	case a.push.is == model.PushOn:
		g.checkHostEnd(a)
	default:
		a.lookAtHostEnd()
	}
	if tick%surveyEvery == 0 && a.host != nil {
		g.surveyHostMTU(a)
		g.surveyTags(a)
	}
}

// checkHostEnd checks the host's end of the veth of an edge port that pushes back: it restores settings that somebody
// has changed, follows the MTU, and ends push back that no longer works.
func (g *group) checkHostEnd(a *attachment) {
	tooLong := a.lookAtNearEnd()
	e, is, text := a.host.owned.CheckHostEnd()
	switch is {
	case netif.PushWorks:
	case netif.PushStale:
	case netif.PushChanged:
		g.notify(a, model.NoticePush, fmt.Sprintf("somebody has changed %s, the host's end of the veth: %s: it is set again",
			e.Name, text))
	case netif.PushLost:
		g.endPush(a, text)
		return
	}
	leaves := e.Outpaces(&a.far.HostEnd)
	a.seeHostEnd(e, tooLong)
	if a.push.ending && leaves {
		g.leavePush(a)
	}
}
