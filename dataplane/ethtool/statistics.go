package ethtool

import (
	"encoding/binary"
	"fmt"
)

// Statistics is what the driver counts, by the names of `ethtool -S`.
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

// RxQueues is how many receive queues the interface uses now: those that are for
// receiving only and those that are for both ways.
func (c *Conn) RxQueues() (int, error) {
	answer := make([]byte, 36) // struct ethtool_channels
	put(answer, cmdGetChannels)
	if err := c.ioctl(answer); err != nil {
		return 0, fmt.Errorf("receive queues: %w", err)
	}
	word := func(i int) int { return int(binary.NativeEndian.Uint32(answer[4*i:])) }
	return word(5) + word(8), nil
}
