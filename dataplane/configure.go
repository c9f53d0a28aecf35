package dataplane

import (
	"fmt"
	"strings"

	"uelink/dataplane/model"
	"uelink/dataplane/trouble"
	"uelink/wire"
)

// reprogram updates the XDP program of a port to steer frames by the new settings. After a failure the old steering
// stays, and a fault of the port says so.
func (g *group) reprogram(a *attachment, s model.PortSettings) {
	if a.host == nil {
		return
	}
	if s = s.AdaptTo(a.host.use); steering(&s) != steering(&a.host.settings) {
		if err := a.host.reprogram(s); err != nil {
			g.beginTrouble(a, trouble.Steering, err.Error()+": the steering of frames could not be changed: restart uelinkd")
			return
		}
		g.worker.Do(func(wire.Time) { a.shimOnly() })
	}
	a.monitor.Set(trouble.Steering, "")
	a.useKnown = false
}

// adapt makes the change named by does: it reopens the sockets of a port, or attaches its interface again. With
// changeNone it applies the settings that need neither: MTU, push back, super-frames. keys names the changed keys, for
// the notice. While the interface is absent adapt does nothing.
func (g *group) adapt(a *attachment, does change, keys []string) (err error) {
	if a.host == nil {
		return nil
	}
	switch does {
	case changeNone:
		a.host.settings.MTU, a.host.settings.AllowZeroCopy = a.settings.MTU, a.settings.AllowZeroCopy
		a.host.settings.PushBack = a.settings.PushBack
		if state, _ := a.host.wantsSuper(); state != model.SuperOn {
			a.super.end(g, a)
		}
		a.push.configure(g, a)
		a.super.tryAgain()
		a.super.start(g, a)
		return nil
	case changeSockets:
		name := a.ifname()
		a.host.settings = a.settings.AdaptTo(a.host.use)
		a.host.settings.Interface = name
		err = g.openAnew(a, func() error { return a.host.resize(g.need(a), a.geometry()) })
	case changeInterface:
		s := a.settings
		s.Interface = a.ifname()
		err = g.openAnew(a, func() error { return a.host.reattach(s, g.need(a), a.geometry()) })
	case changeLink: // relink has made this change
	}
	if err != nil {
		return err
	}
	a.monitor.ResetQueues()
	g.notify(a, model.NoticeReload,
		fmt.Sprintf("the sockets are reopened, on the RX queues %v: frames leave by queue %d (reload: %s)",
			a.host.queues(), a.host.txQueue(), strings.Join(keys, ", ")))
	return nil
}

// awaitEdges makes frames for edges that are about to be attached wait (on), or ends the wait for edges that were
// not attached (off).
func (g *group) awaitEdges(ports []*attachment, on bool) {
	g.worker.Do(func(wire.Time) {
		for _, a := range ports {
			if a.settings.Role == model.RoleEdge && !a.port.Attached() {
				a.port.Suspended = on
			}
		}
	})
}
