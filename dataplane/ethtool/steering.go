package ethtool

import (
	"encoding/binary"
	"fmt"
)

// Commands of linux/ethtool.h for steering frames to RX queues.
const (
	cmdCountRules = 0x2e // ETHTOOL_GRXCLSRLCNT
	cmdGetTable   = 0x38 // ETHTOOL_GRXFHINDIR
)

// hasRules reports whether the driver has rules that steer frames to RX queues (ethtool -N). No driver says
// beforehand which rules it accepts.
func (c *Conn) hasRules() bool {
	answer := make([]byte, 192) // struct ethtool_rxnfc
	put(answer, cmdCountRules)
	return c.ioctl(answer) == nil
}

// hasTable reports whether the driver has a table by which it spreads IP frames over RX queues (ethtool -X).
func (c *Conn) hasTable() bool {
	answer := make([]byte, 8) // struct ethtool_rxfh_indir without entries: the kernel answers how many it has
	put(answer, cmdGetTable)
	return c.ioctl(answer) == nil && binary.NativeEndian.Uint32(answer[4:]) > 0
}

// Steering is the ethtool commands by which the driver can steer frames to RX queues.
type Steering struct {
	Rules bool `json:"rules"`           // ethtool -N
	Table bool `json:"table"`           // ethtool -X
	Apart bool `json:"apart,omitempty"` // ethtool -L counts RX queues (rx) apart from TX queues, and has no combined queues
}

// SetQueues returns the command by which an interface gets n RX queues, and n TX queues with them if the driver has
// combined queues.
func (s Steering) SetQueues(ifname string, n int) string {
	kind := "combined"
	if s.Apart {
		kind = "rx"
	}
	return fmt.Sprintf("ethtool -L %s %s %d", ifname, kind, n)
}

// SetBoth returns the command by which an interface gets n RX queues and n TX queues.
func (s Steering) SetBoth(ifname string, n int) string {
	if s.Apart {
		return fmt.Sprintf("%s tx %d", s.SetQueues(ifname, n), n)
	}
	return s.SetQueues(ifname, n)
}

// SteeringOf reports whether the driver of an interface of the calling thread's network namespace has rules or a
// table to steer frames to RX queues.
func SteeringOf(ifname string) (s Steering) {
	c, err := Open(ifname)
	if err != nil {
		return s
	}
	defer c.Close()
	return c.Steering()
}

// Steering reports by which commands the driver of the interface can steer frames to RX queues.
func (c *Conn) Steering() Steering {
	return Steering{Rules: c.hasRules(), Table: c.hasTable(), Apart: c.apart()}
}
