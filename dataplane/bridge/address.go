package bridge

import (
	"errors"
	"fmt"
	"net"
)

// Errors of requests about ports and addresses.
var (
	ErrNoPort      = errors.New("no such port in the bridge")
	ErrNoEntry     = errors.New("no such address at the port")
	ErrEntryExists = errors.New("static at another port: delete it there first")
	ErrTableFull   = errors.New("no room for another static address")
)

// EntryError is the fault of an address or VLAN that no table can hold.
type EntryError struct {
	Field  string // the faulty field: "mac" or "vlan"
	Reason string // what is wrong
}

// Error returns a message with the wrong field of the entry and the reason.
func (e *EntryError) Error() string { return e.Field + ": " + e.Reason }

// String returns the address in the notation of iproute2, without the VLAN.
func (a Address) String() string { return net.HardwareAddr(a.MAC[:]).String() }

// number returns the address as a number of 48 bits.
func (a Address) number() (n uint64) {
	for _, octet := range a.MAC {
		n = n<<8 | uint64(octet)
	}
	return n
}

// key returns the key of the address and its VLAN in the address table.
func (a Address) key() uint64 { return keyOf(a.number(), a.VLAN) }

// CheckMAC returns an error if mac cannot be the address of a station: zero or a group address.
func CheckMAC(mac [6]byte) error {
	a := Address{MAC: mac}
	switch n := a.number(); {
	case n == 0:
		return fmt.Errorf("%s is nobody's address", a)
	case isReserved(n):
		return fmt.Errorf("%s is a reserved group address: it is behind no port", a)
	case n&groupBit != 0:
		return fmt.Errorf("%s is a group address: it is behind no port", a)
	}
	return nil
}

// checkVLAN returns an EntryError if the bridge has no such VLAN.
func (b *Bridge) checkVLAN(vid int) error {
	switch {
	case !b.settings.VLANFiltering && vid != 0:
		return &EntryError{"vlan", fmt.Sprintf("there is no VLAN %d: the bridge does not filter VLANs", vid)}
	case b.settings.VLANFiltering && (vid < MinVLAN || vid > MaxVLAN):
		return &EntryError{"vlan", fmt.Sprintf("%d is out of range: %d to %d", vid, MinVLAN, MaxVLAN)}
	}
	return nil
}

// check returns an error if an address cannot be at a port: an EntryError for a wrong address or VLAN, ErrNoPort
// for an unknown port.
func (b *Bridge) check(a Address, port int) error {
	if err := CheckMAC(a.MAC); err != nil {
		return &EntryError{"mac", err.Error()}
	}
	if err := b.checkVLAN(int(a.VLAN)); err != nil {
		return err
	}
	if b.port(port) == nil {
		return ErrNoPort
	}
	return nil
}
