package dataplane

import (
	"fmt"

	"github.com/vishvananda/netlink"
	"go.uber.org/zap"

	"uelink/dataplane/attach"
	"uelink/dataplane/ethtool"
	"uelink/dataplane/model"
	"uelink/dataplane/netdev"
	"uelink/dataplane/xsk"
)

// txPath is how the frames of a port leave.
type txPath struct {
	guard  xsk.Guard   // decides whether frames may leave live
	path   attach.Path // in force: PathAFXDP or PathLive
	reason string      // reason for PathAFXDP, in words
}

// wantsLive reports whether the sockets are to be opened for live XDP frames, and sets h.notLive to the reason if not.
func (h *host) wantsLive() bool {
	h.notLive = h.settings.NoLive(driverAndQueues(h.settings.Interface))
	return h.notLive == ""
}

// driverAndQueues returns the name of an interface's driver, empty if it has none, and how many RX or TX queues are in
// use, whichever are more; 0 if the driver does not say.
func driverAndQueues(ifname string) (driver string, queues int) {
	c, err := ethtool.Open(ifname)
	if err != nil {
		return "", 0
	}
	defer c.Close()
	d, _ := c.Driver() // without an answer there is no name
	rx, tx, _ := c.Queues()
	return d.Name, max(rx, tx)
}

// refusesLive returns in words why the interface cannot send live XDP frames now; empty if it can. The driver of a
// veth reports that it sends XDP frames only while the other end can receive them.
func (h *host) refusesLive() string {
	if h.notLive != "" {
		return h.notLive
	}
	if err := h.owned.Live(); err != nil {
		return err.Error()
	}
	if f, err := netdev.Get(h.ifindex); err == nil && f.Sends() == netdev.No {
		return "the interface sends no XDP frames now (ndo-xmit): the other end of a veth has no XDP program"
	}
	return ""
}

// survey decides, by the interface's counters, whether a port sends frames as live XDP frames or by AF_XDP until
// the next call. attrs has the interface's counters; sight has the number of the look, and the numbers of frames that
// had left live before and after the counters were read.
func (t *txPath) survey(g *group, a *attachment, attrs *netlink.LinkAttrs, sight xsk.Sight) {
	if a.host.super != nil {
		t.path, t.reason = attach.PathAFXDP, "offload: frames leave by a packet socket, which joins frames of a flow"
		return
	}
	s := a.host.sockets[0]
	sight.MTU, sight.Refused, sight.Stopped = attrs.MTU, a.host.refusesLive(), s.LiveStopped()
	if attrs.Statistics != nil {
		sight.Sent, sight.Dropped = attrs.Statistics.TxPackets, attrs.Statistics.TxDropped
	}
	v := t.guard.Look(sight)
	s.DroppedLive(v.Dropped)
	s.SetLive(v.Longest)
	if v.Slow {
		t.renew(g, a)
	}
	if v.Lost != "" {
		g.notify(a, model.NoticeTxPath, v.Lost)
	}
	t.record(a, v)
}

// record records how the port sends frames from now on, live XDP frames or AF_XDP, as verdict v says. If the
// settings allow live frames, it logs a change.
func (t *txPath) record(a *attachment, v xsk.Verdict) {
	path, reason := attach.PathLive, ""
	if v.Longest == 0 {
		path, reason = attach.PathAFXDP, v.Why
	}
	if a.host.notLive == "" && (path != t.path || reason != t.reason) {
		a.host.log.Info("TX path chosen", zap.Stringer("tx_path", path), zap.String("why", reason))
	}
	t.path, t.reason = path, reason
}

// renew replaces the attached XDP program by a copy, because the kernel takes long to run the present one, and
// allows live frames again if that helps.
func (t *txPath) renew(g *group, a *attachment) {
	err := a.host.program.Renew()
	if err == nil && a.host.sockets[0].LiveFast() {
		t.guard.Resume()
		g.notify(a, model.NoticeTxPath, "the kernel was slow to send live frames: the XDP program was attached again, "+
			"which helped")
		return
	}
	text := "the kernel is slow to send live frames, also after the XDP program was attached again: more than 48 XDP " +
		"programs are on the interfaces of this machine: frames leave by AF_XDP for a while"
	if err != nil {
		text = fmt.Sprintf("the kernel is slow to send live frames, and the XDP program cannot be attached again: %v", err)
	}
	g.notify(a, model.NoticeTxPath, text)
}
