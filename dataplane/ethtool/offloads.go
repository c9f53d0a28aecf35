// Package ethtool reads driver, statistics and queues of an interface, and switches its offloads off and back on. A
// host stack hands a veth frames with unfinished checksums and of many segments; a forwarder that carries frames as
// octets needs finished frames of at most the MTU.
package ethtool

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// offload reports whether a kernel feature (a name of `ethtool -k`) leaves work on a frame undone, or joins or
// re-tags frames: transmit checksums, scatter-gather, segmentation, GRO and LRO, and VLAN tags kept beside the
// frame.
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

// Offloads lists the offloads of an interface of this thread's network namespace that are on and can be switched
// off, by the names of `ethtool -k`. Offloads requested by somebody are also in wanted; the driver has the others
// on by itself. An interface without such features has no offloads.
func Offloads(ifname string) (on, wanted []string, err error) {
	c, err := Open(ifname)
	if err != nil {
		return nil, nil, fmt.Errorf("offloads of %s: %w", ifname, err)
	}
	defer c.Close()
	all, err := c.features()
	if errors.Is(err, unix.EOPNOTSUPP) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("offloads of %s: %w", ifname, err)
	}
	for _, f := range all {
		if !offload(f.name) || !f.available || !f.requested && !f.active {
			continue
		}
		on = append(on, f.name)
		if f.requested {
			wanted = append(wanted, f.name)
		}
	}
	return on, wanted, nil
}

// Disable switches off features of an interface of this thread's network namespace. Disable needs CAP_NET_ADMIN.
func Disable(ifname string, names []string) error {
	if _, _, err := set(ifname, names, false); err != nil {
		return fmt.Errorf("switch off the offloads of %s: %w", ifname, err)
	}
	return nil
}

// Enable switches on the named features that are off. done lists the features switched on; refused lists the
// features that are still off because the driver does not offer them now: a veth has no segmentation while an XDP
// program is at its other end. Names unknown to the interface are in neither list.
func Enable(ifname string, names []string) (done, refused []string, err error) {
	if done, refused, err = set(ifname, names, true); err != nil {
		return nil, nil, fmt.Errorf("switch on the offloads of %s: %w", ifname, err)
	}
	return done, refused, nil
}

// set asks the kernel to switch features on or off. done lists the features whose requested state has changed,
// refused the features whose request the kernel has not accepted.
func set(ifname string, wanted []string, on bool) (done, refused []string, err error) {
	c, err := Open(ifname)
	if err != nil {
		return nil, nil, err
	}
	defer c.Close()
	before, err := c.features()
	if err != nil {
		return nil, nil, err
	}
	if err := c.request(before, wanted, on); err != nil {
		return nil, nil, err
	}
	after, err := c.features()
	if err != nil {
		return nil, nil, err
	}
	for i, f := range before {
		switch {
		case f.requested == on || !slices.Contains(wanted, f.name):
		case after[i].requested == on:
			done = append(done, f.name)
		default:
			refused = append(refused, f.name)
		}
	}
	return done, refused, nil
}

// Active lists the features of an interface that are on now, by the names of `ethtool -k`.
func Active(ifname string) ([]string, error) {
	return featuresThat(ifname, func(f feature) bool { return f.active })
}

// Available lists the features of an interface that can be switched, by the names of `ethtool -k`.
func Available(ifname string) ([]string, error) {
	return featuresThat(ifname, func(f feature) bool { return f.available })
}

// featuresThat lists the features of an interface for which fits is true.
func featuresThat(ifname string, fits func(feature) bool) ([]string, error) {
	c, err := Open(ifname)
	if err != nil {
		return nil, fmt.Errorf("features of %s: %w", ifname, err)
	}
	defer c.Close()
	all, err := c.features()
	if err != nil {
		return nil, fmt.Errorf("features of %s: %w", ifname, err)
	}
	var names []string
	for _, f := range all {
		if f.name != "" && fits(f) {
			names = append(names, f.name)
		}
	}
	return names, nil
}
