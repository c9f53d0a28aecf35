package dataplane

import (
	"go.uber.org/zap"

	"uelink/bpf"
	"uelink/dataplane/model"
	"uelink/dataplane/netif"
	"uelink/wire"
)

// A veth takes frames of the receiving end's MTU and one VLAN tag. Full frames with two tags are longer. They come in
// from the host where the edge's end has an MTU larger by a tag, which the daemon sets where the links carry such
// frames. They leave for the host with the outer tag beside the frame, as from the kernel's own senders, so that the
// host needs no other MTU.

// tagging is how full frames with two VLAN tags leave by an edge.
type tagging struct {
	sender *bpf.TagSender // nil: never needed yet
	plain  int            // octets of the longest frame that the host takes with its tags inside; 0: of any length
	err    error          // why sender does not exist; logged
}

// mtuForTags returns the MTU, in octets, that an edge's end of a veth shall have: the MTU of the host's end and a tag,
// if the links carry such frames. near and far are the present MTUs of the edge's end and of the host's end. ours is
// true if the daemon has set near. carries is the largest MTU of an edge whose frames the links carry. An MTU that
// somebody has chosen stays. While far is larger than near, near stays, whoever has set near.
func mtuForTags(near, far, carries int, ours bool) int {
	switch {
	case far > near, far < near && !ours:
		return near
	case far+wire.VLANTagLen <= carries && far+netif.Slack+wire.VLANTagLen <= bpf.MostTagged:
		return far + wire.VLANTagLen
	}
	return far
}

// survey lets full frames with two VLAN tags cross an edge on a veth both ways: it raises the MTU of the edge's end,
// sends frames to the host in the form that the host takes, and announces the room that tags need to the links.
func (t *tagging) survey(g *group, a *attachment) {
	if a.settings.Role != model.RoleEdge {
		return
	}
	if t.fit(g, a); a.host != nil { // the sockets may have been opened anew
		a.host.tagging.follow(g, a)
	}
	if a.far.seen {
		g.carryTagRoom(a, a.tagRoom())
	}
}

// fit gives the edge's end of a veth the MTU of mtuForTags, unless the settings, or a client of SAI, decide the MTU, or
// the sockets' chunks are too small for it.
func (t *tagging) fit(g *group, a *attachment) {
	h := a.host
	if h.settings.MTU == model.MTUCheck || a.settings.Host != nil || !a.far.seen || a.settings.Managed.MTU != 0 {
		return
	}
	mtu := mtuForTags(h.mtu, a.far.MTU, g.pairMTU(), h.owned.SetsMTU(h.mtu))
	if mtu == h.mtu || h.outgrown(mtu) {
		return
	}
	g.carryTagRoom(a, wire.VLANTagLen) // before the MTU, or for a moment the partner has too little room
	if err := setMTU(h.owned, mtu); err != nil {
		h.log.Debug("full frames with two VLAN tags from the host are dropped: the MTU of the edge cannot be raised",
			zap.Error(err))
		return
	}
	g.reconcileMember(a)
}

// follow makes an edge on a veth send full frames with two VLAN tags so that its host takes them: while the MTU of the
// host's end is the smaller one, by the TagSender, else as all other frames.
func (t *tagging) follow(g *group, a *attachment) {
	h, plain := a.host, 0
	if a.far.seen && a.far.MTU < h.mtu {
		plain = a.far.MTU + netif.Slack
	}
	if plain == 0 && t.plain == 0 {
		return
	}
	if plain > 0 {
		t.ready(h)
	}
	t.plain = plain
	sender := t.sender
	if plain == 0 {
		sender = nil
	}
	g.worker.Do(func(wire.Time) {
		h.sockets[0].SendTagged(sender, plain)
		if h.super != nil {
			h.super.SetPlain(plain)
		}
	})
}

// ready loads the TagSender, which passes the outer tag of a frame to the kernel beside the frame, and makes the
// interface insert such tags. Otherwise the veth drops these frames (tx_dropped).
func (t *tagging) ready(h *host) {
	if t.sender == nil && t.err == nil {
		if t.sender, t.err = bpf.NewTagSender(h.ifindex); t.err != nil {
			h.log.Warn("full frames with two VLAN tags for the host are dropped", zap.Error(t.err))
		}
	}
	if err := h.owned.Offloads().InsertTags(); err != nil {
		h.log.Debug("the offloads that insert VLAN tags cannot be switched on", zap.Error(err))
	}
}

// close frees the TagSender; the worker must have released the sockets.
func (t *tagging) close() {
	if t.sender != nil {
		_ = t.sender.Close()
		*t = tagging{}
	}
}
