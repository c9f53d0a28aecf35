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

// mbufsPerPort fill a port's rings.
const mbufsPerPort = 4096

// mostPorts is how many ports DPDK is built for.
const mostPorts = 32

// start starts one that hands frames from one port to the other and back, the first
// to the second, the third to the fourth, without looking at them. Its main thread
// sleeps.
func (t *testpmd) start(ns *netns.NS, cpu, mbuf int, ports ...string) (*process, error) {
	mbufs := mbufsPerPort * len(ports)
	args := []string{"--lcores", fmt.Sprintf("0@0,1@%d", cpu), "--no-huge", "-m", strconv.Itoa(256 + mbufs*mbuf>>20), "--no-pci", "--no-telemetry",
		"--file-prefix", fmt.Sprintf("%s-%d", ns.Name(), t.started.Add(1))}
	for i, ifname := range ports {
		args = append(args, "--vdev", fmt.Sprintf("net_af_xdp%d,iface=%s", i, ifname))
	}
	p, err := startOn(ns, "0-1", "dpdk-testpmd", append(args,
		"--", "--forward-mode=io", "--auto-start", "--nb-cores=1", fmt.Sprintf("--nb-ports=%d", len(ports)),
		fmt.Sprintf("--total-num-mbufs=%d", mbufs), "--mbuf-size="+strconv.Itoa(mbuf))...)
	if err != nil {
		return nil, err
	}
	return p, awaitXDP(p, ns, ports)
}
