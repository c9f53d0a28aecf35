package ethtool

import (
	"encoding/binary"
	"fmt"
	"slices"
)

// Commands of linux/ethtool.h for the features of an interface.
const (
	cmdGetFeatures = 0x3a // ETHTOOL_GFEATURES
	cmdSetFeatures = 0x3b // ETHTOOL_SFEATURES
)

// feature is the kernel's state of one feature. Its index in the list of all features is its bit number.
type feature struct {
	name      string // empty: the kernel does not use the bit
	available bool   // can be switched on and off
	requested bool   // switched on by a user (ethtool -K), or by default
	active    bool   // on now
}

// features returns all features of the interface (names of `ethtool -k`) with their state, by bit number.
func (c *Conn) features() ([]feature, error) {
	names, err := c.names(setFeatures)
	if err != nil {
		return nil, err
	}
	words := (len(names) + 31) / 32
	answer := make([]byte, 8+words*16) // struct ethtool_gfeatures, and an ethtool_get_features_block for each word
	put(answer, cmdGetFeatures, uint32(words))
	if err := c.ioctl(answer); err != nil {
		return nil, fmt.Errorf("read the state of each feature: %w", err)
	}
	all := make([]feature, len(names))
	for i, name := range names {
		bit := func(part int) bool { // bit i of word number part of its block
			return binary.NativeEndian.Uint32(answer[8+i/32*16+4*part:])>>(i%32)&1 != 0
		}
		all[i] = feature{name: name, available: bit(0), requested: bit(1), active: bit(2)}
	}
	return all, nil
}

// request asks the kernel to switch the features named in wanted on or off; all lists the interface's features by
// bit number.
func (c *Conn) request(all []feature, wanted []string, on bool) error {
	words := (len(all) + 31) / 32
	request := make([]byte, 8+words*8) // struct ethtool_sfeatures
	put(request, cmdSetFeatures, uint32(words))
	for w := range words {
		valid, requested := uint32(0), uint32(0) // bits of the features to be switched, and of those to be on
		for i, f := range all[32*w : min(32*w+32, len(all))] {
			if slices.Contains(wanted, f.name) {
				valid |= 1 << i
			}
		}
		if on {
			requested = valid
		}
		put(request[8+w*8:], valid, requested)
	}
	return c.ioctl(request)
}
