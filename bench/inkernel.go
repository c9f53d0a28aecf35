package main

import (
	"errors"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"uelink/bench/kernel"
	"uelink/netns"
)

// inKernel is a forwarder that is the kernel itself, in threads that poll its interfaces.
type inKernel struct {
	napi
	programs *kernel.Load
}

func (k *inKernel) stop() error { return k.programs.Close() }

// startRedirect starts XDP redirect from edge0 to link0.
func startRedirect(b *bed, _ string) (forwarder, error) {
	k, err := startInKernel(b, []string{"edge0"}, func(programs *kernel.Load) error {
		return programs.Redirect(b.device, "edge0", "link0")
	})
	if err != nil {
		return nil, err
	}
	return k, nil
}

// linuxBridge is a bridge of the kernel, br0 of a namespace.
type linuxBridge struct {
	*inKernel
	ns *netns.NS
}

// kernelBridge starts one over the interfaces of so many links. A veth takes what the load
// redirects to it if it has a program: one that passes all.
func kernelBridge(links int) launcher {
	return func(b *bed, _ string) (forwarder, error) {
		members := ports(links)
		k, err := startInKernel(b, members, func(programs *kernel.Load) error {
			for _, ifname := range members {
				if err := programs.Pass(b.device, ifname); err != nil {
					return err
				}
			}
			return b.device.Bridge("br0", 0, members...)
		})
		if err != nil {
			return nil, err
		}
		return &linuxBridge{k, b.device}, nil
	}
}

// learned is how many addresses it has learned.
func (l *linuxBridge) learned() (addresses int, err error) {
	err = l.ns.Do(func() error {
		entries, err := netlink.NeighList(0, unix.AF_BRIDGE)
		for _, e := range entries {
			if e.State&netlink.NUD_PERMANENT == 0 && e.MasterIndex > 0 {
				addresses++
			}
		}
		return err
	})
	return addresses, err
}

// startInKernel lays what forwards, and has interfaces polled on the forwarder's CPU.
func startInKernel(b *bed, polled []string, lay func(*kernel.Load) error) (*inKernel, error) {
	programs, err := kernel.New(kernel.Config{})
	if err != nil {
		return nil, err
	}
	k := &inKernel{programs: programs}
	if err = lay(programs); err == nil {
		k.napi, err = pollInThreads(b.device, deviceCPU, polled...)
	}
	if err != nil {
		return nil, errors.Join(err, k.stop())
	}
	return k, nil
}
