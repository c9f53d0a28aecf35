package ethtool

import "encoding/binary"

// Commands of linux/ethtool.h for steering frames to RX queues.
const (
	cmdCountRules = 0x2e // ETHTOOL_GRXCLSRLCNT
	cmdGetTable   = 0x38 // ETHTOOL_GRXFHINDIR
)

// HasRules reports whether the driver has rules that steer frames to RX queues (ethtool -N). No driver says
// beforehand which rules it accepts.
func (c *Conn) HasRules() bool {
	answer := make([]byte, 192) // struct ethtool_rxnfc
	put(answer, cmdCountRules)
	return c.ioctl(answer) == nil
}

// HasTable reports whether the driver has a table by which it spreads IP frames over RX queues (ethtool -X).
func (c *Conn) HasTable() bool {
	answer := make([]byte, 8) // struct ethtool_rxfh_indir without entries: the kernel answers how many it has
	put(answer, cmdGetTable)
	return c.ioctl(answer) == nil && binary.NativeEndian.Uint32(answer[4:]) > 0
}

// Steering is the ethtool commands by which the driver can steer frames to RX queues.
type Steering struct {
	Rules bool `json:"rules"` // ethtool -N
	Table bool `json:"table"` // ethtool -X
}

// SteeringOf reports whether the driver of an interface of the calling thread's network namespace has rules or a
// table to steer frames to RX queues.
func SteeringOf(ifname string) (s Steering) {
	c, err := Open(ifname)
	if err != nil {
		return s
	}
	defer c.Close()
	return Steering{Rules: c.HasRules(), Table: c.HasTable()}
}
