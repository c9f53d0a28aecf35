package ethtool

import "encoding/binary"

// speedUnknown is SPEED_UNKNOWN of linux/ethtool.h.
const speedUnknown = 1<<32 - 1

// Speed returns the speed of an interface of this thread's network namespace, in Mb/s; 0 if the driver does not
// say, or the carrier is lost.
func Speed(ifname string) int {
	c, err := Open(ifname)
	if err != nil {
		return 0
	}
	defer c.Close()
	settings := make([]byte, 44) // struct ethtool_cmd
	put(settings, cmdGetSettings)
	if c.ioctl(settings) != nil {
		return 0
	}
	low, high := binary.NativeEndian.Uint16(settings[12:]), binary.NativeEndian.Uint16(settings[28:])
	speed := uint32(high)<<16 | uint32(low)
	if speed == speedUnknown || speed == 1<<16-1 {
		return 0
	}
	return int(speed)
}
