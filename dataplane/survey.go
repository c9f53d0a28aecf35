package dataplane

import (
	"fmt"
	"time"

	"github.com/vishvananda/netlink"

	"uelink/dataplane/model"
	"uelink/dataplane/netif"
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
	a.lookAtDevice(nl.Attrs())
	g.surveyDoors(a, tick)
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
		g.surveySight(a, s.RxPackets)
	}
}

// surveyProgram attaches the XDP program of a port again if somebody has detached it, and reports that.
func (g *group) surveyProgram(a *attachment) {
	if a.host.super != nil { // its program is off
		return
	}
	there, err := a.host.program.IsAttached()
	if err != nil || there {
		return
	}
	const seen = "somebody has taken uelink's XDP program off the interface (bpftool link detach?)"
	if err := a.host.program.Reattach(); err != nil {
		g.trouble(a, troubleProgram, fmt.Sprintf("%s, and it cannot be put back: %v", seen, err))
		return
	}
	a.faults[troubleProgram] = ""
	g.notice(a, model.NoticeProgram, seen+": it is attached again; frames that came meanwhile went to the host's network")
}

// surveySight attaches the XDP program of a port again if the NIC counts frames that the program does not see; nic is
// the NIC's count. It does so only once, because some drivers restart the NIC for a program, and the NIC is away for
// seconds.
func (g *group) surveySight(a *attachment, nic uint64) {
	c, err := a.host.program.Counters()
	if err != nil || a.host.super != nil {
		return
	}
	unseen, sees := a.sight.look(nic, c.Seen())
	switch {
	case sees:
		g.over(a, troubleUnseen, "XDP sees the frames of the NIC again")
		a.blind = false
	case unseen == 0:
	case !a.blind:
		a.blind = true
		a.sight.reset()
		g.reattachBlind(a, unseen)
	case a.faults[troubleUnseen] == "":
		g.trouble(a, troubleUnseen, fmt.Sprintf("the NIC has counted %d frames that XDP does not see, also after "+
			"the program was "+
			"attached again: the driver may have lost XDP when it started the NIC anew. Set the interface down and up, "+
			"try xdp: generic, and see ethtool -S %s for what the NIC drops", unseen, a.ifname()))
	}
}

func (g *group) reattachBlind(a *attachment, unseen uint64) {
	seen := fmt.Sprintf("the NIC has counted %d frames, and XDP saw none of them: its driver may have lost the program",
		unseen)
	if err := a.host.program.Reattach(); err != nil {
		g.trouble(a, troubleProgram, fmt.Sprintf("%s, and it cannot be attached again: %v", seen, err))
		return
	}
	g.notice(a, model.NoticeProgram, seen+": it is attached again")
}

// surveyCapture raises a fault when the capture of a port has ended by an error or a full disk, and a notice when the
// capture has reached its limit.
func (g *group) surveyCapture(a *attachment) {
	if a.faults[troubleCapture] != "" || a.captured {
		return
	}
	frames, err := a.host.captureError()
	switch {
	case diskFull(err):
		g.trouble(a, troubleCapture, fmt.Sprintf("%v: the disk is full: the capture has ended after %d frames, and "+
			"traffic goes on: "+
			"make room, then restart uelinkd, or name another capture and reload", err, frames))
	case err != nil:
		g.trouble(a, troubleCapture, fmt.Sprintf("%v: the capture has ended after %d frames, and traffic goes on", err,
			frames))
	case a.host.capture != nil && a.host.capture.Counts().Full:
		a.captured = true
		g.notice(a, model.NoticeCapture,
			fmt.Sprintf("the capture has reached its capture_limit after %d frames, and has ended", frames))
	}
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
		g.trouble(a, troubleHosts, err.Error())
		return
	}
	a.faults[troubleHosts] = ""
}

// setPromiscuous is a variable so that a test can make it fail.
var setPromiscuous = (*netif.Interface).SetPromiscuous
