package main

import (
	"fmt"
	"sync/atomic"

	"uelink/netns"
)

// testpmds counts those that were started: each needs a name of its own.
var testpmds atomic.Int32

// startTestpmd starts DPDK's testpmd, which hands frames from one port to the
// other and back without looking at them. Its main thread sleeps.
func startTestpmd(ns *netns.NS, cpu string, ports [2]string) (*process, error) {
	p, err := startOn(ns, "0-1", "dpdk-testpmd",
		"--lcores", fmt.Sprintf("0@0,1@%s", cpu), "--no-huge", "-m", "256", "--no-pci", "--no-telemetry",
		"--file-prefix", fmt.Sprintf("uelink-bench-%d-%d", pid, testpmds.Add(1)),
		"--vdev", "net_af_xdp0,iface="+ports[0], "--vdev", "net_af_xdp1,iface="+ports[1],
		"--", "--forward-mode=io", "--auto-start", "--nb-cores=1", "--total-num-mbufs=8192", "--mbuf-size=3840")
	if err != nil {
		return nil, err
	}
	return p, p.await("XDP program on "+ports[1], func() bool {
		for _, ifname := range ports {
			if at, err := ns.Link(ifname); err != nil || at.Xdp == nil || !at.Xdp.Attached {
				return false
			}
		}
		return true
	})
}
