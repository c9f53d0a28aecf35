package ethtool

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Commands of linux/ethtool.h, and its set of feature names.
const (
	cmdGetStrings  = 0x1b // ETHTOOL_GSTRINGS
	cmdGetSetInfo  = 0x37 // ETHTOOL_GSSET_INFO
	cmdGetFeatures = 0x3a // ETHTOOL_GFEATURES
	cmdSetFeatures = 0x3b // ETHTOOL_SFEATURES

	setFeatures = 4  // ETH_SS_FEATURES
	nameLen     = 32 // ETH_GSTRING_LEN
)

// conn is a socket through which one interface is asked.
type conn struct {
	fd   int
	name [unix.IFNAMSIZ]byte
}

// ifreq is struct ifreq with its data pointer.
type ifreq struct {
	name [unix.IFNAMSIZ]byte
	data unsafe.Pointer
	_    [24 - unsafe.Sizeof(uintptr(0))]byte
}

func open(ifname string) (*conn, error) {
	c := &conn{}
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

func (c *conn) close() { unix.Close(c.fd) }

// ioctl hands the kernel a request that begins with its command; the kernel
// writes its answer over it.
func (c *conn) ioctl(request []byte) error {
	r := ifreq{name: c.name, data: unsafe.Pointer(&request[0])}
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(c.fd), unix.SIOCETHTOOL, uintptr(unsafe.Pointer(&r)))
	runtime.KeepAlive(request)
	if errno != 0 {
		return errno
	}
	return nil
}

// features returns the names of all features by their bit number, and their
// state.
func (c *conn) features() ([]string, state, error) {
	count, err := c.count()
	if err != nil {
		return nil, nil, err
	}
	strings := make([]byte, 12+count*nameLen) // struct ethtool_gstrings
	put(strings, cmdGetStrings, setFeatures, uint32(count))
	if err := c.ioctl(strings); err != nil {
		return nil, nil, fmt.Errorf("names of the features: %w", err)
	}
	names := make([]string, count)
	for i := range names {
		name, _, _ := bytes.Cut(strings[12+i*nameLen:12+(i+1)*nameLen], []byte{0})
		names[i] = string(name)
	}
	words := (count + 31) / 32
	answer := make([]byte, 8+words*16) // struct ethtool_gfeatures
	put(answer, cmdGetFeatures, uint32(words))
	if err := c.ioctl(answer); err != nil {
		return nil, nil, fmt.Errorf("state of the features: %w", err)
	}
	now := make(state, words)
	for i := range now {
		if _, err := binary.Decode(answer[8+i*16:], binary.NativeEndian, &now[i]); err != nil {
			return nil, nil, err
		}
	}
	return names, now, nil
}

// count is the number of features that this kernel knows.
func (c *conn) count() (int, error) {
	info := make([]byte, 20) // struct ethtool_sset_info with one answer
	put(info, cmdGetSetInfo)
	binary.NativeEndian.PutUint64(info[8:], 1<<setFeatures)
	if err := c.ioctl(info); err != nil {
		return 0, fmt.Errorf("number of features: %w", err)
	}
	return int(binary.NativeEndian.Uint32(info[16:])), nil
}

// request asks for the selected features to be on or off.
func (c *conn) request(which selection, on bool) error {
	request := make([]byte, 8+len(which)*8) // struct ethtool_sfeatures
	put(request, cmdSetFeatures, uint32(len(which)))
	for i, valid := range which {
		wanted := uint32(0)
		if on {
			wanted = valid
		}
		put(request[8+i*8:], valid, wanted)
	}
	return c.ioctl(request)
}

// put writes 32-bit words one behind the other.
func put(into []byte, words ...uint32) {
	for i, w := range words {
		binary.NativeEndian.PutUint32(into[4*i:], w)
	}
}

// state is what the kernel says of all features, in words of 32 bits (struct
// ethtool_get_features_block).
type state []struct{ Available, Requested, Active, NeverChanged uint32 }

func (s state) available(i int) bool { return s[i/32].Available>>(i%32)&1 != 0 }
func (s state) requested(i int) bool { return s[i/32].Requested>>(i%32)&1 != 0 }
func (s state) active(i int) bool    { return s[i/32].Active>>(i%32)&1 != 0 }

// selection is a set of features by their bit number.
type selection []uint32

func newSelection(words int) selection { return make(selection, words) }

func (s selection) add(i int) { s[i/32] |= 1 << (i % 32) }

// intersect is the features of s that are also in other.
func (s selection) intersect(other func(int) bool) selection {
	both := newSelection(len(s))
	for i := range len(s) * 32 {
		if s[i/32]>>(i%32)&1 != 0 && other(i) {
			both.add(i)
		}
	}
	return both
}
