package dataplane

import (
	"time"

	"github.com/vishvananda/netlink"

	"uelink/dataplane/attach"
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

// survey is the check of one port at a tick of the watch: of facts that the kernel sends no notice of, such as whether
// our program is still on the interface, the number of RX queues, and whether XDP sees the frames counted by the NIC.
type survey struct {
	group  *group
	member *attachment
	tick   int // number of the tick
}

// run makes all checks of an attached port.
func (s survey) run() {
	g, port := s.group, s.member
	s.inOrder(
		func() { port.bookmark.survey(g, port) },
		func() { port.super.survey(g, port, s.tick) }, // before the counters are read: it may open the sockets again
		s.runAttached,
	)
}

// inOrder makes some checks. A check may open the sockets again, and if that fails the port has no interface: the other
// checks then wait until reconcile has attached it.
func (s survey) inOrder(checks ...func()) {
	for _, check := range checks {
		if s.member.host == nil {
			return
		}
		check()
	}
}

// runAttached makes the checks of each tick that need the interface, then, every surveyEvery ticks, those of runSlow.
// It reads the interface's counters between two readings of the count of live frames, for txPath.survey.
func (s survey) runAttached() {
	g, port := s.group, s.member
	socket := port.host.sockets[0]
	sight := xsk.Sight{Look: int64(s.tick), LiveBefore: socket.Live()}
	nl, err := netlink.LinkByIndex(port.host.ifindex)
	if err != nil {
		return // the interface is going; reconcile handles that
	}
	sight.LiveAfter = socket.Live()
	s.inOrder(
		s.checkProgram,
		s.checkCapture,
		s.checkPromiscuous,
		func() { port.push.survey(g, port, s.tick) }, // before readDevice, which copies the counters read here
		func() { port.readDevice(nl.Attrs()) },
		s.checkDrops,
		func() { port.tx.survey(g, port, nl.Attrs(), sight) },
		func() { port.veth.announced.survey(g, port) },
	)
	if s.tick%surveyEvery == 0 {
		s.runSlow(nl)
	}
}

// runSlow makes the checks that are due once a second. nl is the interface, with the counters of this tick.
func (s survey) runSlow(nl netlink.Link) {
	g, port := s.group, s.member
	s.inOrder(
		s.checkQueues,
		s.checkSpread,
		func() { s.checkForeign(nl.Attrs(), nl.Type()) },
		s.checkOffloads,
		func() { port.veth.survey(g, port) },
		func() { port.checksums.survey(g, port, s.tick) },
		s.checkTraffic,
		func() { port.room.survey(g, port) },
		func() { port.lowering.survey(g, port, time.Now()) },
		func() {
			if counters := nl.Attrs().Statistics; counters != nil {
				s.checkReceive(counters.RxPackets)
			}
		},
	)
}

// checkProgram attaches the XDP program of a port again if somebody has detached it, and reports that.
func (s survey) checkProgram() {
	if s.member.host.super != nil { // a port that takes super-frames has its XDP program off
		return
	}
	attached, err := s.member.host.program.IsAttached()
	if err != nil || attached {
		return
	}
	s.member.monitor.ReattachedDetached(s.member.host.program.Reattach())
	s.group.publishTroubles(s.member)
}

// checkReceive attaches the XDP program of a port again if the NIC counts frames that the program does not see; nic is
// the NIC's count.
func (s survey) checkReceive(nic uint64) {
	c, err := s.member.host.program.Counters()
	if err != nil || s.member.host.super != nil {
		return
	}
	if unseen := s.member.monitor.CheckReceive(nic, c.Seen(), s.member.ifname()); unseen > 0 {
		s.member.monitor.ReattachedBlind(unseen, s.member.host.program.Reattach())
	}
	s.group.publishTroubles(s.member)
}

// checkCapture reports that the capture of a port has ended: by an error, a full disk, or its limit.
func (s survey) checkCapture() {
	frames, err := s.member.host.recording.failure()
	full := s.member.host.recording.capture != nil && s.member.host.recording.capture.Counts().Full
	s.member.monitor.CheckCapture(trouble.CaptureState{Frames: frames, Err: err, DiskFull: diskFull(err), Full: full})
	s.group.publishTroubles(s.member)
}

// checkPromiscuous makes an addressed port accept frames for all addresses while its partner sends frames with the
// hosts' addresses.
func (s survey) checkPromiscuous() {
	if s.member.port.Link == nil || !s.member.settings.Addressed() ||
		s.member.host.settings.Promiscuous != model.PromiscuousAuto {
		return
	}
	hosts := false
	s.group.worker.Do(func(wire.Time) { hosts = s.member.port.Link.Partner.SendsHosts() })
	if err := setPromiscuous(s.member.host.owned, hosts); err != nil {
		s.group.beginTrouble(s.member, trouble.Promiscuous, err.Error())
		return
	}
	s.member.monitor.Set(trouble.Promiscuous, "")
}

// checkSpread reports a trouble while the data frames of a link arrive by several RX queues, so that they
// overtake each other, and its end.
func (s survey) checkSpread() {
	if s.member.port.Link == nil {
		return
	}
	var changes uint64
	s.group.worker.Do(func(wire.Time) { changes = s.member.port.Counters.RxQueueChanges })
	if s.member.monitor.CheckSpread(changes) {
		s.member.monitor.BeginSpread(trouble.SpreadCure{
			Interface: s.member.ifname(), Rules: ethtool.SteeringOf(s.member.ifname()).Rules, EtherType: s.member.settings.EtherTypeData,
			Queue: s.member.host.txQueue(), Fewer: s.member.host.fewerQueues(1),
		})
	}
	s.group.publishTroubles(s.member)
}

// setPromiscuous is a variable so that a test can make it fail.
var setPromiscuous = (*netif.Interface).SetPromiscuous

// checkHostUse reports the frames or the safety that the host loses on the interface of a port, given the host's
// present use, and reports the end of the loss.
func (s survey) checkHostUse(now attach.Use) {
	h := s.member.host
	s.member.monitor.CheckUse(trouble.Use{Settings: &h.settings, Attached: h.use, Now: now, Bind: h.owned.Choice().Bind})
	s.group.publishTroubles(s.member)
}
