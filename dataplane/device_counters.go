package dataplane

import (
	"github.com/vishvananda/netlink"

	"uelink/dataplane/frame"
	"uelink/dataplane/model"
)

// deviceCounters returns the kernel's counters of an interface.
func deviceCounters(nl *netlink.LinkAttrs) (c model.DeviceCounters) {
	if s := nl.Statistics; s != nil {
		c = model.DeviceCounters{RxMissed: s.RxMissedErrors, TxErrors: s.TxErrors, TxDropped: s.TxDropped}
	}
	return c
}

// kernelCounters holds all counts that the kernel keeps of a port's frames.
type kernelCounters struct {
	frame.Stats
	model.DeviceCounters
}
