package ethtool

import (
	"encoding/binary"
	"fmt"
)

// cmdGetPrivateFlags is ETHTOOL_GPFLAGS, and setPrivateFlags ETH_SS_PRIV_FLAGS.
const (
	cmdGetPrivateFlags = 0x27
	setPrivateFlags    = 2
)

// PrivateFlags returns the switches that only this driver has, by the names of `ethtool --show-priv-flags`, and
// whether each is on. Errors: EOPNOTSUPP if the driver has none.
func (c *Conn) PrivateFlags() (map[string]bool, error) {
	names, err := c.names(setPrivateFlags)
	if err != nil {
		return nil, fmt.Errorf("private flags: %w", err)
	}
	answer := make([]byte, 8) // struct ethtool_value
	put(answer, cmdGetPrivateFlags)
	if err := c.ioctl(answer); err != nil {
		return nil, fmt.Errorf("private flags: %w", err)
	}
	return flagsOf(names, binary.NativeEndian.Uint32(answer[4:])), nil
}

// flagsOf returns a map from each name to its flag: bit i of word for name i.
func flagsOf(names []string, word uint32) map[string]bool {
	flags := map[string]bool{}
	for i, name := range names {
		flags[name] = i < 32 && word>>i&1 == 1
	}
	return flags
}
