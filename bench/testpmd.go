package main

import (
	"fmt"
	"strconv"
	"sync/atomic"

	"uelink/netns"
)

// testpmd starts DPDK's testpmd any number of times: each needs a name of its own.
type testpmd struct {
	started atomic.Int32
	rings   map[int]ringTrial // by the size of its buffers
}

// Sizes of its buffers: the default, which is the fastest for what fits, and the
// longest that fits a page with DPDK's own head.
const (
	defaultMbuf = 2176
	largeMbuf   = 3840
	mbufHead    = 128 // of a buffer, before the frame
)

// mbufFor is the size of the buffers for frames of a length.
func mbufFor(octets int) int {
	if octets > defaultMbuf-mbufHead {
		return largeMbuf
	}
	return defaultMbuf
}

// mbufsPerPort fill a port's rings.
const mbufsPerPort = 4096

// mostPorts is how many ports DPDK is built for.
const mostPorts = 32

// start starts one that hands frames from one port to the other and back, the first
// to the second, the third to the fourth, without looking at them. Its main thread
// sleeps. rings is the size of its rings, in descriptors; 0 is its default.
func (t *testpmd) start(ns *netns.NS, cpu, mbuf, rings int, ports ...string) (*process, error) {
	mbufs := mbufsPerPort * len(ports)
	name := fmt.Sprintf("%s-%d", ns.Name(), t.started.Add(1))
	args := []string{"--lcores", fmt.Sprintf("0@0,1@%d", cpu), "--no-huge", "-m", strconv.Itoa(256 + mbufs*mbuf>>20),
		"--no-pci", "--no-telemetry", "--file-prefix", name}
	for i, ifname := range ports {
		args = append(args, "--vdev", fmt.Sprintf("net_af_xdp%d,iface=%s", i, ifname))
	}
	args = append(args, "--", "--forward-mode=io", "--auto-start", "--nb-cores=1",
		fmt.Sprintf("--nb-ports=%d", len(ports)),
		fmt.Sprintf("--total-num-mbufs=%d", mbufs), "--mbuf-size="+strconv.Itoa(mbuf))
	if rings > 0 {
		args = append(args, fmt.Sprintf("--rxd=%d", rings), fmt.Sprintf("--txd=%d", rings))
	}
	p, err := startOn(ns, "0-1", "dpdk-testpmd", args...)
	if err != nil {
		return nil, err
	}
	return p, awaitXDP(p, ns, ports)
}
