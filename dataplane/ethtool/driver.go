package ethtool

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// Driver is the driver of an interface, as `ethtool -i` shows it.
type Driver struct {
	Name     string `json:"driver"`
	Version  string `json:"version"`
	Firmware string `json:"firmware_version"`
	Bus      string `json:"bus_info"`
}

// Driver asks the kernel for the driver of the interface.
func (c *Conn) Driver() (Driver, error) {
	d, err := unix.IoctlGetEthtoolDrvinfo(c.fd, unix.ByteSliceToString(c.name[:]))
	if err != nil {
		return Driver{}, fmt.Errorf("driver: %w", err)
	}
	text := unix.ByteSliceToString
	return Driver{text(d.Driver[:]), text(d.Version[:]), text(d.Fw_version[:]), text(d.Bus_info[:])}, nil
}
