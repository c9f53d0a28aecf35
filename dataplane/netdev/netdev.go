// Package netdev asks the kernel which XDP and AF_XDP features the driver of an interface has, before a program is
// attached or a socket is bound: generic netlink, family netdev, from Linux 6.3 on. An older kernel cannot be
// asked; then every answer is Unknown, which is neither yes nor no.
package netdev

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netlink/nl"
	"golang.org/x/sys/unix"
)

// Answer is the kernel's answer about one feature of a driver.
type Answer uint8

// The answers.
const (
	Unknown Answer = iota // the kernel is too old to be asked
	No
	Yes
)

// String returns the answer as a word: "unknown", "no" or "yes".
func (a Answer) String() string { return [...]string{"unknown", "no", "yes", "?"}[min(a, Yes+1)] }

// MarshalText returns the answer as a word (unknown, no, yes) in octets. The error is always nil.
func (a Answer) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// XDP is a set of a driver's XDP features, as the kernel numbers them (enum netdev_xdp_act).
type XDP uint64

// The XDP features.
const (
	Basic        XDP = 1 << iota // programs that drop, pass, and send back
	Redirect                     // XDP_REDIRECT away from the interface
	NdoXmit                      // XDP_REDIRECT to the interface
	XSKZeroCopy                  // AF_XDP sockets whose UMEM the NIC reads and writes
	HwOffload                    // programs that the NIC runs
	RxSg                         // programs see frames of several buffers
	NdoXmitSg                    // XDP_REDIRECT of frames of several buffers, to the interface
	xdpAbilities = iota
)

// String returns the names of the XDP features as in Documentation/netlink/specs/netdev.yaml, or "none".
func (x XDP) String() string {
	words := [xdpAbilities]string{"basic", "redirect", "ndo-xmit", "xsk-zerocopy", "hw-offload", "rx-sg", "ndo-xmit-sg"}
	var all []string
	for i, word := range words {
		if x>>i&1 == 1 {
			all = append(all, word)
		}
	}
	if all == nil {
		return "none"
	}
	return strings.Join(all, " ")
}

// Features is the kernel's answer about an interface. The zero value is the answer of a kernel that cannot be
// asked.
type Features struct {
	Asked            bool // the kernel has answered
	XDP              XDP
	ZeroCopySegments int // most buffers of one frame with zero copy; 0: the kernel does not say (before Linux 6.6)
}

// Native returns whether the driver runs an XDP program that redirects frames to AF_XDP sockets.
func (f Features) Native() Answer { return f.supports(Basic | Redirect) }

// ZeroCopy reports whether sockets can be bound with zero copy. The kernel makes the same check at bind.
func (f Features) ZeroCopy() Answer { return f.supports(Basic | Redirect | XSKZeroCopy) }

// Sends reports whether XDP frames can be redirected to the interface. A veth sends them while its other end has an
// XDP program or GRO.
func (f Features) Sends() Answer { return f.supports(NdoXmit) }

// MultiBuffer returns whether an XDP program in the driver may see frames of several buffers (rx-sg), as needed
// for frames beyond a page.
func (f Features) MultiBuffer() Answer { return f.supports(Basic | Redirect | RxSg) }

// ZeroCopyMultiBuffer reports whether a frame may have several descriptors with zero copy.
func (f Features) ZeroCopyMultiBuffer() Answer {
	if f.ZeroCopy() == Yes && f.ZeroCopySegments <= 1 {
		return No
	}
	return f.ZeroCopy()
}

// supports answers whether the driver has all of some features; Unknown if the kernel could not be asked.
func (f Features) supports(all XDP) Answer {
	switch {
	case !f.Asked:
		return Unknown
	case f.XDP&all == all:
		return Yes
	}
	return No
}

// Family, command and attributes of linux/netdev.h.
const (
	family  = "netdev"
	version = 1

	cmdDevGet = 1

	attrIfindex          = 1
	attrXDPFeatures      = 3
	attrZeroCopySegments = 4
)

// Get asks the kernel for the XDP features of an interface of the calling thread's network namespace, by index. A
// kernel without the netdev family is no error. A missing interface is an error.
func Get(ifindex int) (Features, error) {
	number, err := familyNumber()
	if errors.Is(err, unix.ENOENT) {
		return Features{}, nil
	}
	if err != nil {
		return Features{}, err
	}
	request := nl.NewNetlinkRequest(number, 0)
	request.AddData(header{cmdDevGet, version})
	request.AddData(nl.NewRtAttr(attrIfindex, nl.Uint32Attr(uint32(ifindex))))
	answers, err := request.Execute(unix.NETLINK_GENERIC, 0)
	if err != nil {
		return Features{}, fmt.Errorf("read the XDP features of interface %d (netdev dev-get): %w", ifindex, err)
	}
	if len(answers) != 1 || len(answers[0]) < nl.SizeofGenlmsg {
		return Features{}, fmt.Errorf("read the XDP features of interface %d: got %d answers, want 1", ifindex, len(answers))
	}
	return parse(answers[0][nl.SizeofGenlmsg:])
}

// resolved is the number of the family netdev, once the kernel has answered: the family is part of the kernel, and
// keeps its number until the machine starts again. 0: not known yet.
var resolved atomic.Uint32

// familyNumber returns the number by which netlink messages address the family netdev. It asks the kernel once. Error:
// unix.ENOENT if the kernel has no such family (before Linux 6.3).
func familyNumber() (int, error) {
	if n := resolved.Load(); n != 0 {
		return int(n), nil
	}
	f, err := netlink.GenlFamilyGet(family)
	if err != nil {
		return 0, fmt.Errorf("look for the generic netlink family %s: %w", family, err)
	}
	resolved.Store(uint32(f.ID))
	return int(f.ID), nil
}

// header is struct genlmsghdr: command, version, and two octets that must be zero. nl.Genlmsg of the library has
// only the first two octets, and sends stray memory after them, which the kernel answers with EINVAL.
type header [nl.SizeofGenlmsg]byte

// Len returns the length of the generic netlink header, in octets.
func (h header) Len() int { return len(h) }

// Serialize returns the octets of the generic netlink header to send.
func (h header) Serialize() []byte { return h[:] }

// parse reads the XDP features from the netlink attributes of the kernel's answer.
func parse(attributes []byte) (Features, error) {
	all, err := nl.ParseRouteAttr(attributes)
	if err != nil {
		return Features{}, fmt.Errorf("parse the kernel's answer to netdev dev-get: %w", err)
	}
	f := Features{Asked: true}
	for _, a := range all {
		switch {
		case a.Attr.Type == attrXDPFeatures && len(a.Value) == 8:
			f.XDP = XDP(binary.NativeEndian.Uint64(a.Value))
		case a.Attr.Type == attrZeroCopySegments && len(a.Value) == 4:
			f.ZeroCopySegments = int(binary.NativeEndian.Uint32(a.Value))
		}
	}
	return f, nil
}
