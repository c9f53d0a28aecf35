package ethtool

import (
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Commands and string sets of linux/ethtool.h.
const (
	cmdGetSettings = 0x01 // ETHTOOL_GSET
	cmdGetStrings  = 0x1b // ETHTOOL_GSTRINGS
	cmdGetStats    = 0x1d // ETHTOOL_GSTATS
	cmdGetSetInfo  = 0x37 // ETHTOOL_GSSET_INFO
	cmdGetChannels = 0x3c // ETHTOOL_GCHANNELS

	setStats    = 1  // ETH_SS_STATS
	setFeatures = 4  // ETH_SS_FEATURES
	nameLen     = 32 // ETH_GSTRING_LEN
)

// Conn makes ethtool requests about one interface, named, in the network namespace of the thread that called Open,
// whichever thread uses the Conn later.
type Conn struct {
	fd   int
	name [unix.IFNAMSIZ]byte
}

// ifreq is struct ifreq with its data pointer.
type ifreq struct {
	name [unix.IFNAMSIZ]byte
	data unsafe.Pointer
	_    [24 - unsafe.Sizeof(uintptr(0))]byte
}

// Open returns a Conn for ethtool requests about the named interface. Open does not check that the interface
// exists.
func Open(ifname string) (*Conn, error) {
	c := &Conn{}
	if len(ifname) >= len(c.name) {
		return nil, errors.New("the name is too long for an interface")
	}
	copy(c.name[:], ifname)
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("open a socket for ethtool: %w", err)
	}
	c.fd = fd
	return c, nil
}

// Close closes the socket of the Conn.
func (c *Conn) Close() error { return unix.Close(c.fd) }

// ioctl hands the kernel a request that begins with its command; the kernel overwrites the request with its answer.
func (c *Conn) ioctl(request []byte) error {
	r := ifreq{name: c.name, data: unsafe.Pointer(&request[0])}
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(c.fd), unix.SIOCETHTOOL, uintptr(unsafe.Pointer(&r)))
	runtime.KeepAlive(request)
	if errno != 0 {
		return errno
	}
	return nil
}

// names returns the strings of an ethtool string set (statistics, features) of the driver, in the order of their
// numbers.
func (c *Conn) names(set uint32) ([]string, error) {
	info := make([]byte, 20) // struct ethtool_sset_info with one answer
	put(info, cmdGetSetInfo)
	binary.NativeEndian.PutUint64(info[8:], 1<<set)
	if err := c.ioctl(info); err != nil {
		return nil, fmt.Errorf("count the names: %w", err)
	}
	count := int(binary.NativeEndian.Uint32(info[16:]))
	table := make([]byte, 12+count*nameLen) // struct ethtool_gstrings
	put(table, cmdGetStrings, set, uint32(count))
	if err := c.ioctl(table); err != nil {
		return nil, fmt.Errorf("read the names: %w", err)
	}
	names := make([]string, count)
	for i := range names {
		names[i] = unix.ByteSliceToString(table[12+i*nameLen : 12+(i+1)*nameLen])
	}
	return names, nil
}

// put writes 32-bit words in native byte order, one behind the other, into a buffer.
func put(into []byte, words ...uint32) {
	for i, w := range words {
		binary.NativeEndian.PutUint32(into[4*i:], w)
	}
}
