package netif

import (
	"fmt"
	"strings"

	"github.com/vishvananda/netlink"

	"uelink/internal/announce"
)

// hostSegments is gso_max_segs at the host's end of a veth that pushes back, where the queueing discipline does not cut
// packets of TCP into frames. With more segments, more frames overtake each other, and TCP sends them again though
// nothing was lost; with fewer, TCP is slower.
const hostSegments = 16

// HostEnd is the other end of a veth, which the host uses, and the changes that push back makes there.
type HostEnd struct {
	*changes
	veth      bool       // the interface is a veth; else no method works
	drops     qdiscDrops // of the disciplines at the host's end
	cutAt     int        // length from which the discipline at the host's end cuts packets of TCP, octets
	changedAt int        // ID of the network namespace that had the host's end when cutAt was set
	shut      bool       // the discipline at the host's end hands on no frame
}

// State returns the state of the host's end. If the network namespace of that end is out of reach, the error names the
// cure.
func (h *HostEnd) State() (e HostEndState, err error) {
	err = atPeer(h.index, func(ifname string) (err error) {
		e, err = readHostEnd(ifname)
		return err
	})
	if err == nil {
		e.QdiscDrops = h.drops.look(e.QdiscDrops)
	}
	return e, err
}

// change prepares the host's end of a veth, whose state is e, for push back: it adds a queueing discipline if there is
// none, and sets gso_max_segs where the discipline does not cut packets of TCP into frames. The previous values are
// recorded, to be restored later.
func (h *HostEnd) change(e HostEndState) error {
	longest, err := h.longest(e)
	if err != nil {
		return err
	}
	at := h.namespaceID()
	return atPeer(h.index, func(string) (err error) {
		end := &netlink.Device{LinkAttrs: netlink.LinkAttrs{Index: e.index}}
		switch {
		case e.Qdisc == noQdisc:
			if err := h.write(func(r *record) { r.PeerQdisc = true }); err != nil {
				return err
			}
			if e.Cuts, err = addQdisc(e.index, e.queues, longest); err != nil {
				return err
			}
			kind := "pfifo"
			if e.Cuts {
				kind = cutting
			}
			h.logChanged(fmt.Sprintf("the other end of the veth, %s, has the queueing discipline %s now", e.Name, kind))
		case e.Cuts:
			if err := h.setValve(e, longest, valveOpen); err != nil {
				return err
			}
		}
		h.cutAt, h.changedAt = longest, at
		if e.Cuts || e.Segments == hostSegments {
			return nil
		}
		old := h.record.PeerSegments
		if err := h.write(func(r *record) { r.PeerSegments = old.changed(e.Segments, hostSegments) }); err != nil {
			return err
		}
		if err := netlink.LinkSetGSOMaxSegs(end, hostSegments); err != nil {
			return fmt.Errorf("set gso_max_segs: %w", err)
		}
		h.logChanged(fmt.Sprintf("gso_max_segs of the other end of the veth, %s, from %d to %d", e.Name, e.Segments,
			hostSegments))
		return nil
	})
}

// longest returns the length of the longest frame that crosses the veth from the host's end e, in octets.
func (h *HostEnd) longest(e HostEndState) (int, error) {
	nl, err := netlink.LinkByIndex(h.index)
	if err != nil {
		return 0, err
	}
	return min(nl.Attrs().MTU, e.MTU) + taggedHeader, nil
}

// namespaceID returns the ID of the network namespace that holds the other end of the veth; -1: this namespace. If the
// interface cannot be read, it returns the ID that push back has recorded.
func (h *HostEnd) namespaceID() int {
	if nl, err := netlink.LinkByIndex(h.index); err == nil {
		return nl.Attrs().NetNsID
	}
	return h.changedAt
}

// Check checks the settings that push back needs at the host's end of the veth, and restores those that somebody has
// changed; text says which. The length at which the queueing discipline cuts packets of TCP follows the MTU. e is the
// state of the host's end before that. fault is PushWorks, PushChanged or PushLost.
func (h *HostEnd) Check() (e HostEndState, fault PushFault, text string) {
	e, err := h.State()
	var longest int
	if err == nil {
		longest, err = h.longest(e)
	}
	fault = PushChanged
	switch {
	case err != nil:
		return e, PushLost, err.Error()
	case e.Qdisc == noQdisc:
		text = "the host's end had no queueing discipline any more"
	case !e.Cuts && e.Segments != hostSegments:
		text = fmt.Sprintf("gso_max_segs was %d, and the queueing discipline was %s", e.Segments, e.Qdisc)
	case e.Cuts && h.cutAt != longest:
		fault = PushWorks
	default:
		return e, PushWorks, ""
	}
	if err := h.change(e); err != nil {
		return e, PushLost, strings.TrimPrefix(fmt.Sprintf("%s: %v", text, err), ": ")
	}
	return e, fault, text
}

// Elsewhere reports whether the host's end of a veth is in another network namespace that has a name.
func (h *HostEnd) Elsewhere() bool {
	nl, err := netlink.LinkByIndex(h.index)
	if err != nil || nl.Type() != "veth" {
		return false
	}
	path, err := peerNamespace(nl.Attrs())
	return err == nil && path != ""
}

// Announce announces, from the host's end of the veth, each of its addresses to the other hosts. n is the number of
// addresses.
func (h *HostEnd) Announce() (n int, err error) {
	err = atPeer(h.index, func(ifname string) (err error) {
		n, err = announce.Addresses(ifname)
		return err
	})
	return n, err
}
