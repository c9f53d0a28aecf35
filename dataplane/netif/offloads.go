package netif

import (
	"fmt"
	"slices"

	"go.uber.org/zap"

	"uelink/dataplane/ethtool"
)

// Offloads is a setting: whether the offloads of an interface (checksums, segmentation, GRO and the like) are switched
// off. With an offload, a frame in memory differs from the frame on the wire.
type Offloads uint8

// The values of Offloads.
const (
	OffloadsStay          Offloads = iota // unchanged
	OffloadsOff                           // off, and restored by Release
	OffloadsOffAtBothEnds                 // of a veth, also at the other end
)

// SwitchedOffloads is the offloads that this process has switched at an interface, and at the other end of a veth.
type SwitchedOffloads struct {
	*changes
	veth     bool  // the interface is a veth
	peerKept error // why the offloads of the other end stay on; nil: they do not
}

// set switches off the offloads of the interface, and those of the other end of a veth, as the setting demands, or
// restores those that it has switched off before. A failure at the other end is logged, and kept for PeerKept.
func (o *SwitchedOffloads) set(setting Offloads) error {
	if setting == OffloadsStay {
		o.restore()
		return nil
	}
	update := func(r *record, wanted []string) {
		r.Offloads = union(r.Offloads, wanted)
		if r.GRO { // rx-gro was off, and this process has switched it on
			r.Offloads = slices.DeleteFunc(r.Offloads, func(name string) bool { return name == gro })
		}
	}
	off, err := o.disable(o.name(), update)
	if err != nil {
		return o.failed("switch off the offloads", err)
	}
	if len(off) > 0 {
		o.logChanged(fmt.Sprintf("offloads off: %v", off))
	}
	if setting == OffloadsOffAtBothEnds && o.veth {
		o.switchOffAtPeer()
	}
	return nil
}

// switchOffAtPeer switches off the offloads of the other end of a veth. A failure is only logged: the namespace of
// the other end may be closed to this process.
func (o *SwitchedOffloads) switchOffAtPeer() {
	off, err := o.DisableAtPeer()
	o.peerKept = err
	if err != nil {
		o.log.Info("the other end of the veth keeps its offloads: whoever receives that end's frames has to "+
			"finish the checksums, as uelinkd does; ethtool -K IF tx off at that end saves the work", zap.Error(err))
		return
	}
	if len(off) > 0 {
		o.logChanged(fmt.Sprintf("offloads of the other end of the veth off: %v", off))
	}
}

// InsertTags switches on the offloads by which a veth passes VLAN tags beside frames instead of in them, if Attach has
// switched them off.
func (o *SwitchedOffloads) InsertTags() error {
	on, _, err := ethtool.Enable(o.name(), []string{"tx-vlan-hw-insert", "tx-vlan-stag-hw-insert"})
	if err != nil || len(on) == 0 {
		return err
	}
	o.logChanged(fmt.Sprintf("offloads on: %v", on))
	return o.write(func(r *record) {
		r.Offloads = slices.DeleteFunc(slices.Clone(r.Offloads), func(name string) bool { return slices.Contains(on, name) })
	})
}

// PeerKept returns the reason why Attach left the offloads of a veth's other end on; nil if they are off, or if the
// setting leaves them on.
func (o *SwitchedOffloads) PeerKept() error { return o.peerKept }

// DisableAtPeer switches off the offloads of the other end of a veth, and returns the names of those that were on:
// after Attach somebody may have switched them on again. The other end is in this network namespace, or in one that has
// a name.
func (o *SwitchedOffloads) DisableAtPeer() (off []string, err error) {
	err = atPeer(o.index, func(ifname string) (err error) {
		off, err = o.disable(ifname, func(r *record, wanted []string) { r.Peer = union(r.Peer, wanted) })
		return err
	})
	return off, err
}

// disable switches off the offloads of an interface of the thread's namespace, and returns their names. update records
// those of them that somebody has requested (ethtool -K), which are switched on again later; the driver has the others
// on by itself.
func (o *SwitchedOffloads) disable(ifname string, update func(r *record, wanted []string)) (off []string, err error) {
	off, wanted, err := ethtool.Offloads(ifname)
	if err != nil || len(off) == 0 {
		return nil, err
	}
	if err := o.write(func(r *record) { update(r, wanted) }); err != nil {
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
