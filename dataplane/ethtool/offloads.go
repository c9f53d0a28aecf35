// Package ethtool switches the offloads of an interface off and puts them back.
// A host stack hands a veth frames with unfinished checksums and of many
// segments; a forwarder that takes frames as octets needs finished ones of at
// most the MTU.
package ethtool

import (
	"errors"
	"fmt"
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

// Disable switches off every offload of an interface of this thread's network
// namespace that can be, and returns the names (as of `ethtool -k`) of those
// that were on. restore switches these on again; it is to be called in the same
// namespace, and may be called when the interface has gone (it returns an error).
// An interface that has no such features is left as it is, without an error.
// The right needed is CAP_NET_ADMIN.
func Disable(ifname string) (restore func() error, changed []string, err error) {
	nothing := func() error { return nil }
	c, err := Open(ifname)
	if err != nil {
		return nothing, nil, fmt.Errorf("offloads of %s: %w", ifname, err)
	}
	defer c.Close()
	names, before, err := c.features()
	if errors.Is(err, unix.EOPNOTSUPP) {
		return nothing, nil, nil
	}
	if err != nil {
		return nothing, nil, fmt.Errorf("offloads of %s: %w", ifname, err)
	}
	off := newSelection(len(before))
	for i, name := range names {
		if offload(name) && before.available(i) && (before.requested(i) || before.active(i)) {
			off.add(i)
			changed = append(changed, name)
		}
	}
	if len(changed) == 0 {
		return nothing, nil, nil
	}
	if err := c.request(off, false); err != nil {
		return nothing, nil, fmt.Errorf("switch off the offloads of %s: %w", ifname, err)
	}
	return func() error { return enable(ifname, off.intersect(before.requested)) }, changed, nil
}

// enable switches a selection of features on.
func enable(ifname string, on selection) error {
	c, err := Open(ifname)
	if err != nil {
		return fmt.Errorf("put back the offloads of %s: %w", ifname, err)
	}
	defer c.Close()
	if err := c.request(on, true); err != nil {
		return fmt.Errorf("put back the offloads of %s: %w", ifname, err)
	}
	return nil
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
