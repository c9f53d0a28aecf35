package netif

import (
	"fmt"
	"slices"

	"go.uber.org/zap"

	"uelink/dataplane/ethtool"
)

// Offloads is a setting: whether the offloads of an interface (checksums, segmentation, GRO and the like) are
// switched off. Under an offload a frame in memory differs from the frame on a wire.
type Offloads uint8

// The values of Offloads.
const (
	OffloadsStay          Offloads = iota // unchanged
	OffloadsOff                           // off, and restored by Release
	OffloadsOffAtBothEnds                 // of a veth, also at the other end
)

// switchOffloads switches off the offloads of the interface, and those of the other end of a veth, as o demands, or
// restores those that it has switched off before. A failure at the other end is logged, and kept for PeerKept.
func (i *Interface) switchOffloads(o Offloads) error {
	if o == OffloadsStay {
		i.restoreOffloads()
		return nil
	}
	update := func(r *record, wanted []string) {
		r.Offloads = union(r.Offloads, wanted)
		if r.GRO { // wanted by this process alone
			r.Offloads = slices.DeleteFunc(r.Offloads, func(name string) bool { return name == gro })
		}
	}
	off, err := i.disable(i.link.Attrs().Name, update)
	if err != nil {
		return i.failed("switch off the offloads", err)
	}
	if len(off) > 0 {
		i.logChanged(fmt.Sprintf("offloads off: %v", off))
	}
	if o == OffloadsOffAtBothEnds && i.link.Type() == "veth" {
		i.switchOffloadsAtPeer()
	}
	return nil
}

// switchOffloadsAtPeer switches off the offloads of the other end of a veth. A failure is only logged: the
// namespace of the other end may be closed to this process.
func (i *Interface) switchOffloadsAtPeer() {
	off, err := i.disableAtPeer()
	i.peerKept = err
	if err != nil {
		i.log.Info("the other end of the veth keeps its offloads: whoever receives its frames has to finish their "+
			"checksums, as uelinkd does; ethtool -K IF tx off there saves that", zap.Error(err))
		return
	}
	if len(off) > 0 {
		i.logChanged(fmt.Sprintf("offloads of the other end of the veth off: %v", off))
	}
}

// InsertTags switches on the offloads by which a veth sends VLAN tags beside frames, if Attach has switched them off.
func (i *Interface) InsertTags() error {
	on, _, err := ethtool.Enable(i.link.Attrs().Name, []string{"tx-vlan-hw-insert", "tx-vlan-stag-hw-insert"})
	if err != nil || len(on) == 0 {
		return err
	}
	i.logChanged(fmt.Sprintf("offloads on: %v", on))
	return i.write(func(r *record) {
		r.Offloads = slices.DeleteFunc(slices.Clone(r.Offloads), func(name string) bool { return slices.Contains(on, name) })
	})
}

// PeerKept returns the reason why Attach left the offloads of a veth's other end on; nil if they are off, or shall
// stay.
func (i *Interface) PeerKept() error { return i.peerKept }

// disableAtPeer switches off the offloads of the other end of a veth, in this network namespace or in a named
// namespace, and returns the offloads that were on.
func (i *Interface) disableAtPeer() (off []string, err error) {
	err = atPeer(i.index, func(ifname string) (err error) {
		off, err = i.disable(ifname, func(r *record, wanted []string) { r.Peer = union(r.Peer, wanted) })
		return err
	})
	return off, err
}

// disable switches off the offloads of an interface of the thread's namespace, and returns their names. update
// records the offloads that were switched on by request (ethtool), for the restore.
func (i *Interface) disable(ifname string, update func(r *record, wanted []string)) (off []string, err error) {
	off, wanted, err := ethtool.Offloads(ifname)
	if err != nil || len(off) == 0 {
		return nil, err
	}
	if err := i.write(func(r *record) { update(r, wanted) }); err != nil {
		return nil, err
	}
	return off, ethtool.Disable(ifname, off)
}

// union returns the names that are in a or in b, each once.
func union(a, b []string) []string {
	both := slices.Clone(a)
	for _, name := range b {
		if !slices.Contains(both, name) {
			both = append(both, name)
		}
	}
	return both
}
