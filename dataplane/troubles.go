package dataplane

import (
	"slices"
	"time"

	"uelink/dataplane/model"
	"uelink/dataplane/partner"
	"uelink/dataplane/path"
	"uelink/dataplane/trouble"
)

// fault returns the present problems of a port as a text; empty if there are none.
func (a *attachment) fault() string { return trouble.Join(a.lastErr, a.monitor.Texts()) }

// The words for the problems of a port are read by programs. Each problem in the text PortState.Fault has a word in
// PortState.FaultReasons.

// ReasonAttach is the word for the problem of an interface that could not be attached.
const ReasonAttach = "attach"

// FaultReasons returns every word that PortState.FaultReasons may hold.
func FaultReasons() []string {
	return append(trouble.Reasons(), ReasonAttach, path.ReasonQueueFull, path.ReasonNoBuffer, path.ReasonOversized,
		path.ReasonChanged, path.ReasonLinkFrames, path.ReasonVLAN, path.ReasonConflict, path.ReasonQueueStopped)
}

// PartnerProblemReasons returns every word of PortState.PartnerProblemReason but "".
func PartnerProblemReasons() []string { return partner.Reasons() }

// faultReasons returns the words for all present problems of the interface of a port.
func (a *attachment) faultReasons() (list []string) {
	if a.lastErr != "" {
		list = append(list, ReasonAttach)
	}
	return append(list, a.monitor.Reasons()...)
}

// beginTrouble records text as the present trouble of a kind of a port, and publishes it as an event. If the port
// already has a trouble of this kind with the same text, it does nothing.
func (g *group) beginTrouble(a *attachment, k trouble.Kind, text string) {
	a.monitor.Begin(k, text)
	g.publishTroubles(a)
}

// endTrouble ends the port's trouble of a kind and publishes text, the state after it, as an event. If the port does
// not have such a trouble, it does nothing.
func (g *group) endTrouble(a *attachment, k trouble.Kind, text string) {
	a.monitor.End(k, text)
	g.publishTroubles(a)
}

// notify shows a text about an interface (what was observed, and what the daemon did) in the port's state, and
// publishes the text as an event.
func (g *group) notify(a *attachment, reason model.NoticeReason, text string) {
	a.monitor.Notify(reason, text)
	g.publishTroubles(a)
}

// publishTroubles publishes the events that checks of a port's monitor have left, and shows the last notice of them in
// the port's state.
func (g *group) publishTroubles(a *attachment) {
	// These notices are no warnings: the daemon or the host does as it should.
	good := []model.NoticeReason{model.NoticeEnded, model.NoticeReload, model.NoticeRoom, model.NoticeChecksum}
	for _, e := range a.monitor.Take() {
		if e.Notice == model.NoNotice {
			g.worker.Hub.Publish(a.settings.Name, model.EventError, e.Text)
			continue
		}
		a.notice.text, a.notice.reason = time.Now().Format(time.TimeOnly)+" "+e.Text, e.Notice
		level := model.WarnIf(!slices.Contains(good, e.Notice))
		g.worker.Hub.PublishAt(level, a.settings.Name, model.EventNotice, e.Text)
	}
}

// fault records err as the present error of a port, and publishes it as an event. If the text is the same as that of
// the port's previous error, it does nothing.
func (g *group) fault(a *attachment, err error) {
	if err.Error() == a.lastErr {
		return
	}
	a.lastErr = err.Error()
	g.worker.Hub.Publish(a.settings.Name, model.EventError, a.lastErr)
}
