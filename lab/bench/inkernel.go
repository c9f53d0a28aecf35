package main

import (
	"errors"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"uelink/internal/netns"
	"uelink/lab/bench/kernel"
)

// inKernel is a forwarder within the kernel, in threads that poll its interfaces.
type inKernel struct {
	napi
	programs *kernel.Load
}

func (k *inKernel) stop() error { return k.programs.Close() }

// startRedirect starts an XDP program that redirects frames from edge0 to link0 of the bed, in a kernel thread on
// the forwarder's CPU.
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

// kernelBridge returns a function that starts a Linux bridge over all interfaces of a bed with that number of
// links. A veth accepts redirected frames only with an XDP program, so each interface gets a program that passes
// all frames.
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

// learned returns how many addresses the Linux bridge has learned.
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

// startInKernel loads XDP programs, calls lay to set a forwarder within the kernel up with them, and makes kernel
// threads on the forwarder's CPU poll the interfaces in polled.
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
