package bridge

import (
	"errors"
	"fmt"
	"net"
)

// Errors of requests about ports and addresses that are not there.
var (
	ErrNoPort  = errors.New("no such port in the bridge")
	ErrNoEntry = errors.New("no such address at the port")
)

// String is the address as iproute2 writes it, without the VLAN.
func (a Address) String() string { return net.HardwareAddr(a.MAC[:]).String() }

// number is the address as a number of 48 bits.
func (a Address) number() (n uint64) {
	for _, octet := range a.MAC {
		n = n<<8 | uint64(octet)
	}
	return n
}

func (a Address) key() uint64 { return keyOf(a.number(), a.VLAN) }

// CheckMAC says what is wrong with an address that is to be in the table.
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

// checkVLAN says what is wrong with a VLAN that a request is about.
func (b *Bridge) checkVLAN(vid int) error {
	switch {
	case !b.settings.VLANFiltering && vid != 0:
		return fmt.Errorf("there is no VLAN %d: the bridge does not filter VLANs", vid)
	case b.settings.VLANFiltering && (vid < MinVLAN || vid > MaxVLAN):
		return fmt.Errorf("VLAN %d is out of range: %d to %d", vid, MinVLAN, MaxVLAN)
	}
	return nil
}
