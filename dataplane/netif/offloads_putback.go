package netif

import (
	"errors"
	"fmt"
	"slices"

	"uelink/dataplane/ethtool"
)

// putBack restores the offloads at the interface, which has the name ifname, and at the other end of a veth.
func (o *SwitchedOffloads) putBack(ifname string) {
	if o.record.GRO {
		o.putBackGRO(ifname)
	}
	o.putBackBothEnds(ifname)
}

// putBackBothEnds switches on what was switched off at the interface, which has the name ifname, and at the other
// end of a veth.
func (o *SwitchedOffloads) putBackBothEnds(ifname string) {
	if names := o.record.Offloads; len(names) > 0 {
		o.record.Offloads = o.switchOn("offloads", ifname, names)
	}
	if names := o.record.Peer; len(names) > 0 {
		const subject = "offloads of the other end of the veth"
		err := atPeer(o.index, func(ifname string) error {
			o.record.Peer = o.switchOn(subject, ifname, names)
			return nil
		})
		if err != nil {
			o.logNotPutBack(subject, err)
		}
	}
}

// putBackGRO switches off GRO, which super-frames have switched on.
func (o *SwitchedOffloads) putBackGRO(ifname string) {
	if err := ethtool.Disable(ifname, []string{gro}); err != nil {
		o.logNotPutBack("GRO off", err)
		return
	}
	o.record.GRO = false
}

// restore switches on again what this process has switched off, and saves the record. The process still owns the
// interface.
func (o *SwitchedOffloads) restore() {
	if len(o.record.Offloads)+len(o.record.Peer) == 0 {
		return
	}
	o.putBackBothEnds(o.name())
	_ = o.save(&o.record)
}

// switchOn switches the named offloads of an interface on and returns the names of those that the driver refused.
// subject is for the log.
func (o *SwitchedOffloads) switchOn(subject, ifname string, names []string) (remain []string) {
	on, refused, err := ethtool.Enable(ifname, names)
	if err != nil {
		o.logNotPutBack(subject, err)
		return names
	}
	if len(on) > 0 {
		o.logPutBack(fmt.Sprintf("%s on: %v", subject, on))
	}
	if len(refused) > 0 {
		o.logNotPutBack(fmt.Sprintf("%s: %v", subject, refused), errors.New("the driver no longer offers these offloads"))
	}
	alreadyOn := slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return slices.Contains(on, name) || slices.Contains(refused, name)
	})
	if len(alreadyOn) > 0 {
		o.logLeft(fmt.Sprintf("%s that are on: %v", subject, alreadyOn))
	}
	return refused
}
