package netif

import (
	"errors"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// ErrUnrecorded is the error when a change would outlive this process, because no record of it can be written.
var ErrUnrecorded = errors.New("the change cannot be recorded, so the next start could not undo it: " +
	"set STATE_DIRECTORY to a directory that is writable")

// TakeCarrier sets the interface down, so that the other end of its wire loses the carrier. The other end of a veth
// always does; the other end of a NIC does where the driver then switches the transmitter off. For a veth there is no
// other way: the kernel refuses IFLA_CARRIER and IFLA_PROTO_DOWN. Program and sockets stay. The change is recorded: if
// this process is killed, the next one sets the interface up. Error: ErrUnrecorded.
func (i *Interface) TakeCarrier() error {
	return i.setDown("down, so that the other end loses its carrier")
}

// setDown records that this process sets the interface down, sets it down, and logs the change in the given words.
// Where no record can be written, it does not set the interface down, and returns ErrUnrecorded.
func (i *Interface) setDown(change string) error {
	nl, err := netlink.LinkByIndex(i.index)
	if err != nil {
		return err
	}
	if err := i.write(func(r *record) { r.Down = true }); err != nil {
		return err
	}
	if err = ErrUnrecorded; i.file != nil {
		err = netlink.LinkSetDown(nl)
	}
	if err != nil {
		_ = i.write(func(r *record) { r.Down = false }) // a record of a change that was not made does no harm
		return i.failed("set the interface down", err)
	}
	i.logChanged(change)
	return nil
}

// TakesCarrier reports whether the interface is down by TakeCarrier or SetDown, as far as this process knows.
func (i *Interface) TakesCarrier() bool { return i.record.Down }

// GiveCarrier sets the interface up after TakeCarrier or SetDown, unless somebody has set it up already.
func (i *Interface) GiveCarrier() error {
	nl, err := netlink.LinkByIndex(i.index)
	if err == nil {
		err = i.setUp(nl)
	}
	if err != nil {
		return i.failed("set the interface up", err)
	}
	return i.save(&i.record)
}

// putBackCarrier sets the interface nl up after TakeCarrier or SetDown, unless somebody has set it up already.
func (i *Interface) putBackCarrier(nl netlink.Link) {
	if err := i.setUp(nl); err != nil {
		i.logNotPutBack("up", err)
	}
}

// setUp sets the interface nl up if it is down, and removes the change by TakeCarrier or SetDown from the record.
func (i *Interface) setUp(nl netlink.Link) error {
	if nl.Attrs().RawFlags&unix.IFF_UP == 0 {
		if err := netlink.LinkSetUp(nl); err != nil {
			return err
		}
		i.logPutBack("up")
	}
	i.record.Down = false
	return nil
}
