package ethtool

import "encoding/binary"

// Commands of linux/ethtool.h about which RX queue a frame comes by.
const (
	cmdCountRules = 0x2e // ETHTOOL_GRXCLSRLCNT
	cmdGetTable   = 0x38 // ETHTOOL_GRXFHINDIR
)

// HasRules tells whether the driver has rules that steer frames to RX queues (ethtool -N). Which rules it
// takes no driver tells before it is given one.
func (c *Conn) HasRules() bool {
	answer := make([]byte, 192) // struct ethtool_rxnfc
	put(answer, cmdCountRules)
	return c.ioctl(answer) == nil
}

// HasTable tells whether the driver has a table by which it spreads frames of IP over RX queues (ethtool -X).
func (c *Conn) HasTable() bool {
	answer := make([]byte, 8) // struct ethtool_rxfh_indir of no entries: the kernel says how many there are
	put(answer, cmdGetTable)
	return c.ioctl(answer) == nil && binary.NativeEndian.Uint32(answer[4:]) > 0
}

// Steering is which lines of ethtool there are that change by which RX queue frames come.
type Steering struct {
	Rules bool `json:"rules"` // ethtool -N
	Table bool `json:"table"` // ethtool -X
}

// SteeringOf asks the driver of an interface of the calling thread's network namespace.
func SteeringOf(ifname string) (s Steering) {
	c, err := Open(ifname)
	if err != nil {
		return s
	}
	defer c.Close()
	return Steering{Rules: c.HasRules(), Table: c.HasTable()}
}
