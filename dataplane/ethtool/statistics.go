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
	words, err := c.channels()
	if err != nil {
		return 0, 0, fmt.Errorf("read the numbers of receive and transmit queues: %w", err)
	}
	return words[5] + words[8], words[6] + words[8], nil
}

// apart reports whether the driver counts receive queues apart from transmit queues, and has no combined queues.
func (c *Conn) apart() bool {
	words, err := c.channels()
	return err == nil && words[1] > 0 && words[4] == 0
}

// channels returns the words of the kernel's struct ethtool_channels: words[0] is the command, words[1] to words[4] are
// the most queues of the kinds rx, tx, other and combined, and words[5] to words[8] how many of each are in use.
func (c *Conn) channels() (words [9]int, err error) {
	answer := make([]byte, 4*len(words))
	put(answer, cmdGetChannels)
	if err := c.ioctl(answer); err != nil {
		return words, err
	}
	for i := range words {
		words[i] = int(binary.NativeEndian.Uint32(answer[4*i:]))
	}
	return words, nil
}
