// Package ethtool switches the offloads of an interface off and puts them back.
// A host stack hands a veth frames with unfinished checksums and of many
// segments; a forwarder that takes frames as octets needs finished ones of at
// most the MTU.
package ethtool

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// offload says whether a feature of the kernel (the names of `ethtool -k`)
// leaves work on a frame undone, or joins or re-tags frames: transmit checksums,
// scatter-gather, segmentation, GRO and LRO, and VLAN tags kept beside the frame.
func offload(feature string) bool {
	switch {
	case strings.HasPrefix(feature, "tx-checksum-"),
		strings.HasPrefix(feature, "tx-scatter-gather"),
		strings.HasSuffix(feature, "-segmentation"),
		strings.HasPrefix(feature, "tx-gso-"),
		strings.Contains(feature, "-gro"), strings.HasSuffix(feature, "-lro"),
		strings.HasPrefix(feature, "tx-vlan-") && strings.HasSuffix(feature, "-hw-insert"),
		strings.HasPrefix(feature, "rx-vlan-") && strings.HasSuffix(feature, "-hw-parse"):
		return true
	}
	return false
}

// Offloads lists the offloads of an interface of this thread's network namespace that
// are on and can be switched off, by the names of `ethtool -k`. Those of them that
// somebody asked for are also in wanted; the driver has the others on by itself. An
// interface that has no such features has no offloads.
func Offloads(ifname string) (on, wanted []string, err error) {
	c, err := Open(ifname)
	if err != nil {
		return nil, nil, fmt.Errorf("offloads of %s: %w", ifname, err)
	}
	defer c.Close()
	names, now, err := c.features()
	if errors.Is(err, unix.EOPNOTSUPP) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("offloads of %s: %w", ifname, err)
	}
	for i, name := range names {
		if !offload(name) || !now.available(i) || !now.requested(i) && !now.active(i) {
			continue
		}
		on = append(on, name)
		if now.requested(i) {
			wanted = append(wanted, name)
		}
	}
	return on, wanted, nil
}

// Disable switches off features of an interface of this thread's network namespace. The
// right needed is CAP_NET_ADMIN.
func Disable(ifname string, names []string) error {
	if _, _, err := set(ifname, names, false); err != nil {
		return fmt.Errorf("switch off the offloads of %s: %w", ifname, err)
	}
	return nil
}

// Enable switches on those of the features that are off. It returns which it switched
// on, and which are still off because the driver does not have them now: a veth has no
// segmentation while there is an XDP program at its other end. Names that the interface
// does not know are in neither.
func Enable(ifname string, names []string) (done, refused []string, err error) {
	if done, refused, err = set(ifname, names, true); err != nil {
		return nil, nil, fmt.Errorf("switch on the offloads of %s: %w", ifname, err)
	}
	return done, refused, nil
}

// set asks for features to be on or off. done are those for which that was news,
// refused those of which the kernel has not taken it.
func set(ifname string, wanted []string, on bool) (done, refused []string, err error) {
	c, err := Open(ifname)
	if err != nil {
		return nil, nil, err
	}
	defer c.Close()
	names, before, err := c.features()
	if err != nil {
		return nil, nil, err
	}
	which := newSelection(len(before))
	for i, name := range names {
		if slices.Contains(wanted, name) {
			which.add(i)
		}
	}
	if err := c.request(which, on); err != nil {
		return nil, nil, err
	}
	_, after, err := c.features()
	if err != nil {
		return nil, nil, err
	}
	for i, name := range names {
		switch {
		case !which.has(i) || before.requested(i) == on:
		case after.requested(i) == on:
			done = append(done, name)
		default:
			refused = append(refused, name)
		}
	}
	return done, refused, nil
}

// Active lists the features of an interface that are on now, by the names of
// `ethtool -k`.
func Active(ifname string) ([]string, error) {
	c, err := Open(ifname)
	if err != nil {
		return nil, fmt.Errorf("features of %s: %w", ifname, err)
	}
	defer c.Close()
	names, now, err := c.features()
	if err != nil {
		return nil, fmt.Errorf("features of %s: %w", ifname, err)
	}
	var on []string
	for i, name := range names {
		if name != "" && now.active(i) {
			on = append(on, name)
		}
	}
	return on, nil
}
