package dataplane

import (
	"time"

	"github.com/vishvananda/netlink"

	"uelink/dataplane/ethtool"
	"uelink/dataplane/model"
	"uelink/dataplane/netif"
	"uelink/dataplane/trouble"
	"uelink/dataplane/xsk"
	"uelink/wire"
)

// surveyEvery is the number of ticks of the watch between two checks of the RX queues and the counts of an interface.
// The program is checked at each tick: the check is one system call, and without a program no frame arrives.
const surveyEvery = 4

// survey checks, for every port, facts that the kernel sends no notice of: whether our program is still on the
// interface, the number of RX queues, and whether XDP sees the frames counted by the NIC. tick counts the calls.
func (d *Dataplane) survey(tick int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, g := range d.groups {
		for _, a := range g.members {
			g.surveyMember(a, tick)
		}
	}
}

func (g *group) surveyMember(a *attachment, tick int) {
	if a.host == nil {
		return
	}
	g.surveyPlace(a)
	g.surveySuper(a, tick)
	if a.host == nil {
		return // its sockets could not be opened again
	}
	s := a.host.sockets[0]
	sight := xsk.Sight{Look: int64(tick), LiveBefore: s.Live()}
	nl, err := netlink.LinkByIndex(a.host.ifindex)
	if err != nil {
		return // the interface is going; reconcile handles that
	}
	sight.LiveAfter = s.Live()
	g.surveyProgram(a)
	g.surveyCapture(a)
	g.surveyHosts(a)
	g.surveyHostEnd(a, tick)
	a.readDevice(nl.Attrs())
	g.surveyDrops(a, tick)
	g.surveyLive(a, nl.Attrs(), sight)
	g.surveyAnnouncement(a)
	if tick%surveyEvery != 0 {
		return
	}
	g.surveyQueues(a)
	g.surveySpread(a)
	g.surveyUse(a, nl.Attrs(), nl.Type())
	g.surveyOffloads(a)
	g.surveyPair(a)
	g.surveyChecksums(a, tick)
	g.surveyStopped(a)
	g.surveyRoom(a)
	g.surveyLowered(a, time.Now())
	if s := nl.Attrs().Statistics; s != nil && a.host != nil {
		g.surveyReceive(a, s.RxPackets)
	}
}

// surveyProgram attaches the XDP program of a port again if somebody has detached it, and reports that.
func (g *group) surveyProgram(a *attachment) {
	if a.host.super != nil { // its program is off
		return
	}
	attached, err := a.host.program.IsAttached()
	if err != nil || attached {
		return
	}
	a.monitor.ReattachedDetached(a.host.program.Reattach())
	g.publishTroubles(a)
}

// surveyReceive attaches the XDP program of a port again if the NIC counts frames that the program does not see; nic is
// the NIC's count.
func (g *group) surveyReceive(a *attachment, nic uint64) {
	c, err := a.host.program.Counters()
	if err != nil || a.host.super != nil {
		return
	}
	if unseen := a.monitor.CheckReceive(nic, c.Seen(), a.ifname()); unseen > 0 {
		a.monitor.ReattachedBlind(unseen, a.host.program.Reattach())
	}
	g.publishTroubles(a)
}

// surveyCapture reports that the capture of a port has ended: by an error, a full disk, or its limit.
func (g *group) surveyCapture(a *attachment) {
	frames, err := a.host.captureError()
	full := a.host.capture != nil && a.host.capture.Counts().Full
	a.monitor.CheckCapture(trouble.CaptureState{Frames: frames, Err: err, DiskFull: diskFull(err), Full: full})
	g.publishTroubles(a)
}

// surveyHosts makes an addressed port accept frames for all addresses while its partner sends frames with the hosts'
// addresses.
func (g *group) surveyHosts(a *attachment) {
	if a.port.Link == nil || !a.settings.Addressed() || a.host.settings.Promiscuous != model.PromiscuousAuto {
		return
	}
	hosts := false
	g.worker.Do(func(wire.Time) { hosts = a.port.Link.Partner.SendsHosts() })
	if err := setPromiscuous(a.host.owned, hosts); err != nil {
		g.beginTrouble(a, trouble.Promiscuous, err.Error())
		return
	}
	a.monitor.Set(trouble.Promiscuous, "")
}

// surveySpread reports a trouble while the data frames of a link arrive by several RX queues, so that they
// overtake each other, and its end.
func (g *group) surveySpread(a *attachment) {
	if a.port.Link == nil {
		return
	}
	var changes uint64
	g.worker.Do(func(wire.Time) { changes = a.port.Counters.RxQueueChanges })
	if a.monitor.CheckSpread(changes) {
		a.monitor.BeginSpread(trouble.SpreadCure{
			Interface: a.ifname(), Rules: ethtool.SteeringOf(a.ifname()).Rules, EtherType: a.settings.EtherTypeData,
			Queue: a.host.txQueue(), Fewer: a.host.fewerQueues(1),
		})
	}
	g.publishTroubles(a)
}

// setPromiscuous is a variable so that a test can make it fail.
var setPromiscuous = (*netif.Interface).SetPromiscuous
