package main

import (
	"fmt"
	"strconv"
	"sync/atomic"

	"uelink/internal/netns"
)

// testpmd starts DPDK's testpmd any number of times, each under its own name.
type testpmd struct {
	started atomic.Int32
	rings   map[int]ringTrial // by buffer size
}

// Two buffer sizes of testpmd, in octets: the default, which is the fastest for frames that fit, and the largest with
// which buffer and DPDK's own header fit a page.
const (
	defaultMbuf = 2176
	largeMbuf   = 3840
	mbufHead    = 128 // octets of a buffer in front of the frame
)

// mbufFor returns the buffer size of testpmd, in octets, for frames of that many octets.
func mbufFor(octets int) int {
	if octets > defaultMbuf-mbufHead {
		return largeMbuf
	}
	return defaultMbuf
}

// mbufsPerPort is the number of testpmd's buffers for a port: enough for its rings.
const mbufsPerPort = 4096

// mostPorts is DPDK's limit of ports.
const mostPorts = 32

// start starts a testpmd on a CPU that forwards between ports in pairs (the first and the second, the third and
// the fourth) without looking at frames, and waits for its XDP programs. Its main thread sleeps. mbuf is the
// buffer size in octets, rings the ring size in descriptors; 0 is the default.
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
