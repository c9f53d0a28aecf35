package ethtool

import (
	"encoding/binary"
	"fmt"
)

// Statistics returns the driver's counters, by the names of `ethtool -S`.
func (c *Conn) Statistics() (map[string]uint64, error) {
	names, err := c.names(setStats)
	if err != nil {
		return nil, fmt.Errorf("statistics: %w", err)
	}
	answer := make([]byte, 8+8*len(names)) // struct ethtool_stats
	put(answer, cmdGetStats, uint32(len(names)))
	if err := c.ioctl(answer); err != nil {
		return nil, fmt.Errorf("statistics: %w", err)
	}
	values := make(map[string]uint64, len(names))
	for i, name := range names {
		values[name] = binary.NativeEndian.Uint64(answer[8+8*i:])
	}
	return values, nil
}

// Queues returns how many receive and transmit queues the interface uses now, with combined queues in both numbers.
func (c *Conn) Queues() (rx, tx int, err error) {
	answer := make([]byte, 36) // struct ethtool_channels
	put(answer, cmdGetChannels)
	if err := c.ioctl(answer); err != nil {
		return 0, 0, fmt.Errorf("receive and transmit queues: %w", err)
	}
	word := func(i int) int { return int(binary.NativeEndian.Uint32(answer[4*i:])) }
	both := word(8)
	return word(5) + both, word(6) + both, nil
}
