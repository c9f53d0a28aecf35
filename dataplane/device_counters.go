package dataplane

import (
	"github.com/vishvananda/netlink"

	"uelink/dataplane/frame"
	"uelink/dataplane/model"
)

// deviceCounters returns the kernel's counters of an interface; for a veth made by the data plane, also those of
// the host's end.
func deviceCounters(nl *netlink.LinkAttrs, made bool) (c model.DeviceCounters) {
	if s := nl.Statistics; s != nil {
		c = model.DeviceCounters{RxMissed: s.RxMissedErrors, TxErrors: s.TxErrors, TxDropped: s.TxDropped}
	}
	if !made || nl.NetNsID >= 0 { // somebody has moved the host's end into another network namespace
		return c
	}
	if host, err := netlink.LinkByIndex(nl.ParentIndex); err == nil && host.Attrs().Statistics != nil {
		c.HostTxDropped = host.Attrs().Statistics.TxDropped
	}
	return c
}

// kernelCounters holds all counts that the kernel keeps of a port's frames.
type kernelCounters struct {
	frame.Stats
	model.DeviceCounters
}
