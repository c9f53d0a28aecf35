package bpf

import (
	"errors"
	"fmt"

	"github.com/cilium/ebpf/features"
	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netlink/nl"
	"golang.org/x/sys/unix"
)

// The kernels from which on there is what frames in several buffers need.
var (
	linuxFrags       = version(5, 18) // XDP programs that take them (BPF_F_XDP_HAS_FRAGS)
	linuxMultiBuffer = version(6, 6)  // AF_XDP sockets that do (XDP_USE_SG)
)

func version(major, minor uint32) uint32 { return major<<16 | minor<<8 }

// since tells whether the kernel is of a version or later. One that does not tell counts as new:
// it says itself what it cannot do.
func since(v uint32) bool {
	running, err := features.LinuxVersionCode()
	return err != nil || running >= v
}

// MultiBuffer is why AF_XDP sockets cannot take frames in several buffers on an interface whose
// program runs in a mode, or nil if they can: errors.ErrUnsupported, with what is missing. In
// generic mode the kernel does it for every driver. It is called in the interface's namespace.
func MultiBuffer(ifindex int, mode Mode) error {
	if !since(linuxMultiBuffer) {
		return fmt.Errorf("frames in several buffers need Linux 6.6: %w", errors.ErrUnsupported)
	}
	if mode == ModeGeneric {
		return nil
	}
	able, err := xdpFeatures(ifindex)
	if err != nil {
		return fmt.Errorf("ask for the XDP features of interface %d: %w", ifindex, err)
	}
	if able&featureRxSG == 0 {
		return fmt.Errorf("its driver takes no frames in several buffers (rx-sg is not among its XDP features): %w",
			errors.ErrUnsupported)
	}
	return nil
}

// What is used of the netlink family netdev (linux/netdev.h).
const (
	netdevFamily      = "netdev"
	netdevDevGet      = 1
	netdevIfindex     = 1
	netdevXDPFeatures = 3

	featureRxSG = 1 << 5 // NETDEV_XDP_ACT_RX_SG
)

// xdpFeatures is what the driver of an interface says that it can do with XDP.
func xdpFeatures(ifindex int) (uint64, error) {
	family, err := netlink.GenlFamilyGet(netdevFamily)
	if err != nil {
		return 0, err
	}
	r := nl.NewNetlinkRequest(int(family.ID), 0)
	// Not nl.Genlmsg: it leaves the reserved octets to chance, and this family minds.
	header := []byte{netdevDevGet, 1, 0, 0}
	r.AddRawData(append(header, nl.NewRtAttr(netdevIfindex, nl.Uint32Attr(uint32(ifindex))).Serialize()...))
	answers, err := r.Execute(unix.NETLINK_GENERIC, 0)
	if err != nil {
		return 0, err
	}
	for _, a := range answers {
		attrs, err := nl.ParseRouteAttr(a[nl.SizeofGenlmsg:])
		if err != nil {
			return 0, err
		}
		for _, attr := range attrs {
			if attr.Attr.Type&nl.NLA_TYPE_MASK == netdevXDPFeatures && len(attr.Value) == 8 {
				return nl.NativeEndian().Uint64(attr.Value), nil
			}
		}
	}
	return 0, errors.New("the kernel does not tell")
}
