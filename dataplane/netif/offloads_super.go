package netif

import (
	"errors"
	"slices"
	"strings"

	"uelink/dataplane/ethtool"
)

// lend restores the offloads of both ends except GRO, and saves the record: GRO stays in it as switched off. A veth
// loses the frames on their way to the host each time GRO is switched.
func (o *SwitchedOffloads) lend() {
	own, peer := slices.Contains(o.record.Offloads, gro), slices.Contains(o.record.Peer, gro)
	isGRO := func(name string) bool { return name == gro }
	o.record.Offloads = slices.DeleteFunc(o.record.Offloads, isGRO)
	o.record.Peer = slices.DeleteFunc(o.record.Peer, isGRO)
	o.putBackBothEnds(o.name())
	if own {
		o.record.Offloads = append(o.record.Offloads, gro)
	}
	if peer {
		o.record.Peer = append(o.record.Peer, gro)
	}
	_ = o.save(&o.record)
}

// gro is the offload with which a veth keeps its NAPI instances, and the frames in their rings, when the XDP program
// comes or goes. While the program is attached, switching GRO has no effect on the instances.
const gro = "rx-gro"

// keepNAPI switches GRO on, so that the veth keeps its NAPI instances. If GRO was off before this process changed any
// offload, keepNAPI records the change.
func (o *SwitchedOffloads) keepNAPI() error {
	done, refused, err := ethtool.Enable(o.name(), []string{gro})
	switch {
	case err != nil:
		return err
	case len(refused) > 0:
		return errors.New("the driver has no GRO")
	case len(done) == 0 || slices.Contains(o.record.Offloads, gro):
		return nil
	}
	return o.write(func(r *record) { r.GRO = true })
}

// LimitPeer switches off those offloads of the other end of a veth that make super-frames which a packet socket cannot
// describe, and returns those that were on.
func (o *SwitchedOffloads) LimitPeer() (off []string, err error) {
	err = atPeer(o.index, func(ifname string) error {
		on, wanted, err := ethtool.Offloads(ifname)
		if err != nil {
			return err
		}
		fits := func(name string) bool { return !strings.HasSuffix(name, "-segmentation") || plainSegmentation(name) }
		off, wanted = slices.DeleteFunc(on, fits), slices.DeleteFunc(wanted, fits)
		if len(off) == 0 {
			return nil
		}
		if err := o.write(func(r *record) { r.Peer = union(r.Peer, wanted) }); err != nil {
			return err
		}
		return ethtool.Disable(ifname, off)
	})
	return off, err
}

// plainSegmentation reports whether an offload makes super-frames that a virtio_net_hdr can describe: those of TCP
// without a tunnel, and from Linux 6.2 on those of UDP without a tunnel.
func plainSegmentation(name string) bool {
	switch name {
	case tcpSegmentation, "tx-tcp-ecn-segmentation", "tx-tcp-mangleid-segmentation", "tx-tcp6-segmentation",
		"tx-generic-segmentation":
		return true
	case "tx-udp-segmentation":
		_, older, _ := olderThan(6, 2)
		return !older
	}
	return false
}

// tcpSegmentation is the offload without which the kernel cuts super-frames before they leave by an interface.
const tcpSegmentation = "tx-tcp-segmentation"
