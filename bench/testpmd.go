package main

import (
	"fmt"
	"strconv"
	"sync/atomic"

	"uelink/netns"
)

// testpmd starts DPDK's testpmd any number of times: each needs a name of its own.
type testpmd struct{ started atomic.Int32 }

// Sizes of its buffers: the default, which is the fastest for what fits, and the
// longest that fits a page with DPDK's own head.
const (
	defaultMbuf = 2176
	largeMbuf   = 3840
	mbufHead    = 128 // of a buffer, before the frame
)

// start starts one that hands frames from one port to the other and back
// without looking at them. Its main thread sleeps.
func (t *testpmd) start(ns *netns.NS, cpu, mbuf int, ports [2]string) (*process, error) {
	p, err := startOn(ns, "0-1", "dpdk-testpmd",
		"--lcores", fmt.Sprintf("0@0,1@%d", cpu), "--no-huge", "-m", "256", "--no-pci", "--no-telemetry",
		"--file-prefix", fmt.Sprintf("%s-%d", ns.Name(), t.started.Add(1)),
		"--vdev", "net_af_xdp0,iface="+ports[0], "--vdev", "net_af_xdp1,iface="+ports[1],
		"--", "--forward-mode=io", "--auto-start", "--nb-cores=1", "--total-num-mbufs=8192", "--mbuf-size="+strconv.Itoa(mbuf))
	if err != nil {
		return nil, err
	}
	return p, awaitXDP(p, ns, ports)
}
