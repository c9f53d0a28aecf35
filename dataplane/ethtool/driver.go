package ethtool

import (
	"bytes"
	"fmt"
)

// cmdGetDriver is ETHTOOL_GDRVINFO.
const cmdGetDriver = 0x03

// Driver is the driver of an interface, as `ethtool -i` shows it.
type Driver struct {
	Name     string `json:"driver"`
	Version  string `json:"version"`
	Firmware string `json:"firmware_version"`
	Bus      string `json:"bus_info"`
}

// Driver asks the kernel for the driver of the interface.
func (c *Conn) Driver() (Driver, error) {
	answer := make([]byte, 196) // struct ethtool_drvinfo
	put(answer, cmdGetDriver)
	if err := c.ioctl(answer); err != nil {
		return Driver{}, fmt.Errorf("driver: %w", err)
	}
	text := func(i int) string {
		s, _, _ := bytes.Cut(answer[4+i*32:4+(i+1)*32], []byte{0})
		return string(s)
	}
	return Driver{Name: text(0), Version: text(1), Firmware: text(2), Bus: text(3)}, nil
}
