package netif

import (
	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// SetUp sets the interface up, and SetDown sets it down, because a client of SAI has set its administrative state. The
// change is recorded: ReturnState, Release, or after a kill the next process, undoes it, unless somebody else has
// changed the state since. Error of SetDown: ErrUnrecorded.
func (i *Interface) SetUp() error {
	nl, err := netlink.LinkByIndex(i.index)
	switch {
	case err != nil:
		return err
	case nl.Attrs().RawFlags&unix.IFF_UP != 0:
		return nil
	case i.record.Down: // by SetDown
		return i.GiveCarrier()
	}
	if err := i.write(func(r *record) { r.Up = true }); err != nil {
		return err
	}
	if err := netlink.LinkSetUp(nl); err != nil {
		_ = i.write(func(r *record) { r.Up = false }) // a record of a change that was not made does no harm
		return i.failed("set the interface up", err)
	}
	i.logChanged("up")
	return nil
}

// SetDown sets the interface down, or undoes SetUp: see there.
func (i *Interface) SetDown() error {
	nl, err := netlink.LinkByIndex(i.index)
	switch {
	case err != nil:
		return err
	case nl.Attrs().RawFlags&unix.IFF_UP == 0:
		return nil
	case i.record.Up: // by SetUp
		return i.ReturnState()
	}
	return i.setDown("down")
}

// ReturnState undoes SetUp or SetDown, unless somebody has undone it already.
func (i *Interface) ReturnState() error {
	if i.record.Down {
		return i.GiveCarrier()
	}
	if !i.record.Up {
		return nil
	}
	nl, err := netlink.LinkByIndex(i.index)
	if err == nil {
		err = i.returnDown(nl)
	}
	if err != nil {
		return i.failed("set the interface down", err)
	}
	return i.save(&i.record)
}

// putBackDown sets the interface nl down after SetUp, unless somebody has set it down already.
func (i *Interface) putBackDown(nl netlink.Link) {
	if err := i.returnDown(nl); err != nil {
		i.logNotPutBack("down", err)
	}
}

// returnDown sets the interface nl down if it is up, and removes the change by SetUp from the record.
func (i *Interface) returnDown(nl netlink.Link) error {
	if nl.Attrs().RawFlags&unix.IFF_UP != 0 {
		if err := netlink.LinkSetDown(nl); err != nil {
			return err
		}
		i.logPutBack("down")
	}
	i.record.Up = false
	return nil
}
